"""Writing what a seat may know: the fields of OBSERVATION and FULL_STATE, and the mask of legal actions.

Speed comes from words of 64 bits. Fields of flags are gathered in one word and written at once, and numbers
of the seats are a byte each in one word, rotated, compared and summed for all seats together (SIMD within a
register; Lamport 1975).
"""

from collections import namedtuple
from typing import Any

import numpy as np

from wizard_env.actions import FIRST_PLAY, FIRST_TRUMP, NUM_ACTIONS
from wizard_env.cards import (
    DECK,
    JESTER,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUIT_CARDS,
    NUM_SUITS,
    RANK_BITS,
    SPECIALS,
    SUIT_CARDS,
    UNITS,
    WIZARD,
    jesters_in,
    rank_of,
    suit_of,
    wizards_in,
)
from wizard_env.compiled.bits import count_bits
from wizard_env.compiled.jit import at, compiled
from wizard_env.compiled.packing import (
    BYTE,
    BYTE_BITS,
    WORD_BITS,
    WORD_BYTES,
    load_bytes,
    load_scaled,
    store_bytes,
    unpack_bits,
)
from wizard_env.engine import bids_are_public, first_action, left_of, legal
from wizard_env.observation.fields import (
    CARD_CODE_SIZE,
    FULL_SIZE,
    FULL_SLICES,
    OBS_SIZE,
    SCORE_UNIT,
    SCORE_ZERO,
)
from wizard_env.rules import BID_RESTRICTIONS, MAX_PLAYERS, MIN_PLAYERS
from wizard_env.state import HIDDEN, NO_CARD, NO_SUIT, NOT_BID, PLAY, SCORED, WORD_FIELDS, Row, State

# --- the order of the suits
#
# Wizard's suits differ only in name, so a learner that sees them in the observer's own order learns each
# pattern once instead of 24 times. An order is packed into one integer: two bits per suit give its position.

PRINTED_ORDER = 0b11_10_01_00
"""Suits in their printed order: spades, hearts, diamonds, clubs."""


@compiled
def choose_order(state: State, observer: int, canonical: bool) -> int:
    """Return the canonical order for an observer, or the printed one."""
    return canonical_order(state, observer) if canonical else PRINTED_ORDER


@compiled
def _position_of(suit: int, order: int) -> int:
    """Return the position of a suit in an order; UNDECIDED and NO_SUIT stay unchanged."""
    if order == PRINTED_ORDER or suit < 0 or suit >= NO_SUIT:
        return suit
    return (order >> 2 * suit) & 3


@compiled
def canonical_order(state: State, observer: int) -> int:
    """Put trump first, then the suits by the number of cards that `observer` holds, then by their ranks."""
    hand = state.hands[observer]
    order = 0
    for suit in range(NUM_SUITS):
        position = 0
        for other in range(NUM_SUITS):
            if _weight(state, hand, other) > _weight(state, hand, suit):
                position += 1
        order |= position << 2 * suit
    return order


@compiled
def _weight(state: State, hand: int, suit: int) -> int:
    """Return a sort key for suits; no two are equal."""
    ranks = (hand >> NUM_RANKS * suit) & RANK_BITS
    weight = (count_bits(ranks) << NUM_RANKS) | ranks
    if suit == state.trump:
        weight |= 1 << 2 * NUM_RANKS
    return weight * NUM_SUITS + (NUM_SUITS - 1 - suit)


@compiled
def _reorder(cards: int, order: int) -> int:
    """Rename the suits of a set of cards."""
    if order == PRINTED_ORDER:
        return cards
    renamed = cards & SPECIALS
    for suit in range(NUM_SUITS):
        ranks = (cards >> NUM_RANKS * suit) & RANK_BITS
        renamed |= ranks << NUM_RANKS * ((order >> 2 * suit) & 3)
    return renamed


@compiled
def _reorder_suits(suits: int, order: int) -> int:
    """Rename sets of suits, one in each byte."""
    if order == PRINTED_ORDER:
        return suits
    renamed = 0
    for suit in range(NUM_SUITS):
        renamed |= ((suits >> suit) & _ONES) << ((order >> 2 * suit) & 3)
    return renamed


