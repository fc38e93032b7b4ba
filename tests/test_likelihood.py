"""Worlds weighed by the bids seen."""

import numpy as np

from agents.belief import draw_worlds
from agents.likelihood import weigh_worlds
from wizard_env import Game, Rules, View
from wizard_env.cards import WIZARD_SHIFT
from wizard_env.state import HIDDEN

CHANCE = np.random.default_rng(0)
HANDS = ["5H 6H 7H", "WI WI AC", "2D 3D 4D"]


def dealer_to_bid(**rules: str) -> Game:
    """Seat 1 has bid three, seat 2 nothing; the dealer bids last."""
    game = Game.from_deal(Rules(3, **rules), dealer=0, hands=HANDS, upcard="KC")  # type: ignore[arg-type]
    game.step("bid 3")
    game.step("bid 0")
    return game


def test_who_bid_three_holds_strong_cards() -> None:
    """The hands as they are weigh far more than the same hands the other way about."""
    game = dealer_to_bid()
    worlds = np.stack([game.state, game.state], axis=1)
    worlds["hands"][0, 1, [1, 2]] = worlds["hands"][0, 0, [2, 1]]
    right, wrong = weigh_worlds(View.of([game]), worlds)[0]
    assert 1 >= right > 100 * wrong > 0


def test_weighed_worlds_hold_more_wizards_where_they_were_bid_on() -> None:
    view = View.of([dealer_to_bid()])
    worlds = draw_worlds(view, 2000, CHANCE)
    weights = weigh_worlds(view, worlds)[0]
    wizards = (worlds["hands"][0, :, :3] >> WIZARD_SHIFT) & 7
    plain, weighed = wizards.mean(axis=0), np.average(wizards, axis=0, weights=weights)
    assert weighed[1] > 1.3 * plain[1]
    assert weighed[2] < plain[2]


def test_hidden_bids_are_filled_in_and_tell_nothing() -> None:
    view = View.of([dealer_to_bid(bid_reveal="secret")])
    worlds = draw_worlds(view, 50, CHANCE)
    assert (worlds["bids"][0, :, 1:3] == HIDDEN).all()
    assert (weigh_worlds(view, worlds) == 1).all()
    filled = worlds["bids"][0, :, 1:3]
    assert ((filled >= 0) & (filled <= 3)).all()
    assert len(np.unique(filled)) > 1
