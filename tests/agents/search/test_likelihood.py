"""Worlds weighed by the bids and cards seen."""

from typing import Any

import numpy as np
import pytest

from wizard_env import Game, Rules, View
from wizard_env.agents.search.belief import draw_worlds
from wizard_env.agents.search.likelihood import effective, resample, soften, weigh_worlds
from wizard_env.agents.search.seat_model import HEURISTIC, KINDS, model_likelihood, working_copy
from wizard_env.cards import WIZARD_SHIFT, card_id, pack
from wizard_env.compiled.jit import kernel
from wizard_env.state import HIDDEN, STATE


@kernel([STATE], int, *KINDS)
def _likelihood_now(
    states: Any, action: int, weights: Any, widths: Any, odd: float, temperature: float
) -> float:
    return model_likelihood(states[0], action, working_copy(weights, widths, odd, temperature))


@kernel([np.float64], float)
def _soften(weights: Any, least: float) -> float:
    soften(weights, least)
    return effective(weights)


def _softened(weights: Any, least: float) -> Any:
    softened = weights.copy()
    _soften(softened, least)
    return softened


def _effective(weights: Any) -> float:
    """Worlds that are already enough are left as they are."""
    return float(_soften(weights.copy(), 0.0))


RNG = np.random.default_rng(0)
HANDS = ["5H 6H 7H", "WI WI AC", "2D 3D 4D"]


def dealer_to_bid(**rules: str) -> Game:
    """Seat 1 has bid three, seat 2 nothing; the dealer bids last."""
    game = Game.from_deal(Rules(3, **rules), dealer=0, hands=HANDS, upcard="KC")  # type: ignore[arg-type]
    game.step("bid 3")
    game.step("bid 0")
    return game


def test_a_seat_that_bid_three_holds_strong_cards() -> None:
    """The real hands weigh far more than the same hands swapped."""
    game = dealer_to_bid()
    worlds = np.stack([game.state, game.state], axis=1)
    worlds["hands"][0, 1, [1, 2]] = worlds["hands"][0, 0, [2, 1]]
    right, wrong = weigh_worlds(View.of([game]), worlds)[0]
    assert 1 >= right > 100 * wrong > 0


def test_weighed_worlds_have_more_wizards_behind_a_high_bid() -> None:
    view = View.of([dealer_to_bid()])
    worlds = draw_worlds(view, 2000, RNG)
    weights = weigh_worlds(view, worlds)[0]
    wizards = (worlds["hands"][0, :, :3] >> WIZARD_SHIFT) & 7
    plain, weighed = wizards.mean(axis=0), np.average(wizards, axis=0, weights=weights)
    assert weighed[1] > 1.3 * plain[1]
    assert weighed[2] < plain[2]


def after_a_low_heart() -> Game:
    """Seat 0 has led a heart and needs a trick; seat 1 needs one too and has played the 3."""
    hands = ["KH 2S 3S", "3H 7C 8C", "4H 9D TD"]
    game = Game.from_deal(Rules(3), dealer=2, hands=hands, upcard="2D")
    for action in ("bid 1", "bid 2", "bid 0", "play KH", "play 3H"):
        game.step(action)
    return game


def test_a_seat_that_needs_tricks_and_plays_low_has_no_higher_card() -> None:
    """For seat 2, the ace is unlikely to be with the seat that needs tricks and played the 3."""
    game = after_a_low_heart()
    worlds = np.stack([game.state, game.state], axis=1)
    worlds["hands"][0, 1, 1] = pack([card_id("AH"), card_id("8C")])
    view = View.of([game])
    assert (weigh_worlds(view, worlds, "nothing") == 1).all()
    assert np.ptp(np.log(weigh_worlds(view, worlds, "bids"))) > 0
    by_bids, by_plays = weigh_worlds(view, worlds, "bids")[0], weigh_worlds(view, worlds)[0]
    without_ace, with_ace = by_plays / by_bids
    assert without_ace > 3 * with_ace


def test_a_weight_is_the_product_over_the_decisions_of_others() -> None:
    """Each is weighed in the position where it was made."""
    rng, rules = np.random.default_rng(1), Rules(4, hand_sizes=(5,))
    for seed in range(20):
        game = Game(rules, seed)
        expected = np.ones(3)  # for seats 0 to 2 as observers: the choices of the others
        while game.phase != "over" and rng.random() > 0.03:
            seat, action = int(game.state["seat"][0]), int(rng.choice(game.legal_actions()))
            others = np.arange(3) != seat
            expected[others] *= _likelihood_now(game.state, action, *HEURISTIC)
            game.step(action)
        if game.phase == "over":
            continue
        for observer in range(3):
            state = game.state.copy()
            state["seat"] = observer
            weight = weigh_worlds(View(state.copy(), copy=False), state[:, np.newaxis])[0, 0]
            np.testing.assert_allclose(weight, expected[observer], rtol=1e-9)


def test_unknown_evidence_is_refused() -> None:
    game = dealer_to_bid()
    with pytest.raises(ValueError, match="allowed are nothing, bids, plays"):
        weigh_worlds(View.of([game]), draw_worlds(View.of([game]), 1, RNG), "tea leaves")


def test_hidden_bids_are_filled_in_and_not_weighed() -> None:
    view = View.of([dealer_to_bid(bid_reveal="secret")])
    worlds = draw_worlds(view, 50, RNG)
    assert (worlds["bids"][0, :, 1:3] == HIDDEN).all()
    assert (weigh_worlds(view, worlds) == 1).all()
    filled = worlds["bids"][0, :, 1:3]
    assert ((filled >= 0) & (filled <= 3)).all()
    assert len(np.unique(filled)) > 1


@pytest.mark.parametrize("start", [0.0, 0.3, 0.999])
def test_resampling_chooses_in_proportion_to_the_weights(start: float) -> None:
    """Systematic resampling: within one of the expected number, in ascending order."""
    weights = np.array([0.5, 0.0, 2.0, 0.25, 1.25])
    chosen = resample(weights, start, 41)
    assert (np.diff(chosen) >= 0).all()
    expected = 41 * weights / weights.sum()
    assert (np.abs(np.bincount(chosen, minlength=5) - expected) <= 1).all()


@pytest.mark.parametrize("least", [3.0, 8.0, 40.0])
def test_softened_weights_leave_enough_worlds(least: float) -> None:
    """They keep their order, and are no softer than needed."""
    weights = np.exp(-np.arange(64.0))
    softened = _softened(weights, least)
    assert least <= _effective(softened) < 1.02 * least
    assert (np.diff(softened) < 0).all()


def test_weights_that_leave_enough_worlds_stay_as_they_are() -> None:
    weights = np.array([0.5, 0.25, 0.25, 0.125])
    assert _softened(weights, 3.0).tolist() == weights.tolist()
    assert _effective(np.ones(7)) == 7
