"""Belief: worlds, which are complete games consistent with everything a seat has seen, drawn uniformly.

A seat that did not follow a suit holds none of it; nothing else about the other hands is certain. Seats
with the same voids form a group, and suits that the same groups may hold form a class. The ways to deal
the classes to the groups are counted backwards by dynamic programming. Going forwards with these counts
as weights makes every consistent deal equally likely, and rejects none.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wizard_env.cards import (
    COUNT,
    JESTER,
    JESTER_SHIFT,
    NUM_SUITS,
    SUIT_CARDS,
    SUIT_SETS,
    UNITS,
    WIZARD,
    WIZARD_SHIFT,
    size_of,
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

_MAX_LAYERS = NUM_SUITS * (MAX_PLAYERS - 1)
_FACTORIALS = np.array([float(np.prod(np.arange(1, n + 1, dtype=np.float64))) for n in range(61)])
_BINOMIALS = np.array(
    [
        [_FACTORIALS[n] / (_FACTORIALS[k] * _FACTORIALS[n - k]) if k <= n else 0.0 for k in range(61)]
        for n in range(61)
    ]
)
"""float64 [61, 61]: the number of ways to choose k of n cards, at [n, k]."""

PLAN = np.dtype(
    (
        np.record,
        [
            ("pool", "i8"),
            ("free", "i8"),
            ("needs", "i8", MAX_PLAYERS),
            ("num_groups", "i8"),
            ("group_voids", "i8", MAX_PLAYERS),
            ("group_needs", "i8", MAX_PLAYERS),
            ("steps", "i8", MAX_PLAYERS),
            ("num_classes", "i8"),
            ("class_cards", "i8", NUM_SUITS),
            ("num_layers", "i8"),
            ("layer_class", "i8", _MAX_LAYERS),
            ("layer_group", "i8", _MAX_LAYERS),
            ("layer_start", "i8", _MAX_LAYERS + 1),
            ("seat_group", "i8", MAX_PLAYERS),
        ],
    )
)


class Plan(Protocol):
    """What is certain about the hands that the observer does not see: a record of dtype PLAN.

    A layer is a pair of a class and a group that may hold it. Layers are in the order of dealing.
    """

    pool: int
    """The set of all cards that the observer has not seen."""
    free: int
    """The cards of the pool that every group may hold."""
    needs: NDArray[np.int64]
    """[6] the number of cards that each seat holds; 0 for the observer."""
    num_groups: int
    group_voids: NDArray[np.int64]
    """[6] the suits that each group is void in."""
    group_needs: NDArray[np.int64]
    """[6] the number of cards that each group holds."""
    steps: NDArray[np.int64]
    """[6] the distance between two counts that differ by one card of the group."""
    num_classes: int
    class_cards: NDArray[np.int64]
    """[4] the cards of each class, which some groups may hold and others may not."""
    num_layers: int
    layer_class: NDArray[np.int64]
    layer_group: NDArray[np.int64]
    layer_start: NDArray[np.int64]
    """[21] the index of each layer's first count; the entry after the last layer is for the free cards."""
    seat_group: NDArray[np.int64]
    """[6] the group of each seat; -1 for a seat that may hold any card."""


