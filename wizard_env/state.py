"""The layout of one game's state: a fixed-size record, so that a batch is an array and a clone a copy.

Small integers are stored in one or two bytes. Compiled code computes in 64 bits; wrap what you read from
a narrow field in `int(...)` before arithmetic, or numpy overflows in the uncompiled run.
"""

from dataclasses import replace
from typing import Annotated, Any, Protocol, get_type_hints

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.cards import DECK_SIZE
from wizard_env.compiled.packing import WORD_BYTES
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_PLAYERS, MAX_ROUNDS, Rules

TRUMP, BID, PLAY, SCORED, OVER = range(5)
PHASES = ("trump", "bid", "play", "scored", "over")
"""SCORED is the moment between scoring a round and the next deal; OVER follows the last round."""

NO_CARD = -1
NO_SEAT = -1
NOT_BID = -1
HIDDEN = -2
"""A bid that has been made but that the holder of this record may not see."""
UNDECIDED = -1
"""The trump before the dealer has named it; the led suit before a card has set it."""
NO_SUIT = 4
"""No trump this round; no led suit in this trick, because a Wizard came first."""

_Byte = Annotated[int, "i1"]
_BytesBySeat = Annotated[NDArray[np.int8], "i1", MAX_PLAYERS]
_PointsBySeat = Annotated[NDArray[np.int16], "i2", MAX_PLAYERS]
_SetsBySeat = Annotated[NDArray[np.int64], "i8", MAX_PLAYERS]


class State(Protocol):
    """One game, as compiled code and Python see it: a record of dtype STATE."""

    hands: _SetsBySeat
    """[6] the set of cards that each seat holds."""
    played: _SetsBySeat
    """[6] the set of cards that each seat has played this round, this trick included."""
    generator: Annotated[np.uint64, "u8"]
    """The state of the game's stream of random numbers; only shuffles draw from it."""
    scores: _PointsBySeat
    """[6] points of the game so far."""
    points: _PointsBySeat
    """[6] points of the round, once it is scored."""
    bids: _BytesBySeat
    """[6] the bid of each seat, or NOT_BID, or HIDDEN."""
    tricks_won: _BytesBySeat
    """[6] tricks of this round."""
    voids: _BytesBySeat
    """[6] suits that each seat has shown to be void in: bit s for suit s."""
    trick: _BytesBySeat
    """[6] the card that each seat has played in this trick, or NO_CARD."""
    plays: Annotated[NDArray[np.int8], "i1", DECK_SIZE]
    """[60] the cards played this round, in order; entries from `num_plays` on are NO_CARD."""
    num_plays: _Byte
    trick_size: _Byte
    """The number of cards played in this trick."""
    best_seat: _Byte
    """The seat that wins the trick so far, or NO_SEAT."""
    best_power: _Byte
    """The power of its card, see `engine.power_of`."""
    leader: _Byte
    """The seat that leads the trick; during the bidding, the seat that bids and leads first."""
    led_suit: _Byte
    """The suit to follow, UNDECIDED or NO_SUIT."""
    trump: _Byte
    """The trump suit, UNDECIDED or NO_SUIT."""
    upcard: _Byte
    """The card turned up, or NO_CARD."""
    hand_size: _Byte
    dealer: _Byte
    seat: _Byte
    """The seat that acts now; meaningless in SCORED and OVER."""
    phase: _Byte
    round_index: _Byte
    """0 for the first round that is played."""
    num_rounds: _Byte
    num_players: _Byte
    bid_restriction: _Byte
    """An index of BID_RESTRICTIONS."""
    bid_reveal: _Byte
    """An index of BID_REVEALS."""
    magic_edition: _Byte
    hand_sizes: Annotated[NDArray[np.int8], "i1", MAX_ROUNDS]
    """[60] the hand size of every round; entries from `num_rounds` on are 0."""


class FinishedRound(Protocol):
    """All that everybody has seen of a round once it is scored: a record of dtype FINISHED_ROUND.

    The seats of the plays and the points follow by the rules, see `history.finished.read_rounds`.
    """

    hand_size: _Byte
    """0 where the round is not known, because the game was begun after it, or has not been played; all
    other fields are 0 then too."""
    dealer: _Byte
    upcard: _Byte
    """The card turned up, or NO_CARD."""
    trump: _Byte
    """The trump suit, or NO_SUIT."""
    bids: _BytesBySeat
    """[6] the bid of each seat; closed bids are public once the round is scored."""
    tricks_won: _BytesBySeat
    """[6]"""
    plays: Annotated[NDArray[np.int8], "i1", DECK_SIZE]
    """[60] all cards in the order of play, then NO_CARD."""


