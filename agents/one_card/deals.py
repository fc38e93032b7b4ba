"""Counts of all deals of a one-card round, by the cards held and the seat that takes the trick.

Seats are numbered as they bid and play: 0 is to the dealer's left, and the dealer is the last. What a seat
has heard is the number whose binary digits are the bids before its own, in order; 0 where bids are hidden.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import Game, Rules
from wizard_env.actions import FIRST_PLAY
from wizard_env.cards import CARD_NAMES, COPIES, NUM_KINDS, SUITS, UNITS
from wizard_env.compiled.jit import kernel
from wizard_env.engine import apply, power_in_trick, score
from wizard_env.state import STATE

SIZES = (3, 4)
"""Numbers of players for which all deals are counted."""
BIDS = OUTCOMES = 2
LOST, WON = range(OUTCOMES)
POINTS = np.array([[score(bid, tricks) for tricks in (LOST, WON)] for bid in range(BIDS)], np.float64)
"""float64 [bids, outcomes]: the points of the round."""
CERTAIN = np.ones(NUM_KINDS)
"""The weight of each of the dealer's cards where it names no trump."""


def is_hidden(rules: Rules) -> bool:
    """Return whether nobody hears a bid before making one."""
    return rules.bid_reveal != "open"


def cards_left(upcard: int) -> NDArray[np.int64]:
    """Return int64 [54], the copies of each card that the deck holds beside the upcard."""
    left = np.array(COPIES)
    left[upcard] -= 1
    return left


def deal_round(rules: Rules, upcard: int) -> Game:
    """Return a round with an upcard, before any decision. The last seat deals; the hands mean nothing.

    rules: of one round, of one card.
    """
    hands = [CARD_NAMES[card] for card in range(NUM_KINDS) if card != upcard][: rules.num_players]
    return Game.from_deal(rules, rules.num_players - 1, hands, CARD_NAMES[upcard])


def begin_bidding(rules: Rules, upcard: int, trump: int) -> Game:
    """Return `deal_round` with a suit named as trump, if the upcard is a Wizard."""
    game = deal_round(rules, upcard)
    if game.phase == "trump":
        game.step(f"trump {SUITS[trump]}")
    return game


def bid_as_heard(game: Game, seat: int, heard: int) -> Game:
    """Return a copy of a round whose bidding begins, at the bid of a seat that has heard these bids."""
    game = game.clone()
    for digit in reversed(range(seat)):
        game.step(f"bid {heard >> digit & 1}")
    return game


def legal_bids(rules: Rules, upcard: int) -> list[NDArray[np.bool_]]:
    """Return for each seat bool [bids, heard, 1], whether it may make a bid after what it has heard."""
    start, legal = begin_bidding(rules, upcard, 0), []
    for seat in range(rules.num_players):
        own = np.zeros((BIDS, 1 if is_hidden(rules) else BIDS**seat, 1), np.bool_)
        for heard in range(own.shape[1]):
            own[bid_as_heard(start, seat, heard).legal_actions(), heard] = True
        legal.append(own)
    return legal


class Deals:
    """Counts deals, in memory that is used again: pages of it that are new take longer than the counting."""

    def __init__(self, rules: Rules) -> None:
        """Take the memory: 139 MB for 4 players, 3 MB for 3. rules: of one round, of one card."""
        self._rules = rules
        self._shapes = [(OUTCOMES, *[NUM_KINDS] * (seat + 1)) for seat in range(rules.num_players)]
        self._ends = np.cumsum([math.prod(shape) for shape in self._shapes])
        self._counts = np.zeros(self._ends[-1])

    def count(
        self, upcard: int, trump: int, naming: NDArray[np.float64] = CERTAIN
    ) -> list[NDArray[np.float64]]:
        """Count the deals in which seats hold given cards, by whether a seat takes the trick.

        Args:
            upcard, trump: as for `begin_bidding`.
            naming: float64 [54], the weight of a deal by the dealer's card, such as the probability that the
                dealer then names the trump; it does not apply to what the dealer knows itself.

        Returns:
            For each seat float64 [outcomes, 54, ..., 54]: the weight of the deals in which it has lost or
            won, by the cards of the seats up to its own. Sums of integers are exact. The next call overwrites
            them.
        """
        game = begin_bidding(self._rules, upcard, trump)
        while game.phase != "play":
            game.step(game.legal_actions()[0])
        self._counts[:] = 0
        _count(np.concatenate([game.state, game.state]), cards_left(upcard), naming, self._counts)
        parts = np.split(self._counts, self._ends[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]


def outcomes(
    counts: NDArray[np.float64], earlier_bids: Sequence[NDArray[np.float64]], hidden: bool
) -> NDArray[np.float64]:
    """Return float64 [outcomes, heard, 54]: the weight of the deals by what a seat has heard and its card.

    Args:
        counts: of the seat, as `Deals.count` returns them.
        earlier_bids: of each seat before it float64 [heard, 54], the probability that it bids 1.
        hidden: the seat hears nothing, so the second dimension is 1.
    """
    if hidden:
        return counts.sum(axis=tuple(range(1, counts.ndim - 1)))[:, np.newaxis]
    parts, heard = counts, 1
    for bids in earlier_bids:
        chances = np.stack([1 - bids, bids], axis=1)  # [heard, bids, 54]
        parts = chances @ parts.reshape(OUTCOMES, heard, NUM_KINDS, -1)
        heard *= BIDS
    return parts.reshape(OUTCOMES, heard, NUM_KINDS)


def points_of_bids(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 [bids, heard, 54]: the points of each bid, added up over the deals of `outcomes`."""
    points: NDArray[np.float64] = np.einsum("bo,ohc->bhc", POINTS, weights)
    return points


@kernel([STATE], [np.int64], [np.float64], [np.float64])
def _count(states: Any, deck: Any, naming: Any, counts: Any) -> None:
    """Play every deal. states: [2], the round before the first card, and room for a copy."""
    players = int(states[0].num_players)
    last = players - 1
    left = np.empty_like(deck)
    taken = np.empty(players)  # the weight of the deals in which each seat takes the trick
    for prefix in range(NUM_KINDS**last):  # the cards of all but the dealer, as digits
        left[:] = deck
        ways, unit, cards = 1, NUM_KINDS ** (last - 1), prefix
        for _ in range(last):
            card = cards // unit
            ways *= left[card]
            left[card] -= 1
            cards %= unit
            unit //= NUM_KINDS
        if ways == 0:
            continue
        states[1] = states[0]
        state = states[1]
        unit, cards = NUM_KINDS ** (last - 1), prefix
        for seat in range(last):
            state.hands[seat] = UNITS[cards // unit]
            apply(state, FIRST_PLAY + cards // unit)
            cards %= unit
            unit //= NUM_KINDS
        taken[:] = 0.0
        dealers = len(counts) - BIDS * NUM_KINDS**players + prefix * NUM_KINDS
        for card in range(NUM_KINDS):
            winner = last if power_in_trick(state, card) > state.best_power else int(state.best_seat)
            taken[winner] += naming[card] * left[card]
            outcome = WON if winner == last else LOST
            counts[dealers + outcome * NUM_KINDS**players + card] = ways * left[card]
        total, start, unit = taken.sum(), 0, NUM_KINDS ** (last - 1)
        for seat in range(last):
            kinds = NUM_KINDS ** (seat + 1)
            counts[start + LOST * kinds + prefix // unit] += ways * (total - taken[seat])
            counts[start + WON * kinds + prefix // unit] += ways * taken[seat]
            start += BIDS * kinds
            unit //= NUM_KINDS
