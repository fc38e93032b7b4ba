"""A game in the terminal in plain text: it reads and writes lines, so it works through pipes."""

from typing import TextIO

from wizard_env import ACTIONS, Agent
from wizard_env.agents.human import read_action
from wizard_env.play.narration import narrate_advice, narrate_event, narrate_last_trick
from wizard_env.play.session import Session
from wizard_env.render.ansi import text

HELP = (
    "Type a card (TS), a bid (3) or a suit (H); or: hint, back (take back your last choice), "
    "last (show the last trick), help, quit.\n"
    "A card is a rank and a suit: S spades, H hearts, D diamonds, C clubs; WI is a Wizard, JE a Jester."
)


class PlainTerminal:
    """Plays a session to its end, or until the input ends or says quit."""

    def __init__(self, session: Session, seat: int, adviser: Agent, stdin: TextIO, stdout: TextIO) -> None:
        """Choose the seat and the streams.

        Args:
            session: a session without other people.
            seat: the person's seat.
            adviser: the agent that gives hints.
            stdin: where answers are read from, one per line.
            stdout: where everything is written.
        """
        self._session = session
        self._seat = seat
        self._adviser = adviser
        self._stdin = stdin
        self._stdout = stdout
        self._narrated = len(session.events)

    def run(self) -> None:
        """Play until the end."""
        self._write(HELP)
        while self._session.seat is not None:
            if self._session.waits_for_an_agent:
                self._session.advance()
            else:
                self._write_events()
                self._write("", text(self._session.game.scene(self._seat)))
                if not self._ask():
                    return
        self._write_events()
        self._write("", str(self._session.game))

    def _ask(self) -> bool:
        """Let the person choose. Returns whether the game continues."""
        legal = ", ".join(ACTIONS[action].split()[1] for action in self._session.game.legal_actions())
        while True:
            self._stdout.write(f"Your choice of {legal}: ")
            self._stdout.flush()
            answer = self._stdin.readline()
            word = answer.strip().lower()
            if not answer or word == "quit":
                self._write("")
                return False
            try:
                if word == "hint":
                    self._write(*narrate_advice(self._session.advise(self._adviser)))
                elif word == "last":
                    self._write(narrate_last_trick(self._session, self._seat))
                elif word == "help":
                    self._write(HELP)
                elif word == "back":
                    self._session.take_back(self._seat)
                    self._narrated = len(self._session.events)
                    return True
                else:
                    self._session.act(self._seat, read_action(answer, self._session.game))
                    return True
            except ValueError as error:
                self._write(str(error))

    def _write_events(self) -> None:
        for event in self._session.events[self._narrated :]:
            self._write(*narrate_event(self._session, event, self._seat))
        self._narrated = len(self._session.events)

    def _write(self, *lines: str) -> None:
        self._stdout.write("\n".join(lines) + "\n")
        self._stdout.flush()
