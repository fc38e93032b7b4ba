"""NetworkSearchAgent: what it tries, when it listens to the search, and that it gains by it."""

from typing import Any

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.network_search import TRIED, NetworkSearchAgent, play_out
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.agents.search import believe
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS
from wizard_env.state import SCORED
from wizard_env.train.evaluate import evaluate

CHANCE = np.random.default_rng(0)


def view_of(rules: Rules, count: int = 40) -> View:
    games = under_way(rules, count, seed=5)
    return View(games.states, np.arange(count, dtype=np.uint64))


@pytest.mark.parametrize("num_players", range(MIN_PLAYERS, MAX_PLAYERS + 1))
@pytest.mark.parametrize("options", [{}, {"bid_reveal": "secret"}, {"magic_edition": True}])
def test_it_plays_by_all_rules(num_players: int, options: dict[str, Any]) -> None:
    view = view_of(Rules(num_players, hand_sizes=(1, 5), **options))
    actions = NetworkSearchAgent(worlds=2).act(view, CHANCE)
    assert view.mask[np.arange(len(view)), actions].all()


def test_it_tries_legal_actions_only() -> None:
    """Also where actions of no share at all are worth a try."""
    view = view_of(Rules(3, hand_sizes=(4,)))
    actions = NetworkSearchAgent(worlds=2, likely=0).act(view, CHANCE)
    assert view.mask[np.arange(len(view)), actions].all()


def test_it_leaves_the_networks_choice_only_for_a_better_one() -> None:
    """The less, the more standard errors are asked for; by very many, only where all worlds agree."""
    view = view_of(Rules(hand_sizes=(6,)), 200)
    network, rng = load("champion"), np.random.default_rng(0)
    own = network.act(view, rng)
    left = [(NetworkSearchAgent(worlds=8, errors=n).act(view, rng) != own).mean() for n in (0, 1, 1e9)]
    assert 0.5 > left[0] > left[1] > left[2] < 0.02


def test_the_same_words_give_the_same_actions() -> None:
    """Whatever else is in the batch."""
    view, agent = view_of(Rules(hand_sizes=(4,))), NetworkSearchAgent(worlds=4)
    whole = agent.act(view, CHANCE).tolist()
    parts = [agent.act(view.select(rows), CHANCE).tolist() for rows in (range(25), range(25, 40))]
    assert whole == parts[0] + parts[1]


def test_what_is_believed_agrees_with_what_is_known() -> None:
    """The observer's own hand, what was played, and every hidden bid filled in."""
    view = view_of(Rules(4, hand_sizes=(5,), bid_reveal="secret"))
    worlds = believe(view.known, view.noise(CHANCE), 6)
    assert worlds.shape == (40, 6)
    for known, believed in zip(view.known, worlds, strict=True):
        seat = int(known["seat"])
        assert (believed["hands"][:, seat] == known["hands"][seat]).all()
        assert (believed["played"] == known["played"]).all()
        made = known["bids"][:4] != -1
        assert (believed["bids"][:, :4][:, made] >= 0).all()


def test_rounds_are_played_to_their_ends() -> None:
    states = under_way(Rules(3, hand_sizes=(4,)), 20).states.copy()
    heuristic = load("heuristic")
    play_out(states, lambda some: heuristic.act(View(some), CHANCE))
    assert (states["phase"] >= SCORED).all()
    assert (states["points"][:, :3] != 0).all()


def test_time_is_a_limit() -> None:
    """At least one batch is tried, however short the time; one choice needs no trial."""
    agent = NetworkSearchAgent(milliseconds=0.001)
    game = Game.from_deal(Rules(3), dealer=0, hands=["TS JE", "AS 2H", "WI 7S"], upcard="3C")
    assert game.legal_mask()[agent.act(View.of([game]), CHANCE)[0]]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"worlds": 1}, "worlds=1: allowed are 2"),
        ({"milliseconds": 0}, "milliseconds=0: a time above 0"),
        ({"likely": 0.5}, "likely=0.5: a share from 0 to below 0.2"),
        ({"errors": -1}, "errors=-1: a number from 0"),
        ({"evidence": "hearsay"}, "evidence='hearsay'"),
    ],
)
def test_bad_options(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        NetworkSearchAgent(**options)
    assert TRIED == 5


def test_by_name() -> None:
    agent: Any = load("champion+search:milliseconds=50")
    assert isinstance(agent, NetworkSearchAgent)
    assert (agent.network.path, agent.milliseconds) == (CHAMPION, 50)


@pytest.mark.slow
def test_it_beats_its_network() -> None:
    result = evaluate(["champion+search:worlds=32", *["champion"] * 3], Rules(), 12, seed=1)
    assert result.differences[0].points > 0
