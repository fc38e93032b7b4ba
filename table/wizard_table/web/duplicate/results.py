"""Results of a match: how far everybody has come with the same deals, and with how many points."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from wizard_env import Game, Rules
from wizard_env.session import PERSON, place_of
from wizard_table.web.tables.setup import Setup
from wizard_table.web.tables.store import Stored

_KEPT = 1000
"""Games whose score is kept; the least recently used is dropped."""


class Score(NamedTuple):
    """The score of a game so far."""

    points: list[int]
    rounds: int
    """The rounds that are over."""
    is_over: bool


def list_results(stored: Sequence[Stored], own: str | None = None) -> list[dict[str, Any]]:
    """List the tables of a match, the best finished game first, then those under way by their rounds.

    Returns for each {"name", "points", "place": the person's among the seats of the table, "rounds": the
    number that are over, "over": whether all are, "hinted", "taken_back", "own": whether it is the table
    of that name}.
    """
    results = [_result(one, one.name == own) for one in stored]
    return sorted(results, key=lambda one: (not one["over"], -one["rounds"], -one["points"]))


def _result(stored: Stored, is_own: bool) -> dict[str, Any]:
    setup = Setup.from_json(stored.setup)
    seat = setup.seats.index(None)
    score = _score_of(setup.rules, setup.seed, tuple(stored.history))
    return {
        "name": setup.people.get(seat, PERSON),
        "points": score.points[seat],
        "place": place_of(score.points, seat),
        "rounds": score.rounds,
        "over": score.is_over,
        "hinted": seat in setup.hinted,
        "taken_back": seat in setup.taken_back,
        "own": is_own,
    }


@lru_cache(_KEPT)
def _score_of(rules: Rules, seed: int, history: tuple[int, ...]) -> Score:
    game = Game(rules, seed)
    for action in history:
        game.step(action)
    return Score(list(game.scores), len(game.rounds), game.seat is None)
