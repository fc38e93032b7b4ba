"""How likely the bids seen are with the hands of a world, if others bid like the heuristic."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import SCRATCH, Scratch, best_bid_of, bid_values
from wizard_env.engine import bids_are_public, left_of, legal, turn_up
from wizard_env.jit import compiled, kernel
from wizard_env.state import BID, HIDDEN, NOT_BID, STATE, State
from wizard_env.view import View

TEMPERATURE = 12.0
"""How many points a bid may be worse than another to be made 1/e times as often."""
ODD_BIDS = 0.02
"""The chance that a bid is any other than by its value."""


def weigh_worlds(view: View, worlds: NDArray[Any]) -> NDArray[np.float64]:
    """Weigh worlds that were drawn for the decisions of a view by the bids of the other seats.

    Bids that the acting seat may not see are filled in: each is the one that the hand is worth.

    Args:
        view: n decisions.
        worlds: [n, count] records of dtype STATE, from `draw_worlds`; changed where bids are hidden.

    Returns:
        float64 [n, count]: the likelihood of the bids seen, at most 1.
    """
    weights = np.empty(worlds.shape)
    _weigh_worlds(view.known, worlds, weights)
    return weights


@compiled
def weigh_bids(world: State, past: State, observer: int, scratch: Scratch) -> float:
    """How likely the bids seen are with the hands of a world; bids that were not seen are filled in.

    past: room for the world as it was in the bidding.
    """
    for seat in range(world.num_players):
        past.hands[seat] = world.hands[seat] + world.played[seat]
    seat = left_of(world, int(world.dealer))
    past.leader = seat
    turn_up(past, int(world.upcard))
    past.trump = world.trump
    past.phase = BID
    likelihood = 1.0
    for _ in range(world.num_players):
        if world.bids[seat] == NOT_BID:
            break
        past.seat = seat
        if seat != observer:
            allowed = legal(past)
            bid_values(past, int(past.trump), scratch)
            best = best_bid_of(allowed, scratch)
            if world.bids[seat] == HIDDEN:
                world.bids[seat] = best
            else:
                total = 0.0
                for tricks in range(int(past.hand_size) + 1):
                    if (allowed >> tricks) & 1:
                        total += np.exp((scratch.values[tricks] - scratch.values[best]) / TEMPERATURE)
                made = scratch.values[int(world.bids[seat])] - scratch.values[best]
                likelihood *= ODD_BIDS + (1 - ODD_BIDS) * np.exp(made / TEMPERATURE) / total
        past.bids[seat] = world.bids[seat] if bids_are_public(past) else HIDDEN
        seat = left_of(world, seat)
    return likelihood


@kernel
def _weigh_worlds(known: Any, worlds: Any, weights: Any) -> None:
    scratch = np.empty(1, SCRATCH)
    past = np.empty(1, STATE)
    for index in range(len(known)):
        for number in range(worlds.shape[1]):
            past[0] = worlds[index, number]
            observer = int(known[index].seat)
            weights[index, number] = weigh_bids(worlds[index, number], past[0], observer, scratch[0])
