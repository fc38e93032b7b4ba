"""The fields of an observation, everything that a seat may know of a round, as one row of bytes; and of a
finished round, as one row of a history.

Seats count from the observer: place 0 is the observer, place 1 the seat to its left, and so on;
places where nobody sits are zero. One layout serves any number of players and every rule option.

Nothing counts the rounds. In a whole game the number of the round is the hand size, so a network that sees
both leans on either, and plays badly wherever they differ: in single rounds, or with `hand_sizes`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.actions import MAX_BID
from wizard_env.cards import COPIES, DECK_SIZE, NUM_KINDS, NUM_RANKS, NUM_SUITS
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_PLAYERS, MIN_PLAYERS
from wizard_env.state import FINISHED_ROUND, NO_CARD, NO_SUIT, row_dtype

CARD_CODE_SIZE = NUM_SUITS + 2 + NUM_RANKS
SCORE_ZERO = 128
SCORE_UNIT = 10


@dataclass(frozen=True)
class Field:
    """A piece of a row: its name, shape, largest value and meaning.

    Every entry is an integer from `low` to `high`. In observations `low` is 0, and entry / high scales an
    entry to [0, 1].
    """

    name: str
    shape: tuple[int, ...]
    high: int | tuple[int, ...]
    text: str
    low: int = 0

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape))


_CARD_CODE = "suit (4), Wizard, Jester, rank from 2 to A (13)"
_SEATS = MAX_PLAYERS
OBS_SIZE = 704
"""The number of entries: a multiple of 64, so that rows lie in whole cache lines and words of flags."""
_FIRST_RESTRICTIONS, _LATER_RESTRICTIONS = BID_RESTRICTIONS[:4], BID_RESTRICTIONS[4:]
"""Those added later have a field of their own, so that all other fields stay where networks know them."""

_USED: tuple[Field, ...] = (
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
    Field("bid_total", (1,), DECK_SIZE, "sum of the known bids"),
    Field("bid_restriction", (len(_FIRST_RESTRICTIONS),), 1, f"one-hot: {', '.join(_FIRST_RESTRICTIONS)}"),
    Field("bid_reveal", (len(BID_REVEALS),), 1, f"one-hot: {', '.join(BID_REVEALS)}"),
    Field("magic_edition", (1,), 1, "whether the Magic Edition is played"),
)
if _LATER_RESTRICTIONS:
    _NAMES = ", ".join(_LATER_RESTRICTIONS)
    _USED += (Field("later_restriction", (len(_LATER_RESTRICTIONS),), 1, f"one-hot: {_NAMES}"),)
USED_SIZE = sum(field.size for field in _USED)
"""The number of entries before those that are spare."""
OBSERVATION = (
    *_USED,
    Field(
        "spare",
        (OBS_SIZE - USED_SIZE,),
        1,
        "always zero: room for later fields, which keep the size of the row",
    ),
)

FULL_STATE = (
    *OBSERVATION,
    Field("hands", (_SEATS, NUM_KINDS), COPIES, "how many cards of each kind each seat holds"),
    Field("bids", (_SEATS,), MAX_BID, "the bid of each seat, revealed or not"),
    Field("bids_made", (_SEATS,), 1, "whether each seat has bid"),
    Field("acting", (_SEATS,), 1, "one-hot: the seat that acts now"),
)
"""Everything, for centralised critics: an observation, and what it leaves out."""

HISTORY = (
    Field("hand_size", (1,), MAX_BID, "cards dealt to each player; 0 where no round is shown"),
    Field("dealer", (1,), _SEATS - 1, "the seat that dealt"),
    Field("upcard", (1,), NUM_KINDS - 1, "the card turned up; -1 if there was none", NO_CARD),
    Field("trump", (1,), NO_SUIT, f"the trump suit; {NO_SUIT} for no trump"),
    Field("bids", (_SEATS,), MAX_BID, "the bid of each seat, however bids are revealed"),
    Field("tricks_won", (_SEATS,), MAX_BID, "tricks won by each seat"),
    Field("plays", (DECK_SIZE,), NUM_KINDS - 1, "all cards in the order of play, then -1", NO_CARD),
)
"""A finished round, as records of dtype FINISHED_ROUND hold it: suits as printed, seats by their numbers
at the table. Rows without a round are zero."""


def _slices_of(fields: tuple[Field, ...]) -> Mapping[str, slice]:
    """Return the slice of a row that each field takes."""
    places: dict[str, slice] = {}
    start = 0
    for field in fields:
        places[field.name] = slice(start, start + field.size)
        start += field.size
    return MappingProxyType(places)


def _highs_of(fields: tuple[Field, ...]) -> NDArray[np.uint8]:
    """Return uint8 [size], the largest value of every entry of a row."""
    parts = [np.broadcast_to(field.high, field.shape).ravel() for field in fields]
    return np.concatenate(parts).astype(np.uint8)


SLICES = _slices_of(OBSERVATION)
HIGHS = _highs_of(OBSERVATION)
OBSERVATION_ROW = row_dtype(OBS_SIZE)
FULL_SLICES = _slices_of(FULL_STATE)
FULL_SIZE = sum(field.size for field in FULL_STATE)
FULL_HIGHS = _highs_of(FULL_STATE)
FULL_ROW = row_dtype(FULL_SIZE)
ROUND_SLICES = _slices_of(HISTORY)
ROUND_SIZE = sum(field.size for field in HISTORY)
assert all(FINISHED_ROUND.fields[name][1] == place.start for name, place in ROUND_SLICES.items())  # type: ignore[index]
assert FINISHED_ROUND.itemsize == ROUND_SIZE


def as_rows(finished_rounds: NDArray[Any]) -> NDArray[np.int8]:
    """Return int8 [..., ROUND_SIZE], finished rounds as rows that HISTORY lays out; they share memory."""
    return finished_rounds.view(np.int8).reshape(*finished_rounds.shape, ROUND_SIZE)


def unpack(observation: ArrayLike, fields: tuple[Field, ...] = OBSERVATION) -> dict[str, NDArray[Any]]:
    """Name the pieces of observations, or of other rows.

    Args:
        observation: uint8 [..., OBS_SIZE]; with `fields=FULL_STATE`, [..., FULL_SIZE]; with `fields=HISTORY`,
            int8 [..., ROUND_SIZE], or [...] records of dtype FINISHED_ROUND, as views and `Games` have them.

    Returns:
        For each field, a view of shape [..., *field.shape].

    Raises:
        ValueError: the last axis has the wrong length.
    """
    rows = np.asarray(observation)
    if rows.dtype == FINISHED_ROUND:
        rows = as_rows(rows)
    size = sum(field.size for field in fields)
    if rows.ndim == 0 or rows.shape[-1] != size:
        raise ValueError(f"shape {rows.shape}: the last axis has length {size}")
    places = _slices_of(fields)
    return {
        field.name: rows[..., places[field.name]].reshape(*rows.shape[:-1], *field.shape) for field in fields
    }
