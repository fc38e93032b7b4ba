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


# --- play


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
