"""The puzzles of the drills: decisions with one clearly best choice, and the figures of every choice.

`table/tools/puzzles.py` finds them; the file has one on each line.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from wizard_env import Rules
from wizard_env.session import Session
from wizard_table.web.views import view_of

PUZZLES = Path(__file__).parent / "puzzles.json"
EQUAL = 1.0
"""Points by which equal cards may differ: as much as an answer may fall short and be right."""


class Puzzle(TypedDict):
    """A decision in a round that is a game of its own."""

    players: int
    hand_size: int
    seed: int
    actions: list[str]
    """Those taken before, from the deal on."""
    choices: list[tuple[str, float, float, float]]
    """Every legal action, the best first: its points, the chance that the bid is met, and the standard error
    of the points that it brings less than the best."""


def read_puzzles() -> list[Puzzle]:
    puzzles: list[Puzzle] = json.loads(PUZZLES.read_text(encoding="utf-8"))
    return puzzles


def session_of(puzzle: Puzzle) -> Session:
    """Play the round up to the decision."""
    players = puzzle["players"]
    session = Session(Rules(players, hand_sizes=(puzzle["hand_size"],)), [None] * players, puzzle["seed"])
    for action in puzzle["actions"]:
        assert session.game.seat is not None
        session.act(session.game.seat, action)
    return session


@cache
def show_puzzles() -> list[dict[str, Any]]:
    """Return each puzzle for the page: the view of the seat that acts, and the choices as in advice."""
    shown = []
    for puzzle in read_puzzles():
        session = session_of(puzzle)
        names = [f"seat {seat + 1}" for seat in range(puzzle["players"])]
        fields = ("action", "points", "met", "error")
        best = puzzle["choices"][0][1]
        choices = [
            dict(zip(fields, choice, strict=True)) | {"as_good": best - choice[1] < EQUAL, "why": ""}
            for choice in puzzle["choices"]
        ]
        view = view_of(session, session.game.seat) | {"names": names}
        shown.append({"name": f"{puzzle['seed']}", "view": view, "choices": choices})
    return shown
