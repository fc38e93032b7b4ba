"""Ratings, from the ranks in games of three."""

import numpy as np
import pytest

from wizard_env import Rules
from wizard_env.evaluation.duplicate_deals import arrange
from wizard_env.evaluation.league_file import Matchup, Member, TableScores
from wizard_env.evaluation.ratings import rate

SHORT = Rules(num_players=3, hand_sizes=(2, 1))


def scored(*names: str, scores: list[list[int]]) -> TableScores:
    """Return the scores of three agents, the same in each seat, with a list for each deal."""
    table = Matchup(SHORT, 0, tuple(Member(name, "") for name in names))
    seated = [[np.array(deal)[seats] for seats in arrange(3, 3)] for deal in scores]
    return TableScores(table, np.array(seated, np.int32))


def test_ratings_do_not_depend_on_the_order_of_play() -> None:
    tables = [
        scored("a", "b", "c", scores=[[30, 20, 10], [20, 30, 10]]),
        scored("a", "b", "d", scores=[[10, 20, 30], [20, 20, 10]]),
        scored("b", "c", "d", scores=[[10, 10, 10], [0, 20, -10]]),
    ]
    assert rate(tables) == rate(tables[::-1])


def test_ties_are_ties() -> None:
    ratings = rate([scored("a", "b", "c", scores=[[20, 20, 20]] * 30)])
    assert [rating.rank for rating in ratings] == [2, 2, 2]
    assert [rating.win_share for rating in ratings] == pytest.approx([1 / 3] * 3)
    assert max(rating.mu for rating in ratings) - min(rating.mu for rating in ratings) < 1e-6