@compiled
def _reorder_card(card: int, order: int) -> int:
    """Rename the suit of a card; NO_CARD, Wizard and Jester stay unchanged."""
    if order == PRINTED_ORDER or card < 0 or card >= WIZARD:
        return card
    return ((order >> 2 * suit_of(card)) & 3) * NUM_RANKS + rank_of(card)


@compiled
def reorder_action(action: int, order: int) -> int:
    """Rename the suit of an action."""
    if action >= FIRST_PLAY:
        return FIRST_PLAY + _reorder_card(action - FIRST_PLAY, order)
    if action >= FIRST_TRUMP:
        return FIRST_TRUMP + ((order >> 2 * (action - FIRST_TRUMP)) & 3)
    return action


@compiled
def printed_action(action: int, order: int) -> int:
    """Turn an action in a given suit order into the suits as printed."""
    return action if order == PRINTED_ORDER else reorder_action(action, _inverse_order(order))


@compiled
def _inverse_order(order: int) -> int:
    """Return the order that undoes another."""
    undo = 0
    for suit in range(NUM_SUITS):
        undo |= suit << 2 * ((order >> 2 * suit) & 3)
    return undo


# --- a byte for each seat
#
# Byte i of a word is about seat i, or about place i: the i-th seat to the left of the observer.

_ONES = sum(1 << BYTE_BITS * place for place in range(MAX_PLAYERS))
"""1 in the byte of every seat."""
_SIGNS = _ONES << BYTE_BITS - 1
"""The highest bit of every seat's byte."""


@compiled
def _byte_at(number: int, place: int) -> int:
    """Put a number below 128 in the byte of a place, zero in the others."""
    return number << BYTE_BITS * place


@compiled
def rotate_bytes(seats: int, observer: int, num_players: int) -> int:
    """Turn bytes by seat into bytes by place, zero from `num_players` on."""
    back = BYTE_BITS * observer
    size = BYTE_BITS * num_players
    seats &= (1 << size) - 1
    return (seats >> back | seats << size - back) & ((1 << size) - 1)


@compiled
def fill_bytes(ones: int) -> int:
    """Put 255 in every byte that holds 1."""
    return (ones << BYTE_BITS) - ones


@compiled
def sum_bytes(seats: int) -> int:
    """Add all bytes; the sum must be below 256."""
    seats += seats >> 4 * BYTE_BITS
    seats += seats >> 2 * BYTE_BITS
    return (seats + (seats >> BYTE_BITS)) & BYTE


@compiled
def excess_bytes(seats: int, others: int) -> int:
    """Put max(a - b, 0) in every byte; all numbers must be below 128."""
    differences = (seats | _SIGNS) - others
    positive = (differences & _SIGNS) >> BYTE_BITS - 1
    return differences & (fill_bytes(positive) & ~_SIGNS)


@compiled
def pack_nibbles(seats: int) -> int:
    """Move numbers below 16 together, from a byte to four bits each."""
    seats = (seats | seats >> 4) & 0x00FF00FF00FF
    seats = (seats | seats >> 8) & 0xFFFF0000FFFF
    return (seats | seats >> 16) & 0xFFFFFF


# --- where the fields are


