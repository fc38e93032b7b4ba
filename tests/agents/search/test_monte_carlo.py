"""SearchAgent: what it tries, what it believes, and that it beats the heuristic."""

from typing import Any

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import Game, Rules, View, action_name
from wizard_env.agents.search.monte_carlo import BIDS_TRIED, SearchAgent
from wizard_env.agents.search.playouts import BATCH
from wizard_env.compiled.jit import config
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS

RNG = np.random.default_rng(0)


def views(rules: Rules, count: int = 24) -> View:
    games = under_way(rules, count, seed=5)
    return View(games.states, np.arange(count, dtype=np.uint64))


@pytest.mark.parametrize("num_players", range(MIN_PLAYERS, MAX_PLAYERS + 1))
def test_it_tries_only_legal_actions(num_players: int) -> None:
    """And only a few bids."""
    view = views(Rules(num_players, hand_sizes=(7,)))
    points = SearchAgent(worlds=4).expect(view, RNG)
    tried = ~np.isnan(points)
    assert (tried <= (view.mask == 1)).all()
    bids = view.known["phase"] == 1
    assert (tried[bids].sum(axis=1) <= BIDS_TRIED).all()
    assert bids.any()
    assert (np.nanmax(points, axis=1) <= 20 + 10 * 7).all()
    assert (np.nanmin(points, axis=1) >= -10 * 7).all()


def test_it_tries_the_lowest_of_equal_cards() -> None:
    """Equal: every rank between them is held, was played in a finished trick, or was turned up."""
    hands = ["2S 4S 5S 9S WI", "3S 7D 8D 9D TD", "8S 2C 3C 4C 5C"]
    game = Game.from_deal(Rules(3), dealer=2, hands=hands, upcard="7S")
    for action in ("bid 1", "bid 1", "bid 1"):
        game.step(action)
    assert tried_cards(game) == ["2S", "4S", "9S", "WI"]
    for action in ("play 2S", "play 3S", "play 8S"):
        game.step(action)
    assert tried_cards(game) == ["2C"]
    game.step("play 2C")
    assert tried_cards(game) == ["4S", "9S", "WI"]


def test_the_magic_two_equals_no_other_card() -> None:
    hands = ["2S 3S 4S", "7D 8D 9D", "2C 3C 4C"]
    game = Game.from_deal(Rules(3, magic_edition=True), dealer=2, hands=hands, upcard="7S")
    for action in ("bid 1", "bid 1", "bid 1"):
        game.step(action)
    assert tried_cards(game) == ["2S", "3S"]


def tried_cards(game: Game) -> list[str]:
    points = SearchAgent(worlds=2).expect(View.of([game]), RNG)[0]
    return [action_name(action).removeprefix("play ") for action in (~np.isnan(points)).nonzero()[0]]


@pytest.mark.skipif(config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_number_of_threads_changes_nothing() -> None:
    view = views(Rules(5, hand_sizes=(6,)))
    worlds = 3 * BATCH
    one, two = (SearchAgent(worlds, threads=threads).expect(view, RNG) for threads in (1, 2))
    assert np.array_equal(one, two, equal_nan=True)


def test_a_time_limit() -> None:
    """Actions are legal, from at least one batch per decision."""
    view = views(Rules(4, hand_sizes=(3,)), 6)
    actions = SearchAgent(milliseconds=1).act(view, RNG)
    assert view.mask[np.arange(6), actions].all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"worlds": 0}, "worlds"), ({"threads": 0}, "threads"), ({"milliseconds": 0}, "milliseconds")],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SearchAgent(**options)


@pytest.mark.parametrize(
    "num_players",
    [
        MIN_PLAYERS,
        *(pytest.param(count, marks=pytest.mark.slow) for count in range(MIN_PLAYERS + 1, MAX_PLAYERS + 1)),
    ],
)
def test_it_beats_the_heuristic(num_players: int) -> None:
    """Alone against heuristics, with few worlds and some hand sizes; the intervals do not overlap."""
    rules = Rules(num_players, hand_sizes=(2, 4, 6, 8))
    field = ["search:worlds=32"] + ["heuristic"] * (num_players - 1)
    mine, theirs = evaluate(field, rules, 40, seed=3).standings
    assert mine.points_low > theirs.points_high
