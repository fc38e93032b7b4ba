"""Reasons for advice: positions where each is given and where it is not, and playouts that bear it out."""

import numpy as np
import pytest

from tests.positions import played_at_random
from wizard_env import ACTIONS, Game, Rules, View, action_id
from wizard_env.agents import load
from wizard_env.agents.assessment import Evidence, assess
from wizard_env.cards import JESTER, card_id
from wizard_env.evaluation.advice import Advice, advise
from wizard_env.evaluation.reasons import Reason, Why
from wizard_env.session import Session

JUDGE = "search:worlds=32"


def last_to_play(hand: str, bid: int, trick: tuple[str, str], won: int = 0) -> Game:
    """The dealer holds these cards, and is the last to play to the first trick. Clubs are trump."""
    rest = {2: ("2H", "4D"), 1: ("", "")}[len(hand.split())]
    game = Game.from_deal(
        Rules(3), dealer=0, hands=[hand, f"{trick[0]} {rest[0]}", f"{trick[1]} {rest[1]}"], upcard="3C"
    )
    for action in ("bid 1", "bid 0", f"bid {bid}", *(f"play {card}" for card in trick)):
        game.step(action)
    return game


def reasons(game: Game) -> dict[str, Reason]:
    """The reason for or against each action that has one."""
    choices = advise(load(JUDGE), game).choices
    return {one.action.split()[1]: one.reason for one in choices if one.reason}


def test_a_card_keeps_a_jester() -> None:
    """A low trump loses under the ace; led with the Jester gone, it would win the next trick."""
    found = reasons(last_to_play("9C JE", 0, ("AC", "5D")))
    assert found["9C"] == Reason(Why.KEEPS, "play 9C", ("JE",))
    assert found["JE"] == Reason(Why.TOO_MANY, "play JE")
    assert reasons(last_to_play("2D JE", 0, ("AC", "5D"))) == {}  # either card loses, now and later


def test_a_card_keeps_a_wizard() -> None:
    """The seven wins the trick as well, and the Wizard the other one; with a bid of 1 the Wizard goes now."""
    found = reasons(last_to_play("7D WI", 2, ("5D", "6D")))
    assert found["7D"].why == Why.KEEPS
    assert found["7D"].cards == ("WI",)
    assert found["WI"].why == Why.TOO_FEW
    one = reasons(last_to_play("7D WI", 1, ("5D", "6D")))
    assert Why.KEEPS not in {reason.why for reason in one.values()}


def test_a_card_wins_a_trick_that_is_needed() -> None:
    found = reasons(last_to_play("9D 2D", 1, ("5D", "7D")))
    assert found["9D"] == Reason(Why.WINS, "play 9D", count=1)
    assert found["2D"] == Reason(Why.TOO_FEW, "play 2D")
    assert Why.WINS not in {one.why for one in reasons(last_to_play("9D 2D", 0, ("5D", "7D"))).values()}


def test_a_card_loses_and_another_wins_one_trick_too_many() -> None:
    found = reasons(last_to_play("9D 2D", 0, ("5D", "7D")))
    assert found["2D"] == Reason(Why.LOSES, "play 2D")
    assert found["9D"] == Reason(Why.EXCEEDS, "play 9D")
    assert reasons(last_to_play("9D 2D", 0, ("TD", "7D"))) == {}  # both lose


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("WI", {"1": Reason(Why.WINNERS, "bid 1", ("WI",)), "0": Reason(Why.TOO_MANY, "bid 0")}),
        ("JE", {"0": Reason(Why.NO_WINNER, "bid 0"), "1": Reason(Why.TOO_FEW, "bid 1")}),
    ],
)
def test_bids(hand: str, expected: dict[str, Reason]) -> None:
    game = Game.from_deal(Rules(3), dealer=2, hands=[hand, "3S", "7D"], upcard="3C")
    assert reasons(game) == expected


def test_a_bid_that_other_cards_must_fill() -> None:
    """Two Wizards are sure, and of four high hearts and spades one or two win."""
    hands = ["WI WI AH KH AS KS", "2H 3H 4H 5H 2D 3D", "2S 3S 4S 5S 2C 4C"]
    found = reasons(Game.from_deal(Rules(3), dealer=2, hands=hands, upcard="3C"))
    bids = {bid: one for bid, one in found.items() if one.why == Why.WINNERS}
    assert bids
    for bid, one in bids.items():
        assert {"WI"} <= set(one.cards)
        assert len(one.cards) + one.count == int(bid)


def test_a_trump_for_its_high_cards() -> None:
    game = Game.from_deal(Rules(3), dealer=0, hands=["AS KS", "2H 3H", "2C 4H"], upcard="WI")
    assert reasons(game)["S"] == Reason(Why.WINNERS, "trump S", ("KS", "AS"))


def test_the_contrast_is_the_best_of_the_worse() -> None:
    advice = advise(load(JUDGE), last_to_play("9D 2D", 0, ("5D", "7D")))
    assert [one.why for one in advice.reasons] == [Why.LOSES, Why.EXCEEDS]
    assert [one.as_good for one in advice.choices] == [True, False]


def claim(game: Game, reason: Reason, evidence: Evidence) -> bool:
    """Return whether more than half of other worlds agree with a reason."""
    action = action_id(reason.action)
    takes, many, few, wins = (values[action] for values in evidence)
    held = game.hands[game.acting_seat]
    sure = all(wins[card_id(card)] > held.count(card) / 2 for card in reason.cards)
    return bool(
        {
            Why.KEEPS: wins[JESTER] < 1 / 2 if reason.cards == ("JE",) else sure,
            Why.WINS: takes > 1 / 2,
            Why.LOSES: takes < 1 / 2,
            Why.WINNERS: sure and (reason.count == 0 or few < 1 / 2),
            Why.NO_WINNER: wins.max() < 1 / 2,
            Why.EXCEEDS: takes > 1 / 2 and many > 1 / 2,
            Why.TOO_MANY: many > 1 / 2,
            Why.TOO_FEW: few > 1 / 2,
        }[reason.why]
    )


def test_other_playouts_bear_reasons_out() -> None:
    """Most of many other worlds agree with what is said at random decisions."""
    given: list[tuple[Why, bool]] = []
    game, judge = played_at_random(Rules(4, hand_sizes=(3, 5, 4)), seed=3), load("search:worlds=256")
    for number in range(len(game.history)):
        moment = Session.of_record(game, number).game
        other = assess(judge, View.of([moment]), np.random.default_rng(number)).evidence
        assert other is not None
        advice: Advice = advise(load(JUDGE), moment)
        for one in advice.choices:
            if one.reason:
                given.append((one.reason.why, claim(moment, one.reason, other.of(0))))
    assert len({why for why, _ in given}) >= 6
    assert np.mean([agrees for _, agrees in given]) > 0.97


def test_alike_cards_have_the_same_figures() -> None:
    """The four and the five of spades; the eight is not held, so the nine differs."""
    hands = ["2S 4S 5S 9S WI", "3S 7D 8D 9D TD", "8S 2C 3C 4C 5C"]
    game = Game.from_deal(Rules(3), dealer=2, hands=hands, upcard="7S")
    for action in ("bid 1", "bid 1", "bid 1"):
        game.step(action)
    found = {one.action: one for one in advise(load("champion+search:worlds=8"), game).choices}
    four, five, nine = (found[f"play {card}"] for card in ("4S", "5S", "9S"))
    assert (four.points, four.met, four.error) == (five.points, five.met, five.error)
    assert (four.points, four.met, four.error) != (nine.points, nine.met, nine.error)
    assert set(found) == {ACTIONS[action] for action in game.legal_actions()}