_Starts = namedtuple("_Starts", FULL_SLICES)  # type: ignore[misc]
_AT: Any = _Starts(*(part.start for part in FULL_SLICES.values()))
"""The entry at which each field starts."""
_CODES = np.array(
    [0]
    + [1 << card // NUM_RANKS | 1 << NUM_SUITS + 2 + card % NUM_RANKS for card in range(NUM_SUIT_CARDS)]
    + [1 << NUM_SUITS, 1 << NUM_SUITS + 1]
)
"""int64 [55]: each card + 1 as CARD_CODE_SIZE flags; the first, for NO_CARD, has none."""
assert NO_CARD == -1
_HALF_TRICK = MAX_PLAYERS // 2
"""The number of card codes that fit into one word."""

# Rows are written from the front: the fields of flags, of which the last ones are one number, then a
# word of bytes for each field of the seats, one for the numbers of the round, and one for the options.
# The spare entries stay zero; a field that takes some of them is written last, in a word of its own.
_FLAGS = _AT.winning
assert _AT.position - _FLAGS <= WORD_BITS <= OBS_SIZE - _FLAGS
assert _AT.bid_total - _AT.hand_size < WORD_BYTES
assert _AT.magic_edition - _AT.bid_restriction < WORD_BYTES
assert len(BID_RESTRICTIONS) <= WORD_BYTES <= OBS_SIZE - _AT.spare
_FIRST_BITS = BYTE_BITS * (_AT.bid_reveal - _AT.bid_restriction)
"""The bits that show the first restrictions; those above show later ones, in a field of their own."""
_LATER_RESTRICTIONS = _AT.magic_edition + 1
_HAS_LATER_RESTRICTIONS = len(BID_RESTRICTIONS) > _AT.bid_reveal - _AT.bid_restriction
assert {"scores", "bids", "tricks_won", "voids"} <= set(WORD_FIELDS)  # those that are loaded as words
assert NOT_BID == -1
assert HIDDEN == -2
_DECIDING = (1 << SCORED) - 1
"""The phases in which a seat acts."""
_MASK_TAIL = NUM_ACTIONS - WORD_BITS


# --- writing


@compiled
def _write_cards(row: Row, start: int, cards: int) -> None:
    """Write the number of cards of each of the 54 kinds in a set."""
    unpack_bits(row.values, start, cards & SUIT_CARDS)
    row.values[at(start + WIZARD)] = wizards_in(cards)
    row.values[at(start + JESTER)] = jesters_in(cards)


@compiled
def _place_of(state: State, observer: int, seat: int) -> int:
    """Return the number of seats from the observer to a seat, to the left."""
    place = seat - observer
    return place if place >= 0 else place + int(state.num_players)


@compiled
def show_legal(state: State, order: int) -> int:
    """Return `legal` with the suits in the given order; of suits to name, all are legal or none."""
    allowed = legal(state)
    return _reorder(allowed, order) if state.phase == PLAY else allowed


@compiled
def write_mask(state: State, mask: Row, order: int) -> None:
    """Write the legal actions of the acting seat, with the suits in the given order."""
    write_choices(mask, first_action(state), show_legal(state, order))


@compiled
def write_choices(mask: Row, first: int, allowed: int) -> None:
    """Write a mask: action `first` + k is legal where bit k of `allowed` is on."""
    beyond = first - _MASK_TAIL
    unpack_bits(mask.values, 0, allowed << first)
    unpack_bits(mask.values, _MASK_TAIL, allowed << beyond if beyond >= 0 else allowed >> -beyond)


@compiled
def observe(state: State, observer: int, row: Row, order: int) -> None:
    """Write all that `observer` may know, with the suits in the given order.

    Entries of places where nobody sits are not written: a new row is all zeros.
    """
    num_players = int(state.num_players)
    hand = state.hands[at(observer)]
    unseen = DECK - hand
    if state.upcard != NO_CARD:
        unseen -= UNITS[state.upcard]
    codes, far_codes = 0, 0
    seat = observer
    for place in range(MAX_PLAYERS):
        if place == num_players:
            break
        played = state.played[at(seat)]
        unseen -= played
        _write_cards(row, _AT.played + NUM_KINDS * place, _reorder(played, order))
        code = _CODES[at(_reorder_card(int(state.trick[at(seat)]), order) + 1)]
        if place < _HALF_TRICK:
            codes |= code << CARD_CODE_SIZE * place
        else:
            far_codes |= code << CARD_CODE_SIZE * (place - _HALF_TRICK)
        seat = seat + 1 if seat + 1 < num_players else 0  # `left_of`, but num_players is read once
    _write_cards(row, _AT.unseen, _reorder(unseen, order))
    _write_cards(row, _AT.hand, _reorder(hand, order))
    unpack_bits(row.values, _AT.trick, codes)
    unpack_bits(row.values, _AT.trick + CARD_CODE_SIZE * _HALF_TRICK, far_codes)
    unpack_bits(row.values, _AT.upcard, _CODES[at(_reorder_card(int(state.upcard), order) + 1)])
    _write_flags(state, observer, row, order)
    _write_seats(state, observer, row)


@compiled
def _flag(index: int) -> int:
    """Return the bit set of one index; empty for -1."""
    return (1 << index + 1) >> 1


@compiled
def _write_flags(state: State, observer: int, row: Row, order: int) -> None:
    """Write the fields from winning to position."""
    num_players = int(state.num_players)
    leader = _place_of(state, observer, int(state.leader))
    voids = rotate_bytes(load_bytes(state.voids), observer, num_players)
    flags = 1 << _AT.num_players - _FLAGS + num_players - MIN_PLAYERS
    flags |= 1 << _AT.dealer - _FLAGS + _place_of(state, observer, int(state.dealer))
    flags |= 1 << _AT.leader - _FLAGS + leader
    flags |= pack_nibbles(_reorder_suits(voids, order)) << _AT.void - _FLAGS
    winning = _place_of(state, observer, int(state.best_seat)) if state.trick_size else -1
    flags |= _flag(winning) << _AT.winning - _FLAGS
    flags |= _flag(_position_of(int(state.led_suit), order)) << _AT.led_suit - _FLAGS
    flags |= _flag(_position_of(int(state.trump), order)) << _AT.trump - _FLAGS
    flags |= (1 if state.upcard == WIZARD else 0) << _AT.trump_chosen - _FLAGS
    flags |= ((1 << int(state.phase)) & _DECIDING) << _AT.phase - _FLAGS
    unpack_bits(row.values, _FLAGS, flags)
    store_bytes(row.values, _AT.position, _byte_at(1, num_players - leader if leader else 0))


@compiled
def _write_seats(state: State, observer: int, row: Row) -> None:
    """Write the fields from bid_known to the end of the row."""
    num_players = int(state.num_players)
    bids = rotate_bytes(load_bytes(state.bids), observer, num_players)
    won = rotate_bytes(load_bytes(state.tricks_won), observer, num_players)
    seats = rotate_bytes(_ONES, 0, num_players)
    negative = (bids & _SIGNS) >> BYTE_BITS - 1  # NOT_BID, which is odd, or HIDDEN, which is even
    made = seats & ~(negative & bids)
    known = seats & ~negative
    if not bids_are_public(state):
        known &= _byte_at(1, 0)
    seen = fill_bytes(known)
    bid = bids & seen
    store_bytes(row.values, _AT.bid_known, known)
    store_bytes(row.values, _AT.bid_hidden, made & ~known)
    store_bytes(row.values, _AT.bid, bid)
    store_bytes(row.values, _AT.tricks_won, won)
    store_bytes(row.values, _AT.needed, excess_bytes(bid, won & seen))
    store_bytes(row.values, _AT.surplus, excess_bytes(won & seen, bid))
    origin = int(state.scores[observer]) - SCORE_UNIT * SCORE_ZERO
    scores = load_scaled(state.scores, origin, SCORE_UNIT)
    store_bytes(row.values, _AT.score, rotate_bytes(scores, observer, num_players))
    hand_size = int(state.hand_size)
    store_bytes(
        row.values,
        _AT.hand_size,
        _byte_at(hand_size, 0)
        | _byte_at(hand_size - sum_bytes(won), _AT.tricks_left - _AT.hand_size)
        | _byte_at(sum_bytes(bid), _AT.bid_total - _AT.hand_size),
    )
    restriction = _byte_at(1, int(state.bid_restriction))
    store_bytes(
        row.values,
        _AT.bid_restriction,
        (restriction & (1 << _FIRST_BITS) - 1)
        | _byte_at(1, _AT.bid_reveal - _AT.bid_restriction + int(state.bid_reveal))
        | _byte_at(int(state.magic_edition), _AT.magic_edition - _AT.bid_restriction),
    )
    if _HAS_LATER_RESTRICTIONS:
        store_bytes(row.values, _LATER_RESTRICTIONS, restriction >> _FIRST_BITS)


@compiled
def write_full_state(state: State, observer: int, row: Row, order: int) -> None:
    """Write an observation, then everything it leaves out, with the suits in the given order."""
    observe(state, observer, row, order)
    seat = observer
    for place in range(MAX_PLAYERS):
        hand = _reorder(state.hands[seat], order) if place < state.num_players else 0
        _write_cards(row, _AT.hands + NUM_KINDS * place, hand)
        seat = left_of(state, seat)
    for index in range(_AT.bids, FULL_SIZE):
        row.values[index] = 0
    seat = observer
    for place in range(state.num_players):
        if state.bids[seat] != NOT_BID:
            row.values[_AT.bids + place] = state.bids[seat]
            row.values[_AT.bids_made + place] = 1
        seat = left_of(state, seat)
    if state.phase < SCORED:
        row.values[_AT.acting + _place_of(state, observer, int(state.seat))] = 1
