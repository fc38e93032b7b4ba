"""SearchAgent: plays every choice on to the end of the round in many worlds, and takes the best on average.

Perfect-information Monte Carlo (Ginsberg 2001, for bridge): worlds are drawn from the belief of the
seat, each legal action is played out in the same worlds with the heuristic in all seats, and the action
with the most expected points is taken. Of the worlds drawn, those are kept more often in which the bids
seen are what such hands would bid.
"""

from typing import Any

import numpy as np

from agents.belief import PLAN, count_ways, draw_hands, make_plan, table_size
from agents.heuristic import SCRATCH, Scratch, bid_values, heuristic_action
from wizard_env.bits import lowest_bit
from wizard_env.chance import mix, step_generator
from wizard_env.engine import apply, clear_trick, first_action, left_of, legal
from wizard_env.jit import compiled, kernel
from wizard_env.rules import check_integer
from wizard_env.state import BID, HIDDEN, NOT_BID, SCORED, STATE, State
from wizard_env.view import Actions, View

_MOST_ACTIONS = 54
BIDS_TRIED = 5
"""So many bids are tried: those of which the heuristic expects most."""
CANDIDATES = 4
"""So many worlds are drawn for each that is kept."""
TEMPERATURE = 12.0
"""How many points a bid may be worse than another to be made 1/e times as often."""
ODD_BIDS = 0.02
"""The chance that a bid is any other than by its value."""


class SearchAgent:
    """Deterministic for the random words of the view."""

    def __init__(self, worlds: int = 32) -> None:
        """Set the effort.

        worlds: in how many worlds every choice is tried, at least 1.
        """
        self.worlds = check_integer("worlds", worlds, 1, 2**20)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        actions = np.empty(len(view), np.int64)
        _search(view.known, view.noise(rng), self.worlds, actions)
        return actions


@compiled
def weigh_bids(world: State, past: State, observer: int, scratch: Scratch) -> float:
    """How likely the bids seen are with the hands of a world; bids that were not seen are filled in.

    past: room for the world as it was in the bidding.
    """
    for seat in range(world.num_players):
        past.hands[seat] = world.hands[seat] + world.played[seat]
        past.played[seat] = 0
        past.bids[seat] = NOT_BID
        past.tricks_won[seat] = 0
        past.voids[seat] = 0
    clear_trick(past)
    past.phase = BID
    seat = left_of(world, int(world.dealer))
    past.leader = seat
    likelihood = 1.0
    for _ in range(world.num_players):
        if world.bids[seat] == NOT_BID:
            break
        past.seat = seat
        if seat != observer:
            allowed = legal(past)
            bid_values(past, int(past.trump), scratch)
            best = -1
            for tricks in range(int(past.hand_size) + 1):
                if (allowed >> tricks) & 1 and (best < 0 or scratch.values[tricks] > scratch.values[best]):
                    best = tricks
            if world.bids[seat] == HIDDEN:
                world.bids[seat] = best
            else:
                total = 0.0
                for tricks in range(int(past.hand_size) + 1):
                    if (allowed >> tricks) & 1:
                        total += np.exp((scratch.values[tricks] - scratch.values[best]) / TEMPERATURE)
                made = scratch.values[int(world.bids[seat])] - scratch.values[best]
                likelihood *= ODD_BIDS + (1 - ODD_BIDS) * np.exp(made / TEMPERATURE) / total
        past.bids[seat] = world.bids[seat]
        seat = left_of(world, seat)
    return likelihood


@compiled
def choices_of(state: State, scratch: Scratch) -> int:
    """The actions worth a try, as `legal` has them: of bids the most promising alone."""
    allowed = legal(state)
    if state.phase != BID:
        return allowed
    bid_values(state, int(state.trump), scratch)
    chosen = 0
    for _ in range(BIDS_TRIED):
        best = -1
        for tricks in range(int(state.hand_size) + 1):
            is_open = (allowed >> tricks) & 1 and not (chosen >> tricks) & 1
            if is_open and (best < 0 or scratch.values[tricks] > scratch.values[best]):
                best = tricks
        if best >= 0:
            chosen |= 1 << best
    return chosen


@kernel
def _search(known: Any, words: Any, count: int, actions: Any) -> None:
    plans = np.empty(1, PLAN)
    scratch = np.empty(1, SCRATCH)
    table = np.empty(1)
    worlds = np.empty(count * CANDIDATES, STATE)
    weights = np.empty(count * CANDIDATES)
    room = np.empty(1, STATE)
    totals = np.empty(_MOST_ACTIONS)
    for index in range(len(known)):
        observer = int(known[index].seat)
        first = first_action(known[index])
        choices = choices_of(known[index], scratch[0])
        if choices & (choices - 1) == 0:
            actions[index] = first + lowest_bit(choices)
            continue
        make_plan(known[index], observer, plans[0])
        if table_size(plans[0]) > len(table):
            table = np.empty(2 * table_size(plans[0]))
        count_ways(plans[0], table)
        generator = words[index]
        total = 0.0
        for number in range(len(worlds)):
            worlds[number] = known[index]
            generator = draw_hands(plans[0], table, worlds[number], generator)
            room[0] = worlds[number]
            weights[number] = weigh_bids(worlds[number], room[0], observer, scratch[0])
            total += weights[number]
        totals[:] = 0.0
        generator = step_generator(generator, 1)
        pointer = (mix(generator) >> np.uint64(11)) * 2.0**-53
        number, reached = 0, weights[0]
        for kept in range(count):  # systematic resampling
            while reached < (kept + pointer) / count * total and number + 1 < len(worlds):
                number += 1
                reached += weights[number]
            left = choices
            while left:
                choice = lowest_bit(left)
                left &= left - 1
                room[0] = worlds[number]
                apply(room[0], first + choice)
                while room[0].phase < SCORED:
                    apply(room[0], heuristic_action(room[0], scratch[0]))
                totals[choice] += room[0].points[observer]
        best = lowest_bit(choices)
        left = choices
        while left:
            choice = lowest_bit(left)
            left &= left - 1
            if totals[choice] > totals[best]:
                best = choice
        actions[index] = first + best