def draw_worlds(view: View, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """Draw complete games consistent with what the acting seats know; every deal is equally likely.

    Bids that the seat may not see stay HIDDEN. The generator of future deals is a random one.

    Args:
        view: n decisions.
        count: worlds per decision, at least 1.
        rng: used if the view has no random words of its own.

    Returns:
        [n, count] records of dtype STATE.
    """
    check_integer("count", count, 1, 2**31)
    worlds = np.empty((len(view), count), STATE)
    _draw_rows(view.known, view.noise(rng), worlds)
    return worlds


def count_deals(view: View) -> NDArray[np.float64]:
    """float64 [n]: the number of deals of the unseen cards consistent with what each acting seat knows."""
    totals = np.empty(len(view))
    _count_rows(view.known, totals)
    return totals


@compiled
def pick(cards: int, word: np.uint64) -> int:
    """One uniformly random card of a set, as a set."""
    suited = cards & SUIT_CARDS
    in_suits = count_bits(suited)
    wizards = (cards >> WIZARD_SHIFT) & COUNT
    choice = scale(word, in_suits + wizards + ((cards >> JESTER_SHIFT) & COUNT))
    if choice < in_suits:
        return nth_bit(suited, choice)
    return UNITS[WIZARD] if choice < in_suits + wizards else UNITS[JESTER]


@compiled
def make_plan(known: State, observer: int, plan: Plan) -> None:
    """Group seats and suits by the voids shown."""
    plan.pool = unseen_by(known, observer)
    live = 0
    for suit in range(NUM_SUITS):
        if plan.pool & SUIT_SETS[suit]:
            live |= 1 << suit
    plan.num_groups = 0
    for seat in range(known.num_players):
        plan.seat_group[seat] = -1
        plan.needs[seat] = 0 if seat == observer else cards_left(known, seat)
        voids = int(known.voids[seat]) & live
        if plan.needs[seat] == 0 or voids == 0:
            continue
        group = 0
        while group < plan.num_groups and plan.group_voids[group] != voids:
            group += 1
        if group == plan.num_groups:
            plan.num_groups += 1
            plan.group_voids[group] = voids
            plan.group_needs[group] = 0
        plan.group_needs[group] += plan.needs[seat]
        plan.seat_group[seat] = group
    _make_classes(plan)


@compiled
def _make_classes(plan: Plan) -> None:
    everybody = (1 << plan.num_groups) - 1
    holders = np.zeros(NUM_SUITS, np.int64)
    plan.free = plan.pool & ~SUIT_CARDS
    plan.num_classes = 0
    for suit in range(NUM_SUITS):
        groups = 0
        for group in range(plan.num_groups):
            if not (plan.group_voids[group] >> suit) & 1:
                groups |= 1 << group
        cards = plan.pool & SUIT_SETS[suit]
        if groups == everybody:
            plan.free |= cards
            continue
        if groups == 0 or cards == 0:  # only seats without voids may hold these cards, or they are not dealt
            continue
        index = 0
        while index < plan.num_classes and holders[index] != groups:
            index += 1
        if index == plan.num_classes:
            plan.num_classes += 1
            holders[index] = groups
            plan.class_cards[index] = 0
        plan.class_cards[index] |= cards
    size = 1
    for group in range(plan.num_groups):
        plan.steps[group] = size
        size *= plan.group_needs[group] + 1
    plan.num_layers = 0
    plan.layer_start[0] = 0
    for index in range(plan.num_classes):
        for group in range(plan.num_groups):
            if (holders[index] >> group) & 1:
                layer = plan.num_layers
                plan.layer_class[layer] = index
                plan.layer_group[layer] = group
                rows = count_bits(plan.class_cards[index]) + 1
                plan.layer_start[layer + 1] = plan.layer_start[layer] + size * rows
                plan.num_layers += 1


@compiled
def num_counts(plan: Plan) -> int:
    """The number of counts that `count_ways` writes."""
    last = plan.num_groups - 1
    states = plan.steps[last] * (plan.group_needs[last] + 1) if last >= 0 else 1
    return plan.layer_start[plan.num_layers] + states


@compiled
def count_ways(plan: Plan, counts: Any) -> float:
    """Count, from the last layer to the first, the ways to give the groups what they still need.

    counts: float64 [num_counts(plan)], written here. The count at layer_start + left * states + needs
        is for `left` cards of the class not dealt yet, and groups that still need `needs` cards, with
        one digit of a mixed radix per group. The last `states` counts are for the free cards.

    Returns the count at the start.
    """
    end = plan.layer_start[plan.num_layers]
    states = num_counts(plan) - end
    free = size_of(plan.free)
    for needs in range(states):
        left = free
        ways = 1.0
        for group in range(plan.num_groups):
            digit = _needed(plan, needs, group)
            ways *= _BINOMIALS[left, digit] if digit <= left else 0.0
            left = max(left - digit, 0)
        counts[end + needs] = ways
    for layer in range(plan.num_layers - 1, -1, -1):
        group = plan.layer_group[layer]
        stride = plan.steps[group]
        cards = count_bits(plan.class_cards[plan.layer_class[layer]])
        is_last = _ends_class(plan, layer)
        fewest = cards if layer == 0 or _ends_class(plan, layer - 1) else 0  # none is dealt before the first
        for left in range(fewest, cards + 1):
            here = plan.layer_start[layer] + left * states
            for needs in range(states):
                digit = _needed(plan, needs, group)
                ways = 0.0
                for taken in range(min(left, digit) + 1):
                    there = _next_start(plan, layer, is_last, left - taken, states)
                    ways += _BINOMIALS[left, taken] * counts[there + needs - taken * stride]
                counts[here + needs] = ways
    return counts[_start_of(plan, states)]


@compiled
def _needed(plan: Plan, needs: int, group: int) -> int:
    """The number of cards that a group still needs: its digit of `needs`."""
    return needs // plan.steps[group] % (plan.group_needs[group] + 1)


@compiled
def _ends_class(plan: Plan, layer: int) -> bool:
    """Whether no later layer deals cards of this layer's class."""
    return layer + 1 == plan.num_layers or plan.layer_class[layer + 1] != plan.layer_class[layer]


@compiled
def _next_start(plan: Plan, layer: int, is_last: bool, left: int, states: int) -> int:
    """The index of the counts that follow a layer, with `left` cards of its class left."""
    if not is_last:
        return plan.layer_start[layer + 1] + left * states
    if layer + 1 == plan.num_layers:
        return plan.layer_start[layer + 1]
    following = count_bits(plan.class_cards[plan.layer_class[layer + 1]])
    return plan.layer_start[layer + 1] + following * states


@compiled
def _start_of(plan: Plan, states: int) -> int:
    """The index of the count of all ways."""
    if plan.num_layers == 0:
        return states - 1
    return count_bits(plan.class_cards[plan.layer_class[0]]) * states + states - 1


@compiled
def count_splits(plan: Plan, num_players: int) -> float:
    """The number of ways to split each group's cards among its seats and deal to the seats without voids."""
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
def draw_hands(plan: Plan, counts: Any, world: State, generator: np.uint64) -> np.uint64:
    """Deal the unseen cards to the other seats; returns the generator after the draws.

    counts: as `count_ways` wrote them.
    """
    states = num_counts(plan) - plan.layer_start[plan.num_layers]
    pools = np.zeros(MAX_PLAYERS, np.int64)
    rest = plan.pool
    needs = states - 1
    class_left = 0
    for layer in range(plan.num_layers):
        group = plan.layer_group[layer]
        if layer == 0 or _ends_class(plan, layer - 1):
            class_left = plan.class_cards[plan.layer_class[layer]]
        stride = plan.steps[group]
        left = count_bits(class_left)
        digit = _needed(plan, needs, group)
        is_last = _ends_class(plan, layer)
        generator = step_generator(generator, 1)
        target = unit_interval(mix(generator)) * counts[plan.layer_start[layer] + left * states + needs]
        taken, most = 0, min(left, digit)
        while taken < most:
            there = _next_start(plan, layer, is_last, left - taken, states)
            target -= _BINOMIALS[left, taken] * counts[there + needs - taken * stride]
            if target < 0:
                break
            taken += 1
        needs -= taken * stride
        for _ in range(taken):
            generator = step_generator(generator, 1)
            card = pick(class_left, mix(generator))
            class_left -= card
            rest -= card
            pools[group] += card
    free = plan.free
    for group in range(plan.num_groups):
        for _ in range(_needed(plan, needs, group)):
            generator = step_generator(generator, 1)
            card = pick(free, mix(generator))
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
            card = pick(pool, mix(generator))
            pool -= card
            hand += card
        if group >= 0:
            pools[group] = pool
        else:
            rest = pool
        world.hands[seat] = hand
    return generator


@outlined
def draw_deals(known: State, observer: int, generator: np.uint64, worlds: Any, reseeds: bool) -> np.uint64:
    """Fill `worlds` with complete games consistent with what the observer knows.

    reseeds: whether to give each world a random generator of future deals, too.

    Returns the generator after the draws.
    """
    plans = np.empty(1, PLAN)  # a record does not keep its array alive: take `plans[0]` where it is needed
    make_plan(known, observer, plans[0])
    counts = np.empty(num_counts(plans[0]))
    count_ways(plans[0], counts)
    for number in range(len(worlds)):
        worlds[number] = known
        generator = draw_hands(plans[0], counts, worlds[number], generator)
        if reseeds:
            generator = step_generator(generator, 1)
            worlds[number].generator = mix(generator)
    return generator


@kernel([STATE], [np.uint64], [[STATE]])
def _draw_rows(known: Any, words: Any, worlds: Any) -> None:
    for index in range(len(known)):
        draw_deals(known[index], int(known[index].seat), words[index], worlds[index], True)


@kernel([STATE], [np.float64])
def _count_rows(known: Any, totals: Any) -> None:
    plans = np.empty(1, PLAN)
    for index in range(len(known)):
        make_plan(known[index], int(known[index].seat), plans[0])
        counts = np.empty(num_counts(plans[0]))
        totals[index] = count_ways(plans[0], counts) * count_splits(plans[0], int(known[index].num_players))
