"""The equilibrium of a round of one card.

With one card each the play is forced, so a seat's points depend on its own bid and on whether its card takes
the trick, and on no later bid. A seat is solved as soon as those before it are: what it has heard says which
cards they are likely to hold, and its best bid is the one of most points on that belief. Going on like this
from the dealer's left gives bids that are all best against the strategies of the others: a Nash equilibrium.
It is the only one where no two bids of a seat are worth the same, which the enumeration finds nowhere, but
for the answers to bids that nobody makes; there a seat believes what it would if it had heard nothing. Where
bids are hidden, the best bid depends on nobody else.

If the upcard is a Wizard, the dealer first names the trump, which tells the others about its card, and their
bids tell the dealer about theirs, or bind it under a restriction: a signalling game (Crawford and Sobel
1982). Its equilibrium here treats suits alike: a dealer with a suit card names that suit with a probability
that depends on the rank, and otherwise one of the other three, all equally likely, as are all four with a
Wizard or a Jester. Ranks name their own suit in an order, and only the marginal one mixes. The number of
ranks that do is found by bisection on whether the marginal rank gains by it. Where answers of a seat jump at
that number, they are tied there; then the probability of its other answers is found in the same way, and so
on along the seats. Other equilibria of this signalling game may exist, with other values.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.agents.one_card.deals import (
    CERTAIN,
    Deals,
    is_hidden,
    legal_bids,
    outcomes,
    points_of_bids,
)
from wizard_env.cards import JESTER, NUM_KINDS, NUM_RANKS, NUM_SUIT_CARDS, NUM_SUITS, WIZARD

_Bids = list[NDArray[np.float64]]
"""Of each seat float64 [heard, 54], the probability that it bids 1."""
_ROUNDING = 1e-5
"""Points, added up over all deals, of which there are 194,580 or more with each upcard."""


class Strategies(NamedTuple):
    """The strategies of the seats after an upcard that makes the first suit trump, or leaves no trump."""

    bids: _Bids
    naming: NDArray[np.float64]
    """float64 [54]: the probability that the dealer names that suit, by its card; 1 if it names none."""


class _Answer(NamedTuple):
    bids: _Bids
    """The best of every seat."""
    gains: NDArray[np.float64]
    """float64 [13]: the dealer's points with its own suit as trump less those with another, by rank."""


