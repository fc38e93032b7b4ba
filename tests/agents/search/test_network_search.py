"""NetworkSearchAgent: what it tries, when it deviates from the network, and that it gains by it."""

from typing import Any

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.network import NetworkAgent
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.agents.search.likelihood import sample_worlds
from wizard_env.agents.search.network_search import TRIED, NetworkSearchAgent
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS

RNG = np.random.default_rng(0)


def view_of(rules: Rules, count: int = 40) -> View:
    games = under_way(rules, count, seed=5)
    return View(games.states, np.arange(count, dtype=np.uint64))


@pytest.mark.parametrize("num_players", range(MIN_PLAYERS, MAX_PLAYERS + 1))
@pytest.mark.parametrize("options", [{}, {"bid_reveal": "secret"}, {"magic_edition": True}])
def test_it_plays_by_all_rules(num_players: int, options: dict[str, Any]) -> None:
    view = view_of(Rules(num_players, hand_sizes=(1, 5), **options))
    actions = NetworkSearchAgent(worlds=2).act(view, RNG)
    assert view.mask[np.arange(len(view)), actions].all()


def test_it_tries_only_legal_actions() -> None:
    """Even when actions of probability 0 may be tried."""
    view = view_of(Rules(3, hand_sizes=(4,)))
    actions = NetworkSearchAgent(worlds=2, likely=0).act(view, RNG)
    assert view.mask[np.arange(len(view)), actions].all()


def test_it_deviates_less_the_more_standard_errors_are_required() -> None:
    """With very many, it deviates only if all worlds agree."""
    view = view_of(Rules(hand_sizes=(6,)), 200)
    network, rng = load("champion"), np.random.default_rng(0)
    own = network.act(view, rng)
    shares = [(NetworkSearchAgent(worlds=16, errors=n).act(view, rng) != own).mean() for n in (0, 1, 1e9)]
    assert 0.5 > shares[0] > shares[1] > shares[2] < 0.05


def test_the_same_random_words_give_the_same_actions() -> None:
    """Whatever else is in the batch."""
    view, agent = view_of(Rules(hand_sizes=(4,))), NetworkSearchAgent(worlds=4)
    whole = agent.act(view, RNG).tolist()
    parts = [agent.act(view.select(rows), RNG).tolist() for rows in (range(25), range(25, 40))]
    assert whole == parts[0] + parts[1]


def test_sampled_worlds_fit_what_is_known() -> None:
    """They have the observer's hand, the cards played, and a bid in place of every hidden one."""
    view = view_of(Rules(4, hand_sizes=(5,), bid_reveal="secret"))
    worlds = sample_worlds(view, 6, RNG)
    assert worlds.shape == (40, 6)
    for known, drawn in zip(view.known, worlds, strict=True):
        seat = int(known["seat"])
        assert (drawn["hands"][:, seat] == known["hands"][seat]).all()
        assert (drawn["played"] == known["played"]).all()
        made = known["bids"][:4] != -1
        assert (drawn["bids"][:, :4][:, made] >= 0).all()


def test_a_very_short_time_limit() -> None:
    """At least one batch is tried."""
    agent = NetworkSearchAgent(milliseconds=0.001)
    game = Game.from_deal(Rules(3), dealer=0, hands=["TS JE", "AS 2H", "WI 7S"], upcard="3C")
    assert game.legal_mask()[agent.act(View.of([game]), RNG)[0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worlds": 1}, "worlds=1: allowed are 2"),
        ({"milliseconds": 0}, "milliseconds=0: a time above 0"),
        ({"likely": 0.5}, "likely=0.5: a share from 0 to below 0.2"),
        ({"errors": -1}, "errors=-1: a number of at least 0"),
        ({"evidence": "hearsay"}, "evidence='hearsay'"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NetworkSearchAgent(**options)
    assert TRIED == 8


def test_it_is_loaded_by_name() -> None:
    agent: Any = load("champion+search:milliseconds=50")
    assert isinstance(agent, NetworkSearchAgent)
    assert isinstance(agent.network, NetworkAgent)
    assert (agent.network.path, agent.playouts.milliseconds) == (CHAMPION, 50)


@pytest.mark.slow
def test_it_beats_its_network() -> None:
    result = evaluate(["champion+search:worlds=32", *["champion"] * 3], Rules(), 12, seed=1)
    assert result.differences[0].points > 0
