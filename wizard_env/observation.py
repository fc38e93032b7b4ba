"""What a seat may know, as one row of bytes: the table of its fields, and the code that fills them.

Seats count from the observer: place 0 is the observer, place 1 the seat to its left, and so on;
places beyond the table are zero. One layout serves every table size and every rule option.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.actions import MAX_BID, NUM_ACTIONS
from wizard_env.cards import (
    COPIES,
    COUNT,
    DECK,
    DECK_SIZE,
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
from wizard_env.engine import bids_are_public, first_action, left_of, legal
from wizard_env.flags import FLAGS, write_flags
from wizard_env.jit import at, compiled
from wizard_env.lanes import (
    LANE_BITS,
    LANES,
    ONES,
    SIGNS,
    add_lanes,
    excess_lanes,
    fill_lanes,
    lane,
    read_lanes,
    scale_lanes,
    squeeze_lanes,
    turn_lanes,
    write_lanes,
)
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS
from wizard_env.state import (
    BID,
    HIDDEN,
    NO_CARD,
    NOT_BID,
    PLAY,
    SCORED,
    TRUMP,
    Row,
    State,
    row_dtype,
)
from wizard_env.suits import position_of, reorder, reorder_card, reorder_suits

CARD_CODE_SIZE = NUM_SUITS + 2 + NUM_RANKS
SCORE_ZERO = 128
SCORE_UNIT = 10


@dataclass(frozen=True)
class Field:
    """A piece of the observation: its name, shape, largest value and meaning.

    Every entry is a whole number from 0 to `high`; entry / high scales it to [0, 1].
    """

    name: str
    shape: tuple[int, ...]
    high: int | tuple[int, ...]
    text: str

    @property
    def size(self) -> int:
        """How many numbers the field takes."""
        return int(np.prod(self.shape))


_CARD_CODE = "suit (4), Wizard, Jester, rank from 2 to A (13)"
_SEATS = MAX_PLAYERS

OBSERVATION = (
    Field(
        "played",
        (_SEATS, NUM_KINDS),
        COPIES,
        "how many of each kind each seat has played this round, the trick on the table included",
    ),
    Field(
        "unseen",
        (NUM_KINDS,),
        COPIES,
        "how many of each kind the observer has not seen this round: in other hands or not dealt",
    ),
    Field("hand", (NUM_KINDS,), COPIES, "how many cards of each kind the observer holds"),
    Field("trick", (_SEATS, CARD_CODE_SIZE), 1, f"the card of each seat on the table: {_CARD_CODE}"),
    Field("upcard", (CARD_CODE_SIZE,), 1, f"the card turned up: {_CARD_CODE}; zero if there is none"),
    Field("winning", (_SEATS,), 1, "one-hot: the seat that wins the trick so far"),
    Field(
        "led_suit",
        (NUM_SUITS + 1,),
        1,
        "one-hot suit; the last place is 'none: a Wizard came first'; zero until a card has set it",
    ),
    Field("void", (_SEATS, NUM_SUITS), 1, "the suits that each seat has shown to be void in"),
    Field(
        "trump",
        (NUM_SUITS + 1,),
        1,
        "one-hot suit; the last place is 'no trump'; zero until the dealer has chosen",
    ),
    Field("trump_chosen", (1,), 1, "whether the upcard is a Wizard: the dealer chooses the trump"),
    Field("phase", (3,), 1, "one-hot: trump, bid, play; zero once the round is scored"),
    Field("num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), 1, "one-hot: 3 to 6 players"),
    Field("dealer", (_SEATS,), 1, "one-hot seat"),
    Field("leader", (_SEATS,), 1, "one-hot seat that leads this trick or will lead the first"),
    Field(
        "position",
        (_SEATS,),
        1,
        "one-hot: how many seats come before the observer in this bidding or trick",
    ),
    Field("bid_known", (_SEATS,), 1, "whether the observer knows the bid of each seat"),
    Field("bid_hidden", (_SEATS,), 1, "whether each seat has made a bid that the observer may not see"),
    Field("bid", (_SEATS,), MAX_BID, "the bid of each seat; zero if it is not known"),
    Field("tricks_won", (_SEATS,), MAX_BID, "tricks won by each seat this round"),
    Field("needed", (_SEATS,), MAX_BID, "tricks that each seat lacks to meet its known bid"),
    Field("surplus", (_SEATS,), MAX_BID, "tricks that each seat has beyond its known bid"),
    Field(
        "score",
        (_SEATS,),
        255,
        f"points of the seat less those of the observer, / {SCORE_UNIT}, + {SCORE_ZERO}, "
        "clipped to 0..255; zero where nobody sits",
    ),
    Field("hand_size", (1,), MAX_BID, "cards dealt to each player this round"),
    Field("tricks_left", (1,), MAX_BID, "tricks not yet finished"),
    Field("round", (1,), MAX_ROUNDS, "rounds begun, this one included"),
    Field("rounds_left", (1,), MAX_ROUNDS, "rounds after this one"),
    Field("bid_total", (1,), DECK_SIZE, "sum of the known bids"),
    Field("bid_restriction", (len(BID_RESTRICTIONS),), 1, f"one-hot: {', '.join(BID_RESTRICTIONS)}"),
    Field("bid_reveal", (len(BID_REVEALS),), 1, f"one-hot: {', '.join(BID_REVEALS)}"),
    Field("magic_edition", (1,), 1, "whether the Magic Edition is played"),
)

FULL_STATE = (
    *OBSERVATION,
    Field("hands", (_SEATS, NUM_KINDS), COPIES, "how many cards of each kind each seat holds"),
    Field("bids", (_SEATS,), MAX_BID, "the bid of each seat, revealed or not"),
    Field("bids_made", (_SEATS,), 1, "whether each seat has bid"),
    Field("acting", (_SEATS,), 1, "one-hot: the seat that acts now"),
)
"""All there is to know, for centralised critics: an observation and what it leaves out."""


def slices_of(fields: tuple[Field, ...]) -> Mapping[str, slice]:
    """Where each field lies in a row."""
    places: dict[str, slice] = {}
    start = 0
    for field in fields:
        places[field.name] = slice(start, start + field.size)
        start += field.size
    return MappingProxyType(places)


def highs_of(fields: tuple[Field, ...]) -> NDArray[np.uint8]:
    """uint8 [size]: the largest value of every entry of a row."""
    parts = [np.broadcast_to(field.high, field.shape).ravel() for field in fields]
    return np.concatenate(parts).astype(np.uint8)


SLICES = slices_of(OBSERVATION)
OBS_SIZE = sum(field.size for field in OBSERVATION)
HIGHS = highs_of(OBSERVATION)
OBSERVATION_ROW = row_dtype(OBS_SIZE)
FULL_SLICES = slices_of(FULL_STATE)
FULL_SIZE = sum(field.size for field in FULL_STATE)
FULL_HIGHS = highs_of(FULL_STATE)
FULL_ROW = row_dtype(FULL_SIZE)


def unpack(observation: ArrayLike, fields: tuple[Field, ...] = OBSERVATION) -> dict[str, NDArray[np.uint8]]:
    """Name the pieces of observations.

    Args:
        observation: uint8 [..., OBS_SIZE]; with `fields=FULL_STATE`, [..., FULL_SIZE].

    Returns:
        For each field a view of shape [..., *field.shape].

    Raises:
        ValueError: the last axis has another length.
    """
    rows = np.asarray(observation)
    size = sum(field.size for field in fields)
    if rows.ndim == 0 or rows.shape[-1] != size:
        raise ValueError(f"shape {rows.shape}: the last axis of an observation has length {size}")
    places = slices_of(fields)
    return {
        field.name: rows[..., places[field.name]].reshape(*rows.shape[:-1], *field.shape) for field in fields
    }


def markdown(fields: tuple[Field, ...] = OBSERVATION, start: int = 0) -> str:
    """The table of fields, for the docs, the first of which begins at entry `start`."""
    lines = ["| entries | name | shape | values | meaning |", "|---|---|---|---|---|"]
    places = slices_of(fields)
    for field in fields:
        first, last = start + places[field.name].start, start + places[field.name].stop - 1
        shape = " x ".join(map(str, field.shape))
        high = field.high if isinstance(field.high, int) else f"{min(field.high)} ({max(field.high)})"
        lines.append(f"| {first}-{last} | `{field.name}` | {shape} | 0 to {high} | {field.text} |")
    return "\n".join(lines) + "\n"


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
_ROUND = _start("round")
_ROUNDS_LEFT = _start("rounds_left")
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
"""So many card codes fit into one number."""

# Rows are written from the front: the fields of flags, of which the last ones are one number, then a
# word of lanes for each field of the seats, and two words of lanes that end with the row.
_FLAGS = _WINNING
assert _POSITION - _FLAGS <= FLAGS <= OBS_SIZE - _FLAGS
assert _BID_RESTRICTION == OBS_SIZE - LANES
assert NOT_BID == -1
assert HIDDEN == -2
_DECIDING = 1 << TRUMP | 1 << BID | 1 << PLAY
_MASK_TAIL = NUM_ACTIONS - FLAGS


@compiled
def _write_cards(row: Row, start: int, cards: int) -> None:
    """Write how often a set holds each of the 54 kinds."""
    write_flags(row.values, start, cards & SUIT_CARDS)
    row.values[at(start + WIZARD)] = (cards >> WIZARD_SHIFT) & COUNT
    row.values[at(start + JESTER)] = (cards >> JESTER_SHIFT) & COUNT


@compiled
def place_of(state: State, observer: int, seat: int) -> int:
    """How many places to the left of the observer a seat is."""
    place = seat - observer
    return place if place >= 0 else place + int(state.num_players)


@compiled
def show_legal(state: State, order: int) -> int:
    """What `legal` says, with the suits in the given order; that of suits to name is always all or none."""
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
    write_flags(mask.values, 0, allowed << first)
    write_flags(mask.values, _MASK_TAIL, allowed << beyond if beyond >= 0 else allowed >> -beyond)


@compiled
def observe(state: State, observer: int, row: Row, order: int) -> None:
    """Write all that `observer` may know, with the suits in the given order.

    Planes of places beyond the table are not written: a new row is all zeros.
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
    write_flags(row.values, _TRICK, codes)
    write_flags(row.values, _TRICK + CARD_CODE_SIZE * _HALF_TRICK, far_codes)
    write_flags(row.values, _UPCARD, _CODES[at(reorder_card(int(state.upcard), order) + 1)])
    _write_table(state, observer, row, order)
    _write_seats(state, observer, row)


