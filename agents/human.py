"""HumanAgent: a person who reads the game and types actions."""

import sys
import textwrap
from typing import TextIO

import numpy as np

from wizard_env.actions import ACTIONS
from wizard_env.cards import SUITS, card_names
from wizard_env.checks import quoted
from wizard_env.game import Game
from wizard_env.render.ansi import SUIT_NAMES, text
from wizard_env.view import Actions, View

_WIDTH = 100
_IDS = {words: action for action, name in enumerate(ACTIONS) for words in (name.upper(), name.split()[1])}
"""Ids by name and by the part after the verb, which is unique; a bid's number is also its id."""


class HumanAgent:
    """Shows each decision as its seat sees it, and asks for an action until it gets a legal one.

    An action is typed as its id, its name ("play TS"), or the part after the verb ("TS", "3", "H"), in
    upper or lower case.
    """

    def __init__(self, stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
        """Choose the text streams; None is `sys.stdin`, `sys.stdout`."""
        for name, stream, method in (("stdin", stdin, "readline"), ("stdout", stdout, "write")):
            if stream is not None and not hasattr(stream, method):
                raise TypeError(f"{name}={quoted(stream)}: a text stream is needed")
        self._stdin = stdin
        self._stdout = stdout

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Ask for each decision in turn. Raises EOFError if the input ends before the last one."""
        return np.array([self._ask(view, row) for row in range(len(view))], np.int64)

    def _ask(self, view: View, row: int) -> int:
        game = Game.from_state(view.rules(row), view.information(row), view.finished_rounds[row])
        self._write(_describe(game))
        while True:
            self._write(f"Seat {game.seat}> ")
            answer = (sys.stdin if self._stdin is None else self._stdin).readline()
            if not answer:
                raise EOFError(f"the input ended before seat {game.seat} chose an action")
            try:
                return read_action(answer, game)
            except ValueError as error:
                self._write(f"{error}\n")

    def _write(self, words: str) -> None:
        stream = sys.stdout if self._stdout is None else self._stdout
        stream.write(words)
        stream.flush()


def _describe(game: Game) -> str:
    legal = ", ".join(f"{ACTIONS[action]} ({action})" for action in game.legal_actions())
    lines = ["", text(game.scene(game.seat)), *_played(game)]
    lines += textwrap.wrap(f"Your actions: {legal}", _WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def _played(game: Game) -> list[str]:
    """Write a line for each seat that has played a card this round."""
    lines = []
    for seat in range(game.rules.num_players):
        cards = " ".join(card_names(game.state["played"][0, seat]))
        voids = [
            SUIT_NAMES[suit] for bit, suit in enumerate(SUITS) if game.state["voids"][0, seat] >> bit & 1
        ]
        shown = f"; it is void in {', '.join(voids)}" if voids else ""
        if cards:
            lines.append(f"Seat {seat} has played {cards}{shown}")
    return lines


def read_action(answer: str, game: Game) -> int:
    """Return the legal action that was typed as an id, a name, or the part after the verb.

    Raises ValueError if it is unknown, and IllegalAction, which is one, if it is illegal, with the reason.
    """
    words = " ".join(answer.upper().split())
    action = _IDS.get(words)
    if action is None and words.isdecimal():
        action = int(words)
    if action is None:
        short = ", ".join(ACTIONS[action].split()[1] for action in game.legal_actions())
        raise ValueError(f"unknown action {quoted(answer.strip())}: type an id, a name, or one of {short}")
    game.check(action)
    return action
