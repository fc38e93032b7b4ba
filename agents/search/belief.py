"""Worlds: complete games consistent with everything a seat has seen, drawn uniformly.

A seat that did not follow a suit holds none of it; nothing else about the other hands is certain. Seats
with the same voids form a group, and suits that the same groups may hold form a class. Dynamic programming
counts backwards the ways to deal the classes to the groups. Dealing forwards with these counts as weights
makes every consistent deal equally likely, and rejects none.
"""

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wizard_env.cards import (
    DECK_SIZE,
    JESTER,
    NUM_SUITS,
    SUIT_CARDS,
    SUIT_SETS,
    UNITS,
    WIZARD,
    jesters_in,
    size_of,
    wizards_in,
)
from wizard_env.chance import mix, scale, step_generator
from wizard_env.checks import check_integer
from wizard_env.compiled.bits import count_bits, nth_bit
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import cards_left, unseen_by
from wizard_env.rules import MAX_PLAYERS
from wizard_env.sampling import unit_interval
from wizard_env.state import STATE, State
from wizard_env.view import View

_FACTORIALS = np.array([math.factorial(n) for n in range(DECK_SIZE + 1)], np.float64)
_BINOMIALS = np.array(
    [[math.comb(n, k) for k in range(DECK_SIZE + 1)] for n in range(DECK_SIZE + 1)], np.float64
)
"""float64 [61, 61]: the number of ways to choose k of n cards, at [n, k]."""

_MAX_LAYERS = NUM_SUITS * (MAX_PLAYERS - 1)
_PLAN = np.dtype(
    (
        np.record,
        [
            *((name, "i8") for name in ("pool", "free", "num_groups", "num_layers", "states", "rows")),
            ("root", "i8"),
            *((name, "i8", MAX_PLAYERS) for name in ("needs", "seat_group", "group_needs", "steps")),
            *((name, "i8", _MAX_LAYERS) for name in ("cards", "group", "opens", "closes", "row", "next_row")),
        ],
    )
)


class _Plan(Protocol):
    """The order of dealing the unseen cards: a record of dtype _PLAN.

    A layer is a step of dealing: cards of one class to one group that may hold them.
    """

    pool: int
    """The set of all cards that the observer has not seen."""
    free: int
    """The cards of the pool that every group may hold; dealt after the last layer."""
    num_groups: int
    states: int
    """The number of columns of `_count_ways`, one for each way in which the groups may still need cards."""
    num_layers: int
    rows: int
    """The number of rows of `_count_ways`; the last is for the free cards."""
    root: int
    """The row before anything is dealt."""
    needs: NDArray[np.int64]
    """[6] the number of cards that each seat holds; 0 for the observer."""
    seat_group: NDArray[np.int64]
    """[6] the group of each seat; -1 for a seat that may hold any card."""
    group_needs: NDArray[np.int64]
    """[6] the number of cards that each group holds."""
    steps: NDArray[np.int64]
    """[6] the distance between two columns that differ by one card of the group."""
    cards: NDArray[np.int64]
    """[20] the cards of each layer's class."""
    group: NDArray[np.int64]
    """[20] the group of each layer."""
    opens: NDArray[np.int64]
    closes: NDArray[np.int64]
    """[20] 1 for the first and for the last layer of a class."""
    row: NDArray[np.int64]
    """[20] the row of each layer with no card of its class left; one row more for each card left."""
    next_row: NDArray[np.int64]
    """[20] the same for the layer that follows; if that opens a class, the row with all its cards left."""