@compiled
def _flag(index: int) -> int:
    """A bit set of one index; of none for -1."""
    return (1 << index + 1) >> 1


@compiled
def _write_table(state: State, observer: int, row: Row, order: int) -> None:
    """Write the fields from winning to position."""
    num_players = int(state.num_players)
    leader = place_of(state, observer, int(state.leader))
    voids = turn_lanes(read_lanes(state.voids), observer, num_players)
    flags = 1 << _NUM_PLAYERS - _FLAGS + num_players - MIN_PLAYERS
    flags |= 1 << _DEALER - _FLAGS + place_of(state, observer, int(state.dealer))
    flags |= 1 << _LEADER - _FLAGS + leader
    flags |= squeeze_lanes(reorder_suits(voids, order)) << _VOID - _FLAGS
    winning = place_of(state, observer, int(state.best_seat)) if state.trick_size else -1
    flags |= _flag(winning) << _WINNING - _FLAGS
    flags |= _flag(position_of(int(state.led_suit), order)) << _LED_SUIT - _FLAGS
    flags |= _flag(position_of(int(state.trump), order)) << _TRUMP - _FLAGS
    flags |= (1 if state.upcard == WIZARD else 0) << _TRUMP_CHOSEN - _FLAGS
    flags |= ((1 << int(state.phase)) & _DECIDING) << _PHASE - _FLAGS
    write_flags(row.values, _FLAGS, flags)
    write_lanes(row.values, _POSITION, lane(1, num_players - leader if leader else 0))


