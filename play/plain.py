"""A seat at a table in plain text: lines are read and written, so it works through pipes."""

from typing import TextIO

from agents.human import read_action
from play.table import Table
from play.words import tell_advice, tell_event, tell_last_trick
from wizard_env import ACTIONS, Agent
from wizard_env.render import text

HELP = (
    "Type a card (TS), a bid (3) or a suit (H); or: hint, back (takes your last choice back), last (trick), "
    "help, quit.\nCards are rank and suit: S spades, H hearts, D diamonds, C clubs; WI a Wizard, JE a Jester."
)


class PlainTerminal:
    """Plays a table to its end, or until its input ends or says quit."""

    def __init__(self, table: Table, seat: int, adviser: Agent, stdin: TextIO, stdout: TextIO) -> None:
        """Sit down.

        Args:
            table: at which nobody else is a person.
            seat: whose hand is shown.
            adviser: gives hints.
            stdin: answers are read from here, a line each.
            stdout: everything is written here.
        """
        self._table = table
        self._seat = seat
        self._adviser = adviser
        self._stdin = stdin
        self._stdout = stdout
        self._told = len(table.events)

    def run(self) -> None:
        """Play on."""
        self._say(HELP)
        while self._table.seat is not None:
            if self._table.waits_for_an_agent:
                self._table.advance()
            else:
                self._tell_events()
                self._say("", text(self._table.game, self._seat))
                if not self._ask():
                    return
        self._tell_events()
        self._say("", text(self._table.game))

    def _ask(self) -> bool:
        """Let the person choose. Returns whether the game goes on."""
        legal = ", ".join(ACTIONS[action].split()[1] for action in self._table.game.legal_actions())
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
                    self._say(*tell_advice(self._table.advise(self._adviser)))
                elif word == "last":
                    self._say(tell_last_trick(self._table, self._seat))
                elif word == "help":
                    self._say(HELP)
                elif word == "back":
                    self._table.take_back(self._seat)
                    self._told = len(self._table.events)
                    return True
                else:
                    self._table.act(self._seat, read_action(answer, self._table.game))
                    return True
            except ValueError as wrong:
                self._say(str(wrong))

    def _tell_events(self) -> None:
        for event in self._table.events[self._told :]:
            self._say(*tell_event(self._table, event, self._seat))
        self._told = len(self._table.events)

    def _say(self, *lines: str) -> None:
        self._stdout.write("\n".join(lines) + "\n")
        self._stdout.flush()
