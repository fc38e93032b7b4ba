"""Worlds weighed by the bids and cards seen."""

from typing import Any

import numpy as np
import pytest

from wizard_env import Agent, Game, Games, Rules, View
from wizard_env.actions import FIRST_BID
from wizard_env.agents import load
from wizard_env.agents.search.belief import draw_worlds
from wizard_env.agents.search.likelihood import (
    effective_sample_size,
    replay_bidding,
    replay_tricks,
    resample,
    sample_worlds,
    temper,
)
from wizard_env.agents.search.seat_model import (
    HEURISTIC,
    RULE_BASED,
    likelihood_of,
    new_workspace,
)
from wizard_env.cards import WIZARD_SHIFT
from wizard_env.state import HIDDEN, NOT_BID, STATE

RNG = np.random.default_rng(0)
HANDS = ["5H 6H 7H", "WI WI AC", "2D 3D 4D"]


def weigh(world: Any, evidence: str = "plays") -> float:
    """The likelihood of what the acting seat of a world saw the others do."""
    past, workspace = np.empty(1, STATE), new_workspace(HEURISTIC, HEURISTIC.guesses(1)[0])
    likelihood = replay_bidding(world, past, evidence != "nothing", workspace)
    return likelihood * (replay_tricks(world, past[0], workspace) if evidence == "plays" else 1)


def dealer_to_bid(**rules: str) -> Game:
    """Seat 1 has bid three, seat 2 nothing; the dealer bids last."""
    game = Game.from_deal(Rules(3, **rules), dealer=0, hands=HANDS, upcard="KC")  # type: ignore[arg-type]
    game.step("bid 3")
    game.step("bid 0")
    return game


def test_weighed_worlds_have_more_wizards_behind_a_high_bid() -> None:
    view = View.of([dealer_to_bid()])
    plain, weighed = (
        ((draw(view, 2000, RNG)["hands"][0, :, :3] >> WIZARD_SHIFT) & 7).mean(axis=0)
        for draw in (draw_worlds, sample_worlds)
    )
    assert weighed[1] > 1.3 * plain[1]
    assert weighed[2] < plain[2]


def test_worlds_fit_the_bids_of_the_seats_own_models() -> None:
    """Three rule_based have bid: it would have made more of these bids with the hands of the worlds."""
    games, rule_based = Games(Rules(4, hand_sizes=(4,)), 40, seed=2), load("rule_based")
    for _ in range(3):
        games.step(rule_based.act(games.view(), RNG))
    view = games.view((games.seat == games.states["dealer"]).nonzero()[0])  # elsewhere one has named a trump
    fits = []
    for model in (HEURISTIC, RULE_BASED):
        guesses = model.guesses(len(view))
        worlds = sample_worlds(view, 32, RNG, model=HEURISTIC, guesses=guesses).ravel()
        bids = [made_bids(worlds, step) == asked_bids(rule_based, worlds, step) for step in (1, 2, 3)]
        fits.append(np.mean(bids))
    assert fits[1] > fits[0] + 0.05


def made_bids(worlds: Any, step: int) -> Any:
    """The bid of the seat that is some steps before the acting one."""
    return worlds["bids"][np.arange(len(worlds)), (worlds["seat"] - step) % 4]


def asked_bids(agent: Agent, worlds: Any, step: int) -> Any:
    asked = worlds.copy()
    asked["seat"] = (worlds["seat"] - step) % 4
    for later in range(1, step + 1):
        asked["bids"][np.arange(len(worlds)), (worlds["seat"] - later) % 4] = NOT_BID
    return agent.act(View(asked), RNG) - FIRST_BID


def test_a_weight_is_the_product_over_the_decisions_of_others() -> None:
    """Each is weighed in the position where it was made."""
    rng, rules = np.random.default_rng(1), Rules(4, hand_sizes=(5,))
    workspace = new_workspace(HEURISTIC, HEURISTIC.guesses(1)[0])
    for seed in range(20):
        game = Game(rules, seed)
        expected = np.ones(3)  # for seats 0 to 2 as observers: the choices of the others
        while game.phase != "over" and rng.random() > 0.03:
            seat, action = int(game.state["seat"][0]), int(rng.choice(game.legal_actions()))
            others = np.arange(3) != seat
            expected[others] *= likelihood_of(action, game.state[0], workspace)
            game.step(action)
        if game.phase == "over":
            continue
        for observer in range(3):
            state = game.state.copy()
            state["seat"] = observer
            np.testing.assert_allclose(weigh(state[0]), expected[observer], rtol=1e-9)


def test_hidden_bids_are_filled_in_and_not_weighed() -> None:
    view = View.of([dealer_to_bid(bid_reveal="secret")])
    worlds = draw_worlds(view, 50, RNG)
    assert (worlds["bids"][0, :, 1:3] == HIDDEN).all()
    assert {weigh(world) for world in worlds[0]} == {1}
    filled = worlds["bids"][0, :, 1:3]
    assert ((filled >= 0) & (filled <= 3)).all()
    assert len(np.unique(filled)) > 1


@pytest.mark.parametrize("start", [0.0, 0.3, 0.999])
def test_resampling_chooses_in_proportion_to_the_weights(start: float) -> None:
    """Systematic resampling: within one of the expected number, in ascending order."""
    weights = np.array([0.5, 0.0, 2.0, 0.25, 1.25])
    chosen = np.empty(41, np.int64)
    resample(weights, start, chosen)
    assert (np.diff(chosen) >= 0).all()
    expected = 41 * weights / weights.sum()
    assert (np.abs(np.bincount(chosen, minlength=5) - expected) <= 1).all()


def tempered(weights: Any, least: float) -> Any:
    changed = weights.copy()
    temper(changed, least)
    return changed


@pytest.mark.parametrize("least", [3.0, 8.0, 40.0])
def test_tempered_weights_leave_enough_worlds(least: float) -> None:
    """They keep their order, and are tempered no more than needed."""
    weights = tempered(np.exp(-np.arange(64.0)), least)
    assert least <= effective_sample_size(weights) < 1.02 * least
    assert (np.diff(weights) < 0).all()


def test_weights_that_leave_enough_worlds_stay_as_they_are() -> None:
    weights = np.array([0.5, 0.25, 0.25, 0.125])
    assert tempered(weights, 3.0).tolist() == weights.tolist()
    assert effective_sample_size(np.ones(7)) == 7
