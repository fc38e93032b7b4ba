"""Worlds weighed by what was seen: the likelihood of the others' choices, under a model of what they do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.agents.search.seat_model import (
    HEURISTIC,
    KINDS,
    OpponentModel,
    model_action,
    model_likelihood,
    working_copy,
)
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import apply, bids_are_public, left_of, turn_up
from wizard_env.state import BID, HIDDEN, NOT_BID, PLAY, STATE, TRUMP, State
from wizard_env.view import View

NOTHING, BIDS, PLAYS = range(3)
EVIDENCE = ("nothing", "bids", "plays")
"""What worlds are weighed by: nothing, the trump named and the bids, or those and the cards played."""

NO_ACTION = -1
_HALVINGS = 10
"""Steps of the bisection that finds a power."""


def weigh_worlds(
    view: View, worlds: NDArray[Any], evidence: str = "plays", model: OpponentModel = HEURISTIC
) -> NDArray[np.float64]:
    """Weigh worlds drawn for the decisions of a view by what the other seats did.

    Bids that the acting seat may not see are filled in: each becomes the model's bid for that hand.

    Args:
        view: n decisions.
        worlds: [n, count] records of dtype STATE, from `draw_worlds`; changed where bids are hidden.
        evidence: one of EVIDENCE.
        model: what the other seats are believed to do.

    Returns:
        float64 [n, count]: the likelihood of what was seen, at most 1.

    Raises:
        ValueError: `evidence` is unknown.
    """
    weights = np.empty(worlds.shape)
    together = np.ascontiguousarray(worlds)
    _weigh_rows(view.known, together, check_evidence(evidence), *model, weights)
    if together is not worlds:
        worlds[:] = together
    return weights


def check_evidence(name: str) -> int:
    """The index of `name` in EVIDENCE. Raises ValueError if it is not there."""
    if name not in EVIDENCE:
        raise ValueError(f"evidence={name!r}: allowed are {', '.join(EVIDENCE)}")
    return EVIDENCE.index(name)


@compiled
def rewind_round(world: State, past: State) -> None:
    """Take `past`, a copy of a world, back to the start of the round, with the world's hands dealt."""
    for seat in range(world.num_players):
        past.hands[seat] = world.hands[seat] + world.played[seat]
    past.leader = left_of(world, int(world.dealer))
    turn_up(past, int(world.upcard))


@compiled
def next_action(world: State, past: State) -> int:
    """The action taken next in `past`, an earlier moment of a world; NO_ACTION once they have met.

    A bid that is HIDDEN in the world must be filled in before it is asked for.
    """
    if past.phase == TRUMP:
        return NO_ACTION if world.phase == TRUMP else FIRST_TRUMP + int(world.trump)
    if past.phase == BID:
        bid = int(world.bids[past.seat])
        return NO_ACTION if bid == NOT_BID else FIRST_BID + bid
    if past.num_plays == world.num_plays:
        return NO_ACTION
    return FIRST_PLAY + int(world.plays[past.num_plays])


@outlined
def replay_bidding(world: State, past: State, observer: int, weighs: bool, model: Any) -> float:
    """Replay the bidding with the hands of a world, and fill in the bids that were not seen.

    past: a copy of the world; left at the start of play, or where the world stands if that is earlier.

    Returns the likelihood of the trump named and the bids seen; 1 if `weighs` is off.
    """
    rewind_round(world, past)
    likelihood = 1.0
    while past.phase < PLAY:
        seat = int(past.seat)
        is_hidden = past.phase == BID and world.bids[seat] == HIDDEN
        if is_hidden:
            world.bids[seat] = model_action(past, model) - FIRST_BID
        action = next_action(world, past)
        if action == NO_ACTION:
            break
        if weighs and seat != observer and not is_hidden:
            likelihood *= model_likelihood(past, action, model)
        apply(past, action)
        if past.bids[seat] != NOT_BID and not bids_are_public(past):
            past.bids[seat] = HIDDEN
    for seat in range(world.num_players):
        past.bids[seat] = world.bids[seat]
    return likelihood


@outlined
def replay_tricks(world: State, past: State, observer: int, model: Any) -> float:
    """Replay the tricks with the hands of a world; returns the likelihood of the cards others played.

    past: as `replay_bidding` left it.
    """
    likelihood = 1.0
    action = next_action(world, past)
    while action != NO_ACTION:
        if past.seat != observer:
            likelihood *= model_likelihood(past, action, model)
        apply(past, action)
        action = next_action(world, past)
    return likelihood


@kernel([STATE], [[STATE]], int, *KINDS, [[np.float64]])
def _weigh_rows(
    known: Any,
    worlds: Any,
    evidence: int,
    layers: Any,
    widths: Any,
    odd: float,
    temperature: float,
    weights: Any,
) -> None:
    past = np.empty(1, STATE)
    for index in range(len(known)):
        model = working_copy(layers, widths, odd, temperature)  # its observation has zeros where nobody sits
        observer = int(known[index].seat)
        for number in range(worlds.shape[1]):
            world = worlds[index, number]
            past[0] = world
            weights[index, number] = replay_bidding(world, past[0], observer, evidence != NOTHING, model)
            if evidence == PLAYS:
                weights[index, number] *= replay_tricks(world, past[0], observer, model)


def resample(weights: NDArray[np.float64], start: float, count: int) -> NDArray[np.int64]:
    """Choose indices in proportion to their weights, by systematic resampling (Kitagawa 1996).

    Args:
        weights: float64 [n], not all 0.
        start: a random number in [0, 1), which decides the choice.
        count: the number of indices to choose; the same one may be chosen several times.

    Returns:
        int64 [count], in ascending order.
    """
    chosen = np.empty(count, np.int64)
    _resample(np.ascontiguousarray(weights), start, chosen)
    return chosen


@compiled
def resample_into(weights: Any, start: float, chosen: Any) -> None:
    """`resample`, into an array that has one place for each index to choose."""
    step = weights.sum() / len(chosen)
    number, reached = 0, weights[0]
    for place in range(len(chosen)):
        while reached < (place + start) * step and number + 1 < len(weights):
            number += 1
            reached += weights[number]
        chosen[place] = number


@compiled
def effective(weights: Any) -> float:
    """How many worlds of equal weight tell as much (Kong 1992)."""
    total, squares = 0.0, 0.0
    for weight in weights:
        total += weight
        squares += weight * weight
    return total * total / squares


@outlined
def soften(weights: Any, least: float) -> None:
    """Raise weights to the power, at most 1, that leaves `least` effective worlds (annealing; Neal 2001).

    weights: float64 [n] above 0, changed here.

    The model errs, and of few worlds hardly one fits all that was seen: unsoftened, that one is believed.
    """
    if effective(weights) >= least:
        return
    logs = np.log(weights / weights.max())
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        power = (low + high) / 2
        if effective(np.exp(power * logs)) < least:
            high = power
        else:
            low = power
    for number in range(len(weights)):
        weights[number] = np.exp(low * logs[number])


@kernel([np.float64], float, [np.int64])
def _resample(weights: Any, start: float, chosen: Any) -> None:
    resample_into(weights, start, chosen)
