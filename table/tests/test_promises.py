"""Hints keep their promises of points and of met bids, beside the levels of the lobby."""

import numpy as np
import pytest

from table.tools.promises import JUDGE, measure
from wizard_env import Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.search.network_search import guess_players
from wizard_env.agents.search.seat_model import BY_HEURISTIC, BY_NETWORK
from wizard_env.evaluation.advice import Advice, advise

POINTS = 3
"""By which a promise may miss what comes, on average over 400 bids."""


def test_medium_plays_as_itself() -> None:
    """The acting seat, people, and agents of other names stay as the adviser guesses them."""
    game = Game(Rules(4, hand_sizes=(7,)), seed=2)
    view = View.of([game, game])
    guesses = load(JUDGE).guess_seats(view)  # type: ignore[attr-defined]
    acting = int(view.seat[0])
    players: list[str | None] = ["heuristic"] * 4
    players[(acting + 1) % 4], players[(acting + 2) % 4] = "rule_based", None
    found = guess_players(guesses, view.seat, players)
    expected = [BY_NETWORK, BY_NETWORK, BY_NETWORK, BY_HEURISTIC]
    for row in range(2):
        assert [found["kind"][row, (acting + left) % 4] for left in range(4)] == expected
    assert (guesses["kind"][:, :4] == BY_NETWORK).all()


def test_hints_depend_on_who_sits_there() -> None:
    """The names of a game's players count, unless others are given."""
    game = Game(Rules(4, hand_sizes=(7,)), seed=2)

    def told(players: list[str | None] | None = None) -> Advice:
        return advise(load("champion+search:worlds=8"), game, players)

    nobody, medium = told(), told(["heuristic"] * 4)
    assert medium != nobody
    game.players = ("heuristic",) * 4
    assert told() == medium
    assert told([None] * 4) == nobody


def test_promises_beside_an_easy_player() -> None:
    """Some bids; a promise of every hint that is five points too high or low fails."""
    found = measure("rule_based", 12, Rules(3, hand_sizes=(1, 2, 3)))
    assert found.bids == 36
    assert abs(found.points - found.came) < max(POINTS, 2 * found.error)
    assert found.error < 4
    assert abs(found.met - found.came_met) < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["rule_based", "heuristic", "champion+search:worlds=32", "adaptive"])
def test_promises_beside_a_level(opponent: str) -> None:
    """Beside three of Hard they are 3.3 points too high, with a standard error of 1.2."""
    found = measure(opponent, 27, Rules(4))
    assert found.bids > 400
    assert abs(found.points - found.came) < POINTS
    assert np.isclose(found.met, found.came_met, atol=0.06)