def draw_worlds(view: View, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """Draw complete games consistent with what the acting seats know; every deal is equally likely.

    Bids that the seat may not see stay HIDDEN. The generator of future deals is a random one.

    count: worlds per decision.

    Returns [n, count] records of dtype STATE.
    """
    check_integer("count", count, 1, 2**31)
    worlds = np.empty((len(view), count), STATE)
    _draw_rows(view.known, view.noise(rng), worlds)
    return worlds


def count_deals(view: View) -> NDArray[np.float64]:
    """Count the deals of the unseen cards consistent with what each acting seat knows: float64 [n]."""
    totals = np.empty(len(view))
    _count_rows(view.known, totals)
    return totals


@compiled
def _pick(cards: int, word: np.uint64) -> int:
    """Draw a card of a set, as a set."""
    suited = cards & SUIT_CARDS
    in_suits = count_bits(suited)
    wizards = wizards_in(cards)
    choice = scale(word, in_suits + wizards + jesters_in(cards))
    if choice < in_suits:
        return nth_bit(suited, choice)
    return UNITS[WIZARD] if choice < in_suits + wizards else UNITS[JESTER]


@compiled
def _find(values: Any, count: int, value: int) -> int:
    """Return the index of a value among the first `count`, or `count` if it is not there."""
    for index in range(count):
        if values[index] == value:
            return index
    return count


@compiled
def _make_plan(known: State, plan: _Plan) -> None:
    """Group seats and suits by the voids shown, and order the layers."""
    observer = int(known.seat)
    plan.pool = unseen_by(known, observer)
    live = 0
    for suit in range(NUM_SUITS):
        if plan.pool & SUIT_SETS[suit]:
            live |= 1 << suit
    group_voids = np.zeros(MAX_PLAYERS, np.int64)
    groups = 0
    for seat in range(known.num_players):
        plan.seat_group[seat] = -1
        plan.needs[seat] = 0 if seat == observer else cards_left(known, seat)
        voids = int(known.voids[seat]) & live
        if plan.needs[seat] and voids:
            group = _find(group_voids, groups, voids)
            if group == groups:
                group_voids[group] = voids
                plan.group_needs[group] = 0
                groups += 1
            plan.group_needs[group] += plan.needs[seat]
            plan.seat_group[seat] = group
    plan.num_groups = groups
    plan.states = 1
    for group in range(groups):
        plan.steps[group] = plan.states
        plan.states *= plan.group_needs[group] + 1
    plan.free = plan.pool & ~SUIT_CARDS
    class_holders = np.zeros(NUM_SUITS, np.int64)
    class_cards = np.zeros(NUM_SUITS, np.int64)
    classes = 0
    for suit in range(NUM_SUITS):
        cards = plan.pool & SUIT_SETS[suit]
        holders = 0
        for group in range(groups):
            if not (group_voids[group] >> suit) & 1:
                holders |= 1 << group
        if holders == (1 << groups) - 1:
            plan.free |= cards
        elif holders and cards:  # cards that no group may hold are with other seats, or not dealt
            index = _find(class_holders, classes, holders)
            classes = max(classes, index + 1)
            class_holders[index] = holders
            class_cards[index] |= cards
    _order_layers(plan, class_holders[:classes], class_cards)


@compiled
def _order_layers(plan: _Plan, class_holders: Any, class_cards: Any) -> None:
    layer, row = 0, 0
    plan.root = 0
    for index in range(len(class_holders)):
        size = count_bits(class_cards[index])
        if index == 0:
            plan.root = size
        else:
            plan.next_row[layer - 1] = row + size
        opens = 1
        for group in range(plan.num_groups):
            if (class_holders[index] >> group) & 1:
                plan.cards[layer] = class_cards[index]
                plan.group[layer] = group
                plan.opens[layer] = opens
                plan.closes[layer] = 0
                plan.row[layer] = row
                row += size + 1
                plan.next_row[layer] = row
                opens = 0
                layer += 1
        plan.closes[layer - 1] = 1
    plan.num_layers = layer
    plan.rows = row + 1


@compiled
def _needed(plan: _Plan, needs: int, group: int) -> int:
    """Return the number of cards that a group still needs in the column `needs`."""
    return needs // plan.steps[group] % (plan.group_needs[group] + 1)


@compiled
def _row_after(plan: _Plan, layer: int, left: int) -> int:
    """Return the row that follows a layer which leaves `left` cards of its class."""
    return plan.next_row[layer] if plan.closes[layer] else plan.next_row[layer] + left


@compiled
def _count_ways(plan: _Plan) -> Any:
    """Count, from the last layer to the first, the ways to give the groups what they still need.

    Returns float64 [rows, states]; rows that no deal can reach are not written.
    """
    counts = np.empty((plan.rows, plan.states))
    free = size_of(plan.free)
    for needs in range(plan.states):
        left = free
        ways = 1.0
        for group in range(plan.num_groups):
            digit = _needed(plan, needs, group)
            ways *= _BINOMIALS[left, digit] if digit <= left else 0.0
            left = max(left - digit, 0)
        counts[plan.rows - 1, needs] = ways
    for layer in range(plan.num_layers - 1, -1, -1):
        group = plan.group[layer]
        stride = plan.steps[group]
        size = count_bits(plan.cards[layer])
        for left in range(size if plan.opens[layer] else 0, size + 1):  # none is dealt before the first layer
            for needs in range(plan.states):
                ways = 0.0
                for taken in range(min(left, _needed(plan, needs, group)) + 1):
                    after = counts[_row_after(plan, layer, left - taken), needs - taken * stride]
                    ways += _BINOMIALS[left, taken] * after
                counts[plan.row[layer] + left, needs] = ways
    return counts


@compiled
def _count_splits(plan: _Plan, num_players: int) -> float:
    """Count the ways to split each group's cards among its seats and deal to the seats without voids."""
    rest = size_of(plan.pool)
    ways = 1.0
    for group in range(plan.num_groups):
        rest -= plan.group_needs[group]
        ways *= _FACTORIALS[plan.group_needs[group]]
    for seat in range(num_players):
        if plan.seat_group[seat] >= 0:
            ways /= _FACTORIALS[plan.needs[seat]]
        else:
            ways *= _BINOMIALS[rest, plan.needs[seat]]
            rest -= plan.needs[seat]
    return ways


@compiled
def _deal_unseen(plan: _Plan, counts: Any, world: State, generator: np.uint64) -> np.uint64:
    """Deal the unseen cards to the other seats; return the generator after the draws."""
    pools = np.zeros(MAX_PLAYERS, np.int64)
    rest = plan.pool
    needs = plan.states - 1
    class_left = 0
    for layer in range(plan.num_layers):
        if plan.opens[layer]:
            class_left = plan.cards[layer]
        group = plan.group[layer]
        stride = plan.steps[group]
        left = count_bits(class_left)
        generator = step_generator(generator, 1)
        target = unit_interval(mix(generator)) * counts[plan.row[layer] + left, needs]
        taken, most = 0, min(left, _needed(plan, needs, group))
        while taken < most:
            after = counts[_row_after(plan, layer, left - taken), needs - taken * stride]
            target -= _BINOMIALS[left, taken] * after
            if target < 0:
                break
            taken += 1
        needs -= taken * stride
        for _ in range(taken):
            generator = step_generator(generator, 1)
            card = _pick(class_left, mix(generator))
            class_left -= card
            rest -= card
            pools[group] += card
    free = plan.free
    for group in range(plan.num_groups):
        for _ in range(_needed(plan, needs, group)):
            generator = step_generator(generator, 1)
            card = _pick(free, mix(generator))
            free -= card
            rest -= card
            pools[group] += card
    for seat in range(world.num_players):
        if plan.needs[seat] == 0:
            continue
        group = plan.seat_group[seat]
        pool = pools[group] if group >= 0 else rest
        hand = 0
        for _ in range(plan.needs[seat]):
            generator = step_generator(generator, 1)
            card = _pick(pool, mix(generator))
            pool -= card
            hand += card
        if group >= 0:
            pools[group] = pool
        else:
            rest = pool
        world.hands[seat] = hand
    return generator


@outlined
def draw_deals(known: State, generator: np.uint64, worlds: Any, reseeds: bool) -> np.uint64:
    """Fill `worlds` with games consistent with what the acting seat knows; return the generator afterwards.

    reseeds: also give each world a random generator of future deals.
    """
    plans = np.empty(1, _PLAN)  # a record does not keep its array alive: take `plans[0]` where it is needed
    _make_plan(known, plans[0])
    counts = _count_ways(plans[0])
    for number in range(len(worlds)):
        worlds[number] = known
        generator = _deal_unseen(plans[0], counts, worlds[number], generator)
        if reseeds:
            generator = step_generator(generator, 1)
            worlds[number].generator = mix(generator)
    return generator


@kernel([STATE], [np.uint64], [[STATE]])
def _draw_rows(known: Any, words: Any, worlds: Any) -> None:
    for index in range(len(known)):
        draw_deals(known[index], words[index], worlds[index], True)


@kernel([STATE], [np.float64])
def _count_rows(known: Any, totals: Any) -> None:
    plans = np.empty(1, _PLAN)
    for index in range(len(known)):
        _make_plan(known[index], plans[0])
        ways = _count_ways(plans[0])[plans[0].root, plans[0].states - 1]
        totals[index] = ways * _count_splits(plans[0], int(known[index].num_players))
