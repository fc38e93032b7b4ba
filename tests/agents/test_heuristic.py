"""HeuristicAgent: how it judges cards, and that it beats the published baseline everywhere."""

from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest

from wizard_env import Game, Games, Rules, View, action_name
from wizard_env.agents import heuristic, rule_based
from wizard_env.agents.heuristic import SCRATCH, HeuristicAgent, bid_values, chance_now
from wizard_env.cards import card_id
from wizard_env.engine import unseen_by
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS, BidReveal

UNUSED_RNG = np.random.default_rng(0)
every_num_players = pytest.mark.parametrize("num_players", range(MIN_PLAYERS, MAX_PLAYERS + 1))


def position(hands: list[str], upcard: str | None, *actions: str, dealer: int = 0, **rules: Any) -> Game:
    game = Game.from_deal(Rules(len(hands), **rules), dealer=dealer, hands=hands, upcard=upcard)
    for action in actions:
        game.step(action)
    return game


def act(game: Game) -> str:
    return action_name(int(HeuristicAgent().act(View.of([game]), UNUSED_RNG)[0]))


def chance(game: Game, card: str) -> float:
    state = View.of([game]).known[0]
    return float(chance_now(state, card_id(card), unseen_by(state, int(state["seat"]))))


def values(game: Game) -> list[float]:
    scratch = np.zeros(1, SCRATCH)
    state = View.of([game]).known[0]
    bid_values(state, int(state["trump"]), scratch[0])
    found: list[float] = scratch["values"][0, : game.hand_size + 1].tolist()
    return found


# --- the current trick


HANDS = ["9S 2D", "KS WI", "3S JE"]


def test_a_beaten_card_cannot_win_and_the_last_player_is_sure() -> None:
    game = position(HANDS, "4C", "bid 0", "bid 0", "bid 0", "play KS", "play 3S")
    assert chance(game, "9S") == 0
    led_low = position(["9S 2D", "3S WI", "4S JE"], "4C", "bid 0", "bid 0", "bid 0", "play 3S", "play 4S")
    assert chance(led_low, "9S") == 1


def test_a_wizard_is_sure_to_win_and_a_led_jester_almost_sure_to_lose() -> None:
    game = position(HANDS, "4C", "bid 0", "bid 0", "bid 0")
    assert chance(game, "WI") == 1
    assert 0 < chance(game, "KS") < 1
    other = position(["9S 2D", "JE KS", "3S 4S"], "4C", "bid 0", "bid 0", "bid 0")
    assert chance(other, "JE") < 0.01


def test_higher_cards_already_played_are_no_danger() -> None:
    """The Queen is surer to win once the Ace and the King of her suit are gone."""
    hands = ["AS 2D 3D", "QS 5H 4D", "KS 8C 6D"]
    start = ("bid 0", "bid 0", "bid 0")
    early = position(hands, "4C", *start)
    late = position(["AS 2D 3D", "QS 5H 4D", "KS 8D 6D"], "4C", *start, "play 5H", "play KS", "play AS")
    assert early.seat == late.seat == 1
    assert chance(late, "QS") > chance(early, "QS") + 0.05


def test_a_void_seat_may_ruff() -> None:
    """A lead is less sure to win against a seat that has shown a void in its suit, but not in trumps."""
    hands = ["AS 2S 9D", "KS QS 4D", "3D 5D 6D"]
    before = position(hands, "4C", "bid 0", "bid 0", "bid 0")
    shown = position(hands, "4C", "bid 0", "bid 0", "bid 0", "play KS", "play 3D", "play 2S")
    assert shown.seat == 1
    assert chance(shown, "QS") < chance(before, "QS")


# --- bidding


def test_the_best_bid_fits_the_hand() -> None:
    strong = position(["2D 3D 4D", "WI WI AC", "5H 6H 7H"], "KC")
    weak = position(["WI WI AC", "2D 3D 4D", "5H 6H 7H"], "KC")
    assert act(strong) == "bid 3"
    assert act(weak) == "bid 0"
    assert int(np.argmax(values(strong))) == 3
    assert values(weak)[0] > values(weak)[1] > values(weak)[2] > values(weak)[3]


def test_earlier_bids_matter() -> None:
    """High bids are worth less after high bids of others, and the bid restriction is respected."""
    hands = ["QC 9C KD", "2D 3D 4D", "5H 6H 7H"]
    few = position(hands, "2C", "bid 0", "bid 0")
    many = position(hands, "2C", "bid 3", "bid 3")
    expected = [int(np.argmax(values(game))) for game in (few, many)]
    assert expected[0] >= expected[1]
    assert values(few)[2] > values(many)[2]
    strict = position(hands, "2C", "bid 0", "bid 1", bid_restriction="no_even")
    assert act(strict) != "bid 2"


def test_the_dealer_names_its_long_suit_as_trump() -> None:
    game = position(["AH KH 9H", "2D 3D 4D", "5S 6S 7S"], "WI")
    assert act(game) == "trump H"


# --- play


def test_it_takes_the_tricks_it_needs_and_no_more() -> None:
    """Last to play: it takes a trick that it needs, and otherwise gets rid of its best losing card."""
    hands = ["AS 9S 2D", "5S 5H 6H", "7S 8H 9H"]
    needs = position(hands, "4C", "bid 0", "bid 0", "bid 1", "play 5S", "play 7S")
    assert act(needs) in ("play AS", "play 9S")
    enough = position(
        ["6S 3S 2D", "5S 5H 6H", "7S 8H 9H"], "4C", "bid 0", "bid 0", "bid 0", "play 5S", "play 7S"
    )
    assert act(enough) == "play 6S"


@every_num_players
@pytest.mark.parametrize("restriction", ["free", "no_even"])
def test_it_beats_the_published_baseline(num_players: int, restriction: Any) -> None:
    """By more than 25 points per game for every number of players, with intervals that do not overlap."""
    rules = Rules(num_players, bid_restriction=restriction)
    mine, theirs = evaluate(["heuristic", "rule_based"], rules, 60, seed=num_players).standings
    assert mine.name == "heuristic"
    assert mine.points_low > theirs.points_high
    assert mine.points - theirs.points > 25
    assert mine.bid_accuracy > theirs.bid_accuracy


@pytest.mark.parametrize("reveal", get_args(BidReveal))
@pytest.mark.parametrize("module", [heuristic, rule_based])
def test_it_decides_alike_where_all_is_laid_open(module: ModuleType, reveal: BidReveal) -> None:
    """As in the worlds of a search, whose states have every hand and every bid."""
    games = Games(Rules(bid_reveal=reveal), 50, seed=0)
    laid_open, actions = np.zeros((2, 50), np.int64)
    for _ in range(300):
        module._act(games.states, laid_open)
        module._act(games.view().known, actions)
        assert laid_open.tolist() == actions.tolist()
        games.step(actions)
