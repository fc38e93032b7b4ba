"""Evidence: counts of how a seat's decisions in finished rounds compare with those of kinds of players.

Once a round is scored, all its cards are public, so every decision in it can be put to a kind of player
again: would it have bid, and played, like that? The counts are all that `wizard_env.agents.adaptive.beliefs`
needs.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.compiled.jit import kernel
from wizard_env.history.decisions import Decisions
from wizard_env.rules import MAX_PLAYERS
from wizard_env.state import BID, PLAY, STATE

AGREED, DIFFERED, SURPRISE, SHIFTS = range(4)
"""Columns of counts: plays, and trumps named, as the kind would have made them; others; the sum over the
others of the logarithm of the number of wrong choices; and bids, by their distance from the kind's bid."""
NOT_ASKED = -1
"""In place of the action of a kind whose answer would change nothing."""
MAX_SHIFT = 2
"""Bids further from a kind's bid count as this far."""
NUM_SHIFTS = 2 * MAX_SHIFT + 1
NUM_COUNTS = SHIFTS + NUM_SHIFTS


def compare(decisions: Decisions, chosen: NDArray[np.int64], num_rounds: int) -> NDArray[np.float32]:
    """Count how the decisions of some rounds compare with the choices of kinds of players.

    Args:
        decisions: m decisions, each with several legal actions, see `wizard_env.history.decisions.retrace`.
        chosen: int64 [m, kinds], the action that each kind would have taken, or NOT_ASKED.
        num_rounds: the number of rounds that the decisions are of.

    Returns:
        float32 [num_rounds, MAX_PLAYERS, kinds, NUM_COUNTS].
    """
    counts = np.zeros((num_rounds, MAX_PLAYERS, chosen.shape[1], NUM_COUNTS), np.float32)
    _compare(*decisions, chosen, counts)
    return counts


def spread_plays(decisions: Decisions, most: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Choose plays of each seat in each round, spread evenly over it, and all other decisions: bool [m].

    most: int64 [num_rounds, MAX_PLAYERS], the number of plays of a seat to choose; all where there are fewer.
    """
    chosen = np.ones(len(decisions.actions), np.bool_)
    plays = (decisions.states["phase"] == PLAY).nonzero()[0]
    owner = decisions.rows[plays] * MAX_PLAYERS + decisions.states["seat"][plays]
    order = owner.argsort(kind="stable")
    plays, owner = plays[order], owner[order]
    first = np.searchsorted(owner, owner)
    number, count = np.arange(len(owner)) - first, np.searchsorted(owner, owner, "right") - first
    room = np.minimum(most.reshape(-1)[owner], count)
    chosen[plays] = (number + 1) * room // count > number * room // count
    return chosen


@kernel([STATE], [np.int64], [np.int64], [np.int64], [[np.int64]], [[[[np.float32]]]])
def _compare(states: Any, actions: Any, rows: Any, choices: Any, chosen: Any, counts: Any) -> None:
    for index in range(len(actions)):
        state = states[index]
        of_seat = counts[rows[index], int(state.seat)]
        for kind in range(chosen.shape[1]):
            if chosen[index, kind] == NOT_ASKED:
                continue
            shift = actions[index] - chosen[index, kind]
            if state.phase == BID:
                of_seat[kind, SHIFTS + MAX_SHIFT + min(max(shift, -MAX_SHIFT), MAX_SHIFT)] += 1
            elif shift == 0:
                of_seat[kind, AGREED] += 1
            else:
                of_seat[kind, DIFFERED] += 1
                of_seat[kind, SURPRISE] += np.log(choices[index] - 1.0)
