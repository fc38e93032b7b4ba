"""HumanAgent: somebody who reads the table and types."""

import sys
import textwrap
from typing import TextIO

import numpy as np

from wizard_env.actions import ACTIONS, IllegalAction
from wizard_env.cards import SUITS, card_names
from wizard_env.game import Game
from wizard_env.render.text import SUIT_NAMES, text
from wizard_env.view import Actions, View

_WIDTH = 100
_IDS = {words: action for action, name in enumerate(ACTIONS) for words in (name.upper(), name.split()[1])}
"""Names, and what stands behind the verb: no two actions share it, and a bid's number is its id."""


class HumanAgent:
    """Shows each decision as its seat sees it, and asks for an action until it gets a legal one.

    An action is typed as its id, its name, as in "play TS", or what stands behind the verb, as in "TS",
    "3" or "H", in capitals or not.
    """

    def __init__(self, stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
        """Sit down.

        Args:
            stdin: where answers are read from, a line each; None is `sys.stdin`.
            stdout: where the table is shown; None is `sys.stdout`.

        Raises:
            TypeError: one of them is no text stream, such as the name of one.
        """
        for name, stream, method in (("stdin", stdin, "readline"), ("stdout", stdout, "write")):
            if stream is not None and not hasattr(stream, method):
                raise TypeError(f"{name}={stream!r}: a text stream is needed")
        self._stdin = stdin
        self._stdout = stdout

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Ask for one decision after the other. Raises EOFError if the input ends before the last."""
        return np.array([self._ask(view, row) for row in range(len(view))], np.int64)

    def _ask(self, view: View, row: int) -> int:
        game = Game.from_state(view.rules(row), view.information(row))
        self._write(_table(game))
        while True:
            self._write(f"Seat {game.seat}> ")
            answer = (sys.stdin if self._stdin is None else self._stdin).readline()
            if not answer:
                raise EOFError(f"the input ended before seat {game.seat} chose an action")
            try:
                return read_action(answer, game)
            except ValueError as wrong:
                self._write(f"{wrong}\n")

    def _write(self, words: str) -> None:
        stream = sys.stdout if self._stdout is None else self._stdout
        stream.write(words)
        stream.flush()


def _table(game: Game) -> str:
    """The table as the acting seat sees it, what was played this round, and the legal actions."""
    legal = ", ".join(f"{ACTIONS[action]} ({action})" for action in game.legal_actions())
    lines = ["", text(game.scene(game.seat)), *_played(game)]
    lines += textwrap.wrap(f"Your actions: {legal}", _WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def _played(game: Game) -> list[str]:
    """A line for each seat that has played a card this round."""
    lines = []
    for seat in range(game.rules.num_players):
        cards = " ".join(card_names(game.state["played"][0, seat]))
        voids = [
            SUIT_NAMES[suit] for bit, suit in enumerate(SUITS) if game.state["voids"][0, seat] >> bit & 1
        ]
        shown = f"; it has shown to be void in {', '.join(voids)}" if voids else ""
        if cards:
            lines.append(f"Seat {seat} has played {cards}{shown}")
    return lines


def read_action(answer: str, game: Game) -> int:
    """The legal action that was typed, as an id, a name, or what stands behind the verb.

    Raises ValueError with the reason if there is none.
    """
    words = " ".join(answer.upper().split())
    action = _IDS.get(words)
    if action is None and words.isdecimal():
        action = int(words)
    if action is None:
        short = ", ".join(ACTIONS[action].split()[1] for action in game.legal_actions())
        raise ValueError(f"{answer.strip()!r} is no action: type an id, a name, or one of {short}")
    if action not in game.legal_actions():
        raise IllegalAction(game.why_not(action))
    return action
