"""Outlook: how likely a seat is to meet its bid, in worlds drawn of what the seat knows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.agents.heuristic import SCRATCH, heuristic_action
from wizard_env.agents.search import believe
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import kernel
from wizard_env.engine import apply, first_action, legal
from wizard_env.state import SCORED, STATE
from wizard_env.view import View

WORLDS = 128
"""Worlds drawn per decision."""


def chances(view: View, rng: np.random.Generator, worlds: int = WORLDS) -> NDArray[np.float64]:
    """float64 [n, NUM_ACTIONS]: the chance that each action leads to a bid met exactly; NaN if it is illegal.

    Each action is played out to the end of the round in the same worlds, with the heuristic in every seat.
    """
    drawn = believe(view.known, view.noise(rng), worlds)
    met = np.full((len(view), NUM_ACTIONS), np.nan)
    _play_out(drawn, met)
    return met / worlds


@kernel([[STATE]], [[np.float64]])
def _play_out(worlds: Any, met: Any) -> None:
    """Count in how many worlds each legal action of the acting seat leads to a bid met."""
    scratch = np.empty(1, SCRATCH)
    playout = np.empty(1, STATE)
    for index in range(len(worlds)):
        seat, first = int(worlds[index, 0].seat), first_action(worlds[index, 0])
        left = legal(worlds[index, 0])
        while left:
            action = first + lowest_bit(left)
            left &= left - 1
            met[index, action] = 0
            for number in range(worlds.shape[1]):
                playout[0] = worlds[index, number]
                apply(playout[0], action)
                while playout[0].phase < SCORED:
                    apply(playout[0], heuristic_action(playout[0], scratch[0]))
                if playout[0].points[seat] > 0:  # only a bid that is met brings points
                    met[index, action] += 1