def in_first_suit(card: NDArray[np.int64], trump: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cards with their suits turned so that the trump is the first one."""
    turned = (card - trump * NUM_RANKS) % NUM_SUIT_CARDS
    return np.where((card < NUM_SUIT_CARDS) & (trump < NUM_SUITS), turned, card)


@cache
def solve(rules: Rules) -> dict[int, Strategies]:
    """Return the equilibrium after each upcard: the cards of the first suit, the Wizard and the Jester.

    Takes half a second for 3 players, and seconds for 4. rules: of one round, of one card.
    """
    deals = Deals(rules)
    found = {}
    for upcard in (*range(NUM_RANKS), JESTER):
        found[upcard] = Strategies(_Bidding(deals, rules, upcard).answer().bids, CERTAIN)
    return found | {WIZARD: _solve_naming(_Bidding(deals, rules, WIZARD))}


class _Bidding:
    """The bidding after an upcard where the first suit is trump, or none."""

    def __init__(self, deals: Deals, rules: Rules, upcard: int) -> None:
        self._deals, self._upcard, self._hidden = deals, upcard, is_hidden(rules)
        self._legal = legal_bids(rules, upcard)

    def answer(
        self, naming: NDArray[np.float64] = CERTAIN, given: Sequence[NDArray[np.float64]] = ()
    ) -> _Answer:
        """Find the best bids of every seat, but for the first ones if their bids are given.

        naming: as for `Deals.count`.
        """
        bids = list(given)
        for seat, counts in enumerate(self._deals.count(self._upcard, 0, naming)):
            weights = outcomes(counts, bids[:seat], self._hidden)
            never = weights.sum(axis=0) == 0
            believed = np.where(never, outcomes(counts, bids[:seat], hidden=True), weights)
            points = np.where(self._legal[seat], self._alike(points_of_bids(believed)), -np.inf)
            if seat == len(bids):
                bids.append((points[1] > points[0]).astype(np.float64))
        dealer = np.where(never, 0.0, points.max(axis=0)).sum(axis=0)
        return _Answer(bids, dealer[:NUM_RANKS] - dealer[NUM_RANKS : 2 * NUM_RANKS])

    def _alike(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the suits that are not trump the same points, which differ by rounding if a trump is named."""
        if self._upcard == WIZARD:
            plain = points[..., NUM_RANKS:NUM_SUIT_CARDS]
            means = plain.reshape(*points.shape[:2], NUM_SUITS - 1, NUM_RANKS).mean(axis=2)
            plain[:] = np.tile(means, NUM_SUITS - 1)
        return points


def _name_trump(own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `naming` of Strategies. own: float64 [13], the probability of each rank to name its own suit."""
    others = np.tile((1 - own) / (NUM_SUITS - 1), NUM_SUITS - 1)
    return np.concatenate([own, others, np.full(NUM_KINDS - NUM_SUIT_CARDS, 1 / NUM_SUITS)])


def _solve_naming(bidding: _Bidding) -> Strategies:
    """Find the equilibrium after a Wizard, trying orders of the ranks until no other name gains."""
    order = np.arange(NUM_RANKS)[::-1]
    for _ in range(NUM_RANKS):
        own, answer = _mix(bidding, order)
        if (np.where(own < 1, answer.gains, 0) < _ROUNDING).all() and (
            np.where(own > 0, answer.gains, 0) > -_ROUNDING
        ).all():
            return Strategies(answer.bids, _name_trump(own))
        order = np.argsort(-answer.gains, kind="stable")
    raise RuntimeError("no equilibrium was found in which only one rank mixes")


class _Point(NamedTuple):
    """A place on the way from never naming its own suit to always, with the answers of the seats there."""

    place: float
    answer: _Answer
    gain: float
    """The gain of the marginal rank."""


def _mix(bidding: _Bidding, order: NDArray[np.int64]) -> tuple[NDArray[np.float64], _Answer]:
    """Return each rank's probability to name its own suit, and the answers, where the marginal rank is tied.

    order: the ranks, as they begin to name their own suit.
    """

    def name(number: float) -> NDArray[np.float64]:
        own = np.zeros(NUM_RANKS)
        own[order] = np.clip(number - np.arange(NUM_RANKS), 0, 1)
        return own

    def go_to(number: float) -> _Point:
        answer = bidding.answer(_name_trump(name(number)))
        return _Point(number, answer, answer.gains[order[min(int(number), NUM_RANKS - 1)]])

    def is_between_ranks(low: _Point, high: _Point) -> bool:
        return int(high.place) - int(low.place) == 1 and not _bids_differ(low, high)

    low, high = go_to(0.0), go_to(float(NUM_RANKS))
    if low.gain <= 0 or high.gain > 0:
        end = low if low.gain <= 0 else high
        return name(end.place), end.answer
    low, high = _bisect(low, high, go_to, is_between_ranks)
    if is_between_ranks(low, high):
        own = name(float(int(high.place)))
        return own, bidding.answer(_name_trump(own))
    own, marginal = name(high.place), order[int(high.place)]

    def mix(share: float, given: _Bids, first: NDArray[np.float64], second: NDArray[np.float64]) -> _Point:
        answer = bidding.answer(_name_trump(own), [*given, first + share * (second - first)])
        return _Point(share, answer, answer.gains[marginal])

    for seat in range(len(low.answer.bids) - 1):
        given, first, second = high.answer.bids[:seat], low.answer.bids[seat], high.answer.bids[seat]
        if not np.array_equal(first, second):
            go_on = partial(mix, given=given, first=first, second=second)
            low, high = _bisect(go_on(0.0), go_on(1.0), go_on)
    return own, high.answer


def _bids_differ(low: _Point, high: _Point) -> bool:
    """Return whether a seat before the dealer answers differently at two places."""
    pairs = zip(low.answer.bids[:-1], high.answer.bids[:-1], strict=True)
    return not all(np.array_equal(first, second) for first, second in pairs)


def _bisect(
    low: _Point,
    high: _Point,
    go_to: Callable[[float], _Point],
    is_done: Callable[[_Point, _Point], bool] = lambda low, high: False,
) -> tuple[_Point, _Point]:
    """Narrow the way from a place of positive gain to one without, to neighbouring numbers or until done."""
    while not is_done(low, high):
        middle = (low.place + high.place) / 2
        if middle in (low.place, high.place):
            break
        point = go_to(middle)
        low, high = (point, high) if point.gain > 0 else (low, point)
    return low, high
