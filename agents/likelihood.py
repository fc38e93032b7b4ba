"""How likely what was seen of others is with the hands of a world, if they act much like the heuristic."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.agents.heuristic import SCRATCH, Scratch, best_choice, choice_values
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import compiled, kernel
from wizard_env.engine import apply, bid, bids_are_public, choose_trump, left_of, legal, turn_up
from wizard_env.state import BID, HIDDEN, NOT_BID, STATE, TRUMP, State
from wizard_env.view import View

NOTHING, BIDS, PLAYS = range(3)
EVIDENCE = ("nothing", "bids", "plays")
"""What worlds are weighed by: nothing, the trump named and the bids, or these and the cards played."""

BID_TEMPERATURE = 12.0
PLAY_TEMPERATURE = 4.0
"""How many points a choice may be worse than another to be made 1/e times as often."""
ODD_BIDS = 0.02
ODD_PLAYS = 0.2
"""The chance that a choice is made by anything else than its value."""


def weigh_worlds(view: View, worlds: NDArray[Any], evidence: str = "plays") -> NDArray[np.float64]:
    """Weigh worlds that were drawn for the decisions of a view by what the other seats did.

    Bids that the acting seat may not see are filled in: each is the one that the hand is worth.

    Args:
        view: n decisions.
        worlds: [n, count] records of dtype STATE, from `draw_worlds`; changed where bids are hidden.
        evidence: one of EVIDENCE.

    Returns:
        float64 [n, count]: the likelihood of what was seen, at most 1.

    Raises:
        ValueError: there is no such evidence.
    """
    weights = np.empty(worlds.shape)
    _weigh_worlds(view.known, worlds, check_evidence(evidence), weights)
    return weights


def check_evidence(name: str) -> int:
    """The number of a kind of evidence. Raises ValueError if there is none of that name."""
    if name not in EVIDENCE:
        raise ValueError(f"evidence={name!r}: allowed are {', '.join(EVIDENCE)}")
    return EVIDENCE.index(name)


@compiled
def replay_bidding(world: State, past: State, observer: int, weigh: bool, scratch: Scratch) -> float:
    """Bid again with the hands of a world, and fill in the bids that were not seen.

    past: a copy of the world; is left where the play began, or where the world is if that is earlier.

    Returns how likely the trump named and the bids seen are; 1 unless they are to be weighed.
    """
    for seat in range(world.num_players):
        past.hands[seat] = world.hands[seat] + world.played[seat]
    past.leader = left_of(world, int(world.dealer))
    turn_up(past, int(world.upcard))
    likelihood = 1.0
    if past.phase == TRUMP and world.phase != TRUMP:
        if weigh and past.seat != observer:
            likelihood *= likelihood_now(past, int(world.trump), ODD_BIDS, BID_TEMPERATURE, scratch)
        choose_trump(past, int(world.trump))
    while past.phase == BID and world.bids[past.seat] != NOT_BID:
        seat = int(past.seat)
        if world.bids[seat] == HIDDEN:
            world.bids[seat] = best_choice(choice_values(past, scratch), scratch)
        elif weigh and seat != observer:
            likelihood *= likelihood_now(past, int(world.bids[seat]), ODD_BIDS, BID_TEMPERATURE, scratch)
        bid(past, int(world.bids[seat]))
        if not bids_are_public(past):
            past.bids[seat] = HIDDEN
    for seat in range(world.num_players):
        past.bids[seat] = world.bids[seat]
    return likelihood


@compiled
def replay_tricks(world: State, past: State, observer: int, scratch: Scratch) -> float:
    """Play again with the hands of a world; returns how likely the cards played by others are.

    past: as `replay_bidding` left it.
    """
    likelihood = 1.0
    for number in range(world.num_plays):
        card = int(world.plays[number])
        if past.seat != observer:
            likelihood *= likelihood_now(past, card, ODD_PLAYS, PLAY_TEMPERATURE, scratch)
        apply(past, FIRST_PLAY + card)
    return likelihood


@compiled
def likelihood_now(state: State, choice: int, odd: float, temperature: float, scratch: Scratch) -> float:
    """How often the acting seat makes a choice: mostly by the value of all, else any of them."""
    choices = legal(state)
    if choices & (choices - 1) == 0:
        return 1.0
    choice_values(state, scratch)
    best = scratch.values[best_choice(choices, scratch)]
    chosen = scratch.values[choice]
    total, count = 0.0, 0
    while choices:
        total += np.exp((scratch.values[lowest_bit(choices)] - best) / temperature)
        choices &= choices - 1
        count += 1
    return odd / count + (1 - odd) * np.exp((chosen - best) / temperature) / total


@kernel
def _weigh_worlds(known: Any, worlds: Any, evidence: int, weights: Any) -> None:
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
    """What others have decided in some worlds, where they had a choice."""

    states: NDArray[Any]
    """[k] records of dtype STATE, as they decided."""
    actions: NDArray[np.int64]
    """[k] what they did."""
    worlds: NDArray[np.int64]
    """[k] the number of the world."""


def decisions_of_others(worlds: NDArray[Any], observer: int) -> Decisions:
    """Go through the round again in worlds that are alike but for the hands, hidden bids filled in.

    Args:
        worlds: [n] records of dtype STATE, of one decision of the observer's.
        observer: whose own decisions are left out.
    """
    players, cards = int(worlds["num_players"][0]), int(worlds["num_plays"][0])
    most = len(worlds) * (1 + players + cards)
    states, actions, numbers = np.empty(most, STATE), np.empty(most, np.int64), np.empty(most, np.int64)
    count = _list_decisions(worlds, observer, states, actions, numbers)
    return Decisions(states[:count], actions[:count], numbers[:count])


@kernel
def _list_decisions(worlds: Any, observer: int, states: Any, actions: Any, numbers: Any) -> int:
    room = np.empty(1, STATE)
    count = 0
    for number in range(len(worlds)):
        world = worlds[number]
        room[0] = world
        past = room[0]
        for seat in range(world.num_players):
            past.hands[seat] = world.hands[seat] + world.played[seat]
        past.leader = left_of(world, int(world.dealer))
        turn_up(past, int(world.upcard))
        place = 0
        while True:
            if past.phase == TRUMP:
                if world.phase == TRUMP:
                    break
                action = FIRST_TRUMP + int(world.trump)
            elif past.phase == BID:
                if world.bids[past.seat] == NOT_BID:
                    break
                action = FIRST_BID + int(world.bids[past.seat])
            else:
                if place == world.num_plays:
                    break
                action = FIRST_PLAY + int(world.plays[place])
                place += 1
            choices = legal(past)
            if past.seat != observer and choices & (choices - 1):
                states[count] = past
                actions[count] = action
                numbers[count] = number
                count += 1
            apply(past, action)
    return count
