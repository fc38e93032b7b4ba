"""Writing what a seat may know: the fields of OBSERVATION and FULL_STATE, and the mask of legal actions."""

import numpy as np

from wizard_env.actions import NUM_ACTIONS
from wizard_env.cards import (
    COUNT,
    DECK,
    JESTER,
    JESTER_SHIFT,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUIT_CARDS,
    NUM_SUITS,
    SUIT_CARDS,
    UNITS,
    WIZARD,
    WIZARD_SHIFT,
)
from wizard_env.compiled.jit import at, compiled
from wizard_env.compiled.packing import (
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
from wizard_env.observation.seat_bytes import (
    ONES,
    SIGNS,
    byte_at,
    excess_bytes,
    fill_bytes,
    pack_nibbles,
    rotate_bytes,
    sum_bytes,
)
from wizard_env.observation.suit_order import position_of, reorder, reorder_card, reorder_suits
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS
from wizard_env.state import (
    BID,
    HIDDEN,
    NO_CARD,
    NOT_BID,
    PLAY,
    SCORED,
    TRUMP,
    WORD_FIELDS,
    Row,
    State,
)


def _start(name: str) -> int:
    return int(FULL_SLICES[name].start)


_HAND = _start("hand")
_UNSEEN = _start("unseen")
_PLAYED = _start("played")
_TRICK = _start("trick")
_WINNING = _start("winning")
_LED_SUIT = _start("led_suit")
_VOID = _start("void")
_TRUMP = _start("trump")
_UPCARD = _start("upcard")
_TRUMP_CHOSEN = _start("trump_chosen")
_PHASE = _start("phase")
_HAND_SIZE = _start("hand_size")
_TRICKS_LEFT = _start("tricks_left")
_NUM_PLAYERS = _start("num_players")
_DEALER = _start("dealer")
_LEADER = _start("leader")
_POSITION = _start("position")
_BID = _start("bid")
_BID_KNOWN = _start("bid_known")
_BID_HIDDEN = _start("bid_hidden")
_TRICKS_WON = _start("tricks_won")
_NEEDED = _start("needed")
_SURPLUS = _start("surplus")
_BID_TOTAL = _start("bid_total")
_SCORE = _start("score")
_BID_RESTRICTION = _start("bid_restriction")
_BID_REVEAL = _start("bid_reveal")
_MAGIC_EDITION = _start("magic_edition")
_ALL_HANDS = _start("hands")
_ALL_BIDS = _start("bids")
_BIDS_MADE = _start("bids_made")
_ACTING = _start("acting")

_CODES = np.array(
    [0]
    + [1 << card // NUM_RANKS | 1 << NUM_SUITS + 2 + card % NUM_RANKS for card in range(NUM_SUIT_CARDS)]
    + [1 << NUM_SUITS, 1 << NUM_SUITS + 1]
)
"""int64 [55]: each card + 1 as CARD_CODE_SIZE flags; the first, for NO_CARD, has none."""
assert NO_CARD == -1
_HALF_TRICK = MAX_PLAYERS // 2
"""How many card codes fit into one number."""

# Rows are written from the front: the fields of flags, of which the last ones are one number, then a
# word of bytes for each field of the seats, and two words that end with the row.
_FLAGS = _WINNING
assert _POSITION - _FLAGS <= WORD_BITS <= OBS_SIZE - _FLAGS
assert _BID_TOTAL - _HAND_SIZE < WORD_BYTES
assert _BID_RESTRICTION == OBS_SIZE - WORD_BYTES
assert {"scores", "bids", "tricks_won", "voids"} <= set(WORD_FIELDS)  # those that are loaded as words
assert NOT_BID == -1
assert HIDDEN == -2
_DECIDING = 1 << TRUMP | 1 << BID | 1 << PLAY
_MASK_TAIL = NUM_ACTIONS - WORD_BITS


@compiled
def _write_cards(row: Row, start: int, cards: int) -> None:
    """Write how many of each of the 54 kinds a set holds."""
    unpack_bits(row.values, start, cards & SUIT_CARDS)
    row.values[at(start + WIZARD)] = (cards >> WIZARD_SHIFT) & COUNT
    row.values[at(start + JESTER)] = (cards >> JESTER_SHIFT) & COUNT


@compiled
def place_of(state: State, observer: int, seat: int) -> int:
    """How many places a seat is to the left of the observer."""
    place = seat - observer
    return place if place >= 0 else place + int(state.num_players)


@compiled
def show_legal(state: State, order: int) -> int:
    """What `legal` says, with suits in the given order; of suits to name, all are legal or none."""
    allowed = legal(state)
    return reorder(allowed, order) if state.phase == PLAY else allowed


@compiled
def write_mask(state: State, mask: Row, order: int) -> None:
    """Write which actions are legal for the acting seat, with the suits in the given order."""
    write_choices(mask, first_action(state), show_legal(state, order))


@compiled
def write_choices(mask: Row, first: int, allowed: int) -> None:
    """Write a mask: bit k of `allowed` tells whether action `first` + k is legal."""
    beyond = first - _MASK_TAIL
    unpack_bits(mask.values, 0, allowed << first)
    unpack_bits(mask.values, _MASK_TAIL, allowed << beyond if beyond >= 0 else allowed >> -beyond)


@compiled
def observe(state: State, observer: int, row: Row, order: int) -> None:
    """Write all that `observer` may know, with the suits in the given order.

    Entries of places beyond the table are not written: a new row is all zeros.
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
        _write_cards(row, _PLAYED + NUM_KINDS * place, reorder(played, order))
        code = _CODES[at(reorder_card(int(state.trick[at(seat)]), order) + 1)]
        if place < _HALF_TRICK:
            codes |= code << CARD_CODE_SIZE * place
        else:
            far_codes |= code << CARD_CODE_SIZE * (place - _HALF_TRICK)
        seat = seat + 1 if seat + 1 < num_players else 0  # `left_of`, but num_players is read once
    _write_cards(row, _UNSEEN, reorder(unseen, order))
    _write_cards(row, _HAND, reorder(hand, order))
    unpack_bits(row.values, _TRICK, codes)
    unpack_bits(row.values, _TRICK + CARD_CODE_SIZE * _HALF_TRICK, far_codes)
    unpack_bits(row.values, _UPCARD, _CODES[at(reorder_card(int(state.upcard), order) + 1)])
    _write_table(state, observer, row, order)
    _write_seats(state, observer, row)


@compiled
def _flag(index: int) -> int:
    """The bit set of one index; empty for -1."""
    return (1 << index + 1) >> 1


@compiled
def _write_table(state: State, observer: int, row: Row, order: int) -> None:
    """Write the fields from winning to position."""
    num_players = int(state.num_players)
    leader = place_of(state, observer, int(state.leader))
    voids = rotate_bytes(load_bytes(state.voids), observer, num_players)
    flags = 1 << _NUM_PLAYERS - _FLAGS + num_players - MIN_PLAYERS
    flags |= 1 << _DEALER - _FLAGS + place_of(state, observer, int(state.dealer))
    flags |= 1 << _LEADER - _FLAGS + leader
    flags |= pack_nibbles(reorder_suits(voids, order)) << _VOID - _FLAGS
    winning = place_of(state, observer, int(state.best_seat)) if state.trick_size else -1
    flags |= _flag(winning) << _WINNING - _FLAGS
    flags |= _flag(position_of(int(state.led_suit), order)) << _LED_SUIT - _FLAGS
    flags |= _flag(position_of(int(state.trump), order)) << _TRUMP - _FLAGS
    flags |= (1 if state.upcard == WIZARD else 0) << _TRUMP_CHOSEN - _FLAGS
    flags |= ((1 << int(state.phase)) & _DECIDING) << _PHASE - _FLAGS
    unpack_bits(row.values, _FLAGS, flags)
    store_bytes(row.values, _POSITION, byte_at(1, num_players - leader if leader else 0))


@compiled
def _write_seats(state: State, observer: int, row: Row) -> None:
    """Write the fields from bid_known to the end of the row."""
    num_players = int(state.num_players)
    bids = rotate_bytes(load_bytes(state.bids), observer, num_players)
    won = rotate_bytes(load_bytes(state.tricks_won), observer, num_players)
    table = rotate_bytes(ONES, 0, num_players)
    negative = (bids & SIGNS) >> BYTE_BITS - 1  # NOT_BID, which is odd, or HIDDEN, which is even
    made = table & ~(negative & bids)
    known = table & ~negative
    if not bids_are_public(state):
        known &= byte_at(1, 0)
    seen = fill_bytes(known)
    bid = bids & seen
    store_bytes(row.values, _BID_KNOWN, known)
    store_bytes(row.values, _BID_HIDDEN, made & ~known)
    store_bytes(row.values, _BID, bid)
    store_bytes(row.values, _TRICKS_WON, won)
    store_bytes(row.values, _NEEDED, excess_bytes(bid, won & seen))
    store_bytes(row.values, _SURPLUS, excess_bytes(won & seen, bid))
    origin = int(state.scores[observer]) - SCORE_UNIT * SCORE_ZERO
    scores = load_scaled(state.scores, origin, SCORE_UNIT)
    store_bytes(row.values, _SCORE, rotate_bytes(scores, observer, num_players))
    hand_size = int(state.hand_size)
    store_bytes(
        row.values,
        _HAND_SIZE,
        byte_at(hand_size, 0)
        | byte_at(hand_size - sum_bytes(won), _TRICKS_LEFT - _HAND_SIZE)
        | byte_at(sum_bytes(bid), _BID_TOTAL - _HAND_SIZE),
    )
    store_bytes(
        row.values,
        _BID_RESTRICTION,
        byte_at(1, int(state.bid_restriction))
        | byte_at(1, _BID_REVEAL - _BID_RESTRICTION + int(state.bid_reveal))
        | byte_at(int(state.magic_edition), _MAGIC_EDITION - _BID_RESTRICTION),
    )


@compiled
def write_full_state(state: State, observer: int, row: Row, order: int) -> None:
    """Write an observation, then everything it leaves out, with the suits in the given order."""
    observe(state, observer, row, order)
    seat = observer
    for place in range(MAX_PLAYERS):
        hand = reorder(state.hands[seat], order) if place < state.num_players else 0
        _write_cards(row, _ALL_HANDS + NUM_KINDS * place, hand)
        seat = left_of(state, seat)
    for index in range(_ALL_BIDS, FULL_SIZE):
        row.values[index] = 0
    seat = observer
    for place in range(state.num_players):
        if state.bids[seat] != NOT_BID:
            row.values[_ALL_BIDS + place] = state.bids[seat]
            row.values[_BIDS_MADE + place] = 1
        seat = left_of(state, seat)
    if state.phase < SCORED:
        row.values[_ACTING + place_of(state, observer, int(state.seat))] = 1