@compiled
def _write_seats(state: State, observer: int, row: Row) -> None:
    """Write the fields from bid_known to the end of the row."""
    num_players = int(state.num_players)
    bids = turn_lanes(read_lanes(state.bids), observer, num_players)
    won = turn_lanes(read_lanes(state.tricks_won), observer, num_players)
    table = turn_lanes(ONES, 0, num_players)
    negative = (bids & SIGNS) >> LANE_BITS - 1  # NOT_BID, which is odd, or HIDDEN, which is even
    made = table & ~(negative & bids)
    known = table & ~negative
    if not bids_are_public(state):
        known &= lane(1, 0)
    seen = fill_lanes(known)
    bid = bids & seen
    write_lanes(row.values, _BID_KNOWN, known)
    write_lanes(row.values, _BID_HIDDEN, made & ~known)
    write_lanes(row.values, _BID, bid)
    write_lanes(row.values, _TRICKS_WON, won)
    write_lanes(row.values, _NEEDED, excess_lanes(bid, won & seen))
    write_lanes(row.values, _SURPLUS, excess_lanes(won & seen, bid))
    origin = int(state.scores[observer]) - SCORE_UNIT * SCORE_ZERO
    scores = scale_lanes(state.scores, origin, SCORE_UNIT)
    write_lanes(row.values, _SCORE, turn_lanes(scores, observer, num_players))
    hand_size = int(state.hand_size)
    round_index = int(state.round_index)
    write_lanes(
        row.values,
        _HAND_SIZE,
        lane(hand_size, 0)
        | lane(hand_size - add_lanes(won), 1)
        | lane(round_index + 1, 2)
        | lane(int(state.num_rounds) - 1 - round_index, 3)
        | lane(add_lanes(bid), 4),
    )
    write_lanes(
        row.values,
        _BID_RESTRICTION,
        lane(1, int(state.bid_restriction))
        | lane(1, _BID_REVEAL - _BID_RESTRICTION + int(state.bid_reveal))
        | lane(int(state.magic_edition), _MAGIC_EDITION - _BID_RESTRICTION),
    )


@compiled
def write_full_state(state: State, observer: int, row: Row, order: int) -> None:
    """Write an observation, then all that it leaves out, with the suits in the given order."""
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