def _record_dtype(described: type) -> np.dtype[Any]:
    """Return the dtype of the records that a protocol describes, field by field."""
    fields = get_type_hints(described, include_extras=True)
    return np.dtype((np.record, [(name, *field.__metadata__) for name, field in fields.items()]))


STATE = _record_dtype(State)
"""The record that State describes."""
FINISHED_ROUND = _record_dtype(FinishedRound)
"""The record that FinishedRound describes."""
WORD_FIELDS = ("scores", "bids", "tricks_won", "voids")
"""Per-seat fields that compiled code loads as eight entries at once (see `compiled.packing`), two more than
there are seats: more of the record must follow each of them."""
for _name in WORD_FIELDS:
    _field, _offset = STATE.fields[_name][:2]  # type: ignore[index]
    assert _offset + WORD_BYTES * _field.base.itemsize <= STATE.itemsize, _name


class DeckOrder(Protocol):
    """A shuffled deck: a record of dtype DECK_ORDER."""

    cards: NDArray[np.int8]
    """[60] cards from the top."""
    drawers: NDArray[np.int8]
    """[60] the seat that drew each of the first `drawn` cards in the draw for the first dealer."""
    drawn: int


_CARDS = ("i1", DECK_SIZE)
DECK_ORDER = np.dtype((np.record, [("cards", *_CARDS), ("drawers", *_CARDS), ("drawn", "i1")]))


class Row(Protocol):
    """A row of bytes, such as an observation or a mask."""

    values: NDArray[np.uint8]


def row_dtype(size: int) -> np.dtype[Any]:
    """Return the dtype of a row of `size` bytes."""
    return np.dtype((np.record, [("values", "u1", size)]))


MASK_ROW = row_dtype(NUM_ACTIONS)

_ALIGNMENT = 64
"""Bytes, a cache line; JAX takes an array without copying it only if it begins at a multiple of that."""


def aligned_zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Make zeros in memory that begins at a multiple of 64 bytes."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    memory = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + size].view(kind).reshape(shape)


def aligned_copy(array: NDArray[Any]) -> NDArray[Any]:
    """Copy an array to memory that begins at a multiple of 64 bytes."""
    copy = aligned_zeros(array.shape, array.dtype)
    copy[...] = array
    return copy


FREE, NO_EVEN, LEADER, CANADIAN = map(BID_RESTRICTIONS.index, ("free", "no_even", "leader", "canadian"))
OPEN, SIMULTANEOUS, SECRET = range(len(BID_REVEALS))


def copy_records(records: NDArray[Any]) -> NDArray[Any]:
    """Copy records, [n], as one block; numpy would copy field by field, slowly."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


OPTION_FIELDS = ("num_players", "bid_restriction", "bid_reveal", "magic_edition", "num_rounds", "hand_sizes")
"""The fields of a record that hold the options of its game."""


def rules_of(state: Any) -> Rules:
    """Return the rules that a record of dtype STATE is played by."""
    rules = Rules(
        num_players=int(state["num_players"]),
        bid_restriction=BID_RESTRICTIONS[state["bid_restriction"]],
        bid_reveal=BID_REVEALS[state["bid_reveal"]],
        magic_edition=bool(state["magic_edition"]),
        hand_sizes=tuple(map(int, state["hand_sizes"][: state["num_rounds"]])),
    )
    usual = replace(rules, hand_sizes=None)
    return usual if usual.rounds == rules.rounds else rules


def write_rules(rules: Rules, states: NDArray[Any]) -> None:
    """Set the fields that hold the options of a game, in every state."""
    states["num_players"] = rules.num_players
    states["bid_restriction"] = BID_RESTRICTIONS.index(rules.bid_restriction)
    states["bid_reveal"] = BID_REVEALS.index(rules.bid_reveal)
    states["magic_edition"] = rules.magic_edition
    states["num_rounds"] = len(rules.rounds)
    states["hand_sizes"][:, : len(rules.rounds)] = rules.rounds
