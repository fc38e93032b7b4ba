"""Hints keep their promises of points and of met bids, beside the levels of the lobby."""

import numpy as np
import pytest
from wizard_table.commands import OFFERED

from table.tools.promises import measure
from wizard_env import Rules

POINTS = 3
"""By which a promise may miss what comes, on average over 400 bids."""


def test_promises_beside_an_easy_player() -> None:
    """Some bids; a promise of every hint that is five points too high or low fails."""
    found = measure("rule_based", 12, Rules(3, hand_sizes=(1, 2, 3)))
    assert found.bids == 36
    assert abs(found.points - found.came) < max(POINTS, 2 * found.error)
    assert found.error < 4
    assert abs(found.met - found.came_met) < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("opponent", OFFERED)
def test_promises_beside_a_level(opponent: str) -> None:
    found = measure(opponent, 27, Rules(4))
    assert found.bids > 400
    assert abs(found.points - found.came) < POINTS
    assert np.isclose(found.met, found.came_met, atol=0.06)
