"""NetworkSearchAgent: what it tries, when it deviates from the network, and that it gains by it."""

from typing import Any

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import Game, Rules, View, action_name
from wizard_env.agents import load
from wizard_env.agents.pretrained import DISTILLED, DISTILLED_TO_WIN, Goal
from wizard_env.agents.search.network_search import TRIED, NetworkSearchAgent
from wizard_env.evaluation.evaluate import evaluate

RNG = np.random.default_rng(0)


def view_of(rules: Rules, count: int = 40) -> View:
    games = under_way(rules, count, seed=5)
    return View(games.states, np.arange(count, dtype=np.uint64))


def test_it_tries_only_legal_actions() -> None:
    """Even when actions of probability 0 may be tried."""
    view = view_of(Rules(3, hand_sizes=(4,)))
    actions = NetworkSearchAgent(worlds=2, likely=0).act(view, RNG)
    assert view.mask[np.arange(len(view)), actions].all()


def test_it_deviates_less_the_more_standard_errors_are_required() -> None:
    """With very many, it deviates only if all worlds agree."""
    view = view_of(Rules(hand_sizes=(6,)), 200)
    network, rng = load("champion:goal=points"), np.random.default_rng(0)
    own = network.act(view, rng)
    shares = [(NetworkSearchAgent(worlds=16, errors=n).act(view, rng) != own).mean() for n in (0, 1, 1e9)]
    assert 0.5 > shares[0] > shares[1] > shares[2] < 0.05


@pytest.mark.parametrize(("value", "bid"), [("points", "bid 0"), ("win", "bid 1")])
def test_to_win_it_bids_what_can_still_win(value: Goal, bid: str) -> None:
    """The last round: 0 brings 20 points most of the time, but only the trick passes both others."""
    rules = Rules(3, hand_sizes=(1,))
    game = Game.from_deal(rules, dealer=0, hands=["8C", "7D", "4H"], upcard="3C", scores=[0, 30, 30])
    game.step("bid 1")
    game.step("bid 1")
    chosen = NetworkSearchAgent(worlds=64, likely=0, value=value).act(View.of([game]), RNG)
    assert action_name(int(chosen[0])) == bid


def test_seats_in_its_worlds_play_for_the_same_goal() -> None:
    view = view_of(Rules(hand_sizes=(6,)))
    for goal, own, other in (("win", DISTILLED_TO_WIN, DISTILLED), ("points", DISTILLED, DISTILLED_TO_WIN)):
        search = f"champion+search:worlds=8,value={goal}"
        names = (search, f"{search},playouts={own}", f"{search},playouts={other}")
        by_default, by_own, by_other = (load(name).act(view, RNG).tolist() for name in names)
        assert by_default == by_own != by_other


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worlds": 1}, "worlds=1: allowed are 2"),
        ({"milliseconds": 0}, "milliseconds=0: a time above 0"),
        ({"likely": 0.5}, "likely=0.5: a share from 0 to below 0.2"),
        ({"errors": -1}, "errors=-1: a number of at least 0"),
        ({"evidence": "hearsay"}, "evidence='hearsay'"),
        ({"value": "fame"}, "value='fame'"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NetworkSearchAgent(**options)
    assert TRIED == 8


@pytest.mark.slow
def test_it_beats_its_network() -> None:
    result = evaluate(["champion+search:worlds=32", *["champion:goal=points"] * 3], Rules(), 12, seed=1)
    assert result.differences[0].points > 0
