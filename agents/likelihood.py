"""Worlds weighed by what was seen: the likelihood of the others' choices, if they act like the heuristic."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.agents.heuristic import SCRATCH, Scratch, best_choice, choice_values
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import apply, bids_are_public, first_action, left_of, legal, turn_up
from wizard_env.state import BID, HIDDEN, NOT_BID, PLAY, STATE, TRUMP, State
from wizard_env.view import View

NOTHING, BIDS, PLAYS = range(3)
EVIDENCE = ("nothing", "bids", "plays")
"""What worlds are weighed by: nothing, the trump named and the bids, or those and the cards played."""

BID_TEMPERATURE = 12.0
PLAY_TEMPERATURE = 4.0
"""The loss in points that makes a choice 1/e times as likely."""
ODD_BIDS = 0.02
ODD_PLAYS = 0.2
"""The share of choices that are made uniformly, whatever their value."""

NO_ACTION = -1


def weigh_worlds(view: View, worlds: NDArray[Any], evidence: str = "plays") -> NDArray[np.float64]:
    """Weigh worlds drawn for the decisions of a view by what the other seats did.

    Bids that the acting seat may not see are filled in: each becomes the heuristic's bid for that hand.

    Args:
        view: n decisions.
        worlds: [n, count] records of dtype STATE, from `draw_worlds`; changed where bids are hidden.
        evidence: one of EVIDENCE.

    Returns:
        float64 [n, count]: the likelihood of what was seen, at most 1.

    Raises:
        ValueError: `evidence` is unknown.
    """
    weights = np.empty(worlds.shape)
    together = np.ascontiguousarray(worlds)
    _weigh_rows(view.known, together, check_evidence(evidence), weights)
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
def replay_bidding(world: State, past: State, observer: int, weighs: bool, scratch: Scratch) -> float:
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
            world.bids[seat] = best_choice(choice_values(past, scratch), scratch)
        action = next_action(world, past)
        if action == NO_ACTION:
            break
        if weighs and seat != observer and not is_hidden:
            likelihood *= likelihood_now(past, action, scratch)
        apply(past, action)
        if past.bids[seat] != NOT_BID and not bids_are_public(past):
            past.bids[seat] = HIDDEN
    for seat in range(world.num_players):
        past.bids[seat] = world.bids[seat]
    return likelihood


@outlined
def replay_tricks(world: State, past: State, observer: int, scratch: Scratch) -> float:
    """Replay the tricks with the hands of a world; returns the likelihood of the cards others played.

    past: as `replay_bidding` left it.
    """
    likelihood = 1.0
    action = next_action(world, past)
    while action != NO_ACTION:
        if past.seat != observer:
            likelihood *= likelihood_now(past, action, scratch)
        apply(past, action)
        action = next_action(world, past)
    return likelihood


@compiled
def likelihood_now(state: State, action: int, scratch: Scratch) -> float:
    """The probability of the acting seat's action: a softmax of values, mixed with a uniform choice."""
    choices = legal(state)
    if choices & (choices - 1) == 0:
        return 1.0
    odd = ODD_PLAYS if state.phase == PLAY else ODD_BIDS
    temperature = PLAY_TEMPERATURE if state.phase == PLAY else BID_TEMPERATURE
    choice_values(state, scratch)
    best = scratch.values[best_choice(choices, scratch)]
    chosen = scratch.values[action - first_action(state)]
    total, count = 0.0, 0
    while choices:
        total += np.exp((scratch.values[lowest_bit(choices)] - best) / temperature)
        choices &= choices - 1
        count += 1
    return odd / count + (1 - odd) * np.exp((chosen - best) / temperature) / total


@kernel([STATE], [[STATE]], int, [[np.float64]])
def _weigh_rows(known: Any, worlds: Any, evidence: int, weights: Any) -> None:
    scratch = np.empty(1, SCRATCH)
    past = np.empty(1, STATE)
    for index in range(len(known)):
        observer = int(known[index].seat)
        for number in range(worlds.shape[1]):
            world = worlds[index, number]
            past[0] = world
            weights[index, number] = replay_bidding(world, past[0], observer, evidence != NOTHING, scratch[0])
            if evidence == PLAYS:
                weights[index, number] *= replay_tricks(world, past[0], observer, scratch[0])


class Decisions(NamedTuple):
    """The decisions of others in some worlds, where they had a choice."""

    states: NDArray[Any]
    """[k] records of dtype STATE, at each decision."""
    actions: NDArray[np.int64]
    """[k] the action taken."""
    worlds: NDArray[np.int64]
    """[k] the index of the world."""


def decisions_of_others(worlds: NDArray[Any], observer: int) -> Decisions:
    """Replay the round in worlds that differ only in their hands, with hidden bids filled in.

    Args:
        worlds: [n] records of dtype STATE, drawn for one decision of the observer.
        observer: the seat whose own decisions are left out.
    """
    players, cards = int(worlds["num_players"][0]), int(worlds["num_plays"][0])
    most = len(worlds) * (1 + players + cards)
    states, actions, numbers = np.empty(most, STATE), np.empty(most, np.int64), np.empty(most, np.int64)
    count = _list_decisions(np.ascontiguousarray(worlds), observer, states, actions, numbers)
    return Decisions(states[:count], actions[:count], numbers[:count])


@kernel([STATE], int, [STATE], [np.int64], [np.int64])
def _list_decisions(worlds: Any, observer: int, states: Any, actions: Any, numbers: Any) -> int:
    pasts = np.empty(1, STATE)
    count = 0
    for number in range(len(worlds)):
        pasts[0] = worlds[number]
        world, past = worlds[number], pasts[0]
        rewind_round(world, past)
        action = next_action(world, past)
        while action != NO_ACTION:
            choices = legal(past)
            if past.seat != observer and choices & (choices - 1):
                states[count] = past
                actions[count] = action
                numbers[count] = number
                count += 1
            apply(past, action)
            action = next_action(world, past)
    return count


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


@kernel([np.float64], float, [np.int64])
def _resample(weights: Any, start: float, chosen: Any) -> None:
    resample_into(weights, start, chosen)
