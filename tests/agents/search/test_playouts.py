"""Actions tried in worlds: what they bring on average, and the chance of meeting the bid."""

import numpy as np
import pytest

from wizard_env import ACTIONS, Game, Rules, View
from wizard_env.agents.search.playouts import estimate_bid_chances


def of(game: Game, worlds: int = 64) -> dict[str, float]:
    """The chance of each action of a game that has one."""
    found = estimate_bid_chances(View.of([game]), np.random.default_rng(3), worlds)[0]
    return {ACTIONS[action]: float(found[action]) for action in np.isfinite(found).nonzero()[0]}


def test_a_wizard_led_is_a_trick_for_sure() -> None:
    """With one card and the lead, a bid of 1 is met and a bid of 0 is not."""
    game = Game.from_deal(Rules(3), dealer=2, hands=[["WI"], ["3S"], ["7D"]], upcard="3C")
    assert of(game) == {"bid 0": 0.0, "bid 1": 1.0}


def test_the_last_card_meets_the_bid_or_does_not() -> None:
    game = Game.from_deal(Rules(3), dealer=2, hands=[["2S"], ["3S"], ["7D"]], upcard="3C")
    for action in ("bid 0", "bid 0", "bid 1", "play 2S"):
        game.step(action)
    assert game.seat == 1
    assert list(of(game)) == ["play 3S"]
    assert 0 < of(game)["play 3S"] < 1  # the last seat may hold a card that takes the trick


def test_every_legal_action_has_a_chance() -> None:
    game = Game(Rules(4, hand_sizes=(5,)), seed=2)
    while game.seat is not None:
        found = of(game)
        assert sorted(found) == sorted(ACTIONS[action] for action in game.legal_actions())
        assert all(0 <= chance <= 1 for chance in found.values())
        game.step(game.legal_actions()[0])


def test_chances_do_not_depend_on_hidden_cards() -> None:
    """The same seat, with the cards of two others exchanged."""
    hands = [["KS", "2D", "9H"], ["WI", "WI", "AC"], ["2C", "3C", "4D"]]
    one, other = (
        Game.from_deal(Rules(3, hand_sizes=(3,)), dealer=2, hands=dealt, upcard="7C")
        for dealt in (hands, [hands[0], hands[2], hands[1]])
    )
    assert of(one) == of(other)


@pytest.mark.parametrize("worlds", [1, 16])
def test_chances_are_shares_of_the_worlds(worlds: int) -> None:
    game = Game(Rules(3, hand_sizes=(4,)), seed=1)
    assert all((chance * worlds).is_integer() for chance in of(game, worlds).values())
