"""A seat at a table in plain text: lines are read and written, so it works through pipes."""

from typing import TextIO

from wizard_env import ACTIONS, Agent
from wizard_env.agents.human import read_action
from wizard_env.play.narration import narrate_advice, narrate_event, narrate_last_trick
from wizard_env.play.session import Session
from wizard_env.render.text import text

HELP = (
    "Type a card (TS), a bid (3) or a suit (H); or: hint, back (takes your last choice back), last (trick), "
    "help, quit.\nCards are rank and suit: S spades, H hearts, D diamonds, C clubs; WI a Wizard, JE a Jester."
)


class PlainTerminal:
    """Plays a table to its end, or until its input ends or says quit."""

    def __init__(self, session: Session, seat: int, adviser: Agent, stdin: TextIO, stdout: TextIO) -> None:
        """Sit down.

        Args:
            session: in which nobody else is a person.
            seat: whose hand is shown.
            adviser: gives hints.
            stdin: answers are read from here, a line each.
            stdout: everything is written here.
        """
        self._session = session
        self._seat = seat
        self._adviser = adviser
        self._stdin = stdin
        self._stdout = stdout
        self._told = len(session.events)

    def run(self) -> None:
        """Play on."""
        self._say(HELP)
        while self._session.seat is not None:
            if self._session.waits_for_an_agent:
                self._session.advance()
            else:
                self._tell_events()
                self._say("", text(self._session.game.scene(self._seat)))
                if not self._ask():
                    return
        self._tell_events()
        self._say("", str(self._session.game))

    def _ask(self) -> bool:
        """Let the person choose. Returns whether the game goes on."""
        legal = ", ".join(ACTIONS[action].split()[1] for action in self._session.game.legal_actions())
        while True:
            self._stdout.write(f"Your choice of {legal}: ")
            self._stdout.flush()
            answer = self._stdin.readline()
            word = answer.strip().lower()
            if not answer or word == "quit":
                self._say("")
                return False
            try:
                if word == "hint":
                    self._say(*narrate_advice(self._session.advise(self._adviser)))
                elif word == "last":
                    self._say(narrate_last_trick(self._session, self._seat))
                elif word == "help":
                    self._say(HELP)
                elif word == "back":
                    self._session.take_back(self._seat)
                    self._told = len(self._session.events)
                    return True
                else:
                    self._session.act(self._seat, read_action(answer, self._session.game))
                    return True
            except ValueError as wrong:
                self._say(str(wrong))

    def _tell_events(self) -> None:
        for event in self._session.events[self._told :]:
            self._say(*narrate_event(self._session, event, self._seat))
        self._told = len(self._session.events)

    def _say(self, *lines: str) -> None:
        self._stdout.write("\n".join(lines) + "\n")
        self._stdout.flush()
