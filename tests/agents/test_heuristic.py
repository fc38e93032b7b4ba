"""HeuristicAgent: it beats the published baseline everywhere."""

from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest

from wizard_env import Games, Rules
from wizard_env.agents import heuristic, rule_based
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS, BidReveal


@pytest.mark.parametrize("num_players", range(MIN_PLAYERS, MAX_PLAYERS + 1))
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
