"""Checks of states that come from outside: is this record a state of the game?

A state is what the rules make of its deal, its bids and its plays. The check therefore looks at what the
rules must be able to trust, which is the options, the cards dealt and the ranges of the fields, then plays
the round again in a second record, and compares the two byte for byte. No rule is written here a second time.
"""

from enum import IntEnum
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.cards import DECK_SIZE, NUM_KINDS, SET_BITS, UNITS, can_join, size_of
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import apply, has_upcard, is_legal, score, turn_up
from wizard_env.rules import (
    BID_RESTRICTIONS,
    BID_REVEALS,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MIN_PLAYERS,
    NEED_OPEN_BIDS,
)
from wizard_env.state import (
    BID,
    HIDDEN,
    NO_CARD,
    NOT_BID,
    OPEN,
    OVER,
    PLAY,
    SCORED,
    STATE,
    TRUMP,
    State,
    copy_records,
)

MAX_SCORE = 10_000
"""Largest score of a given deal: with it, the points of the longest game still fit into 16 bits."""

NOTHING_HIDDEN, OTHERS_HIDDEN, ANY_HIDDEN = range(3)
"""The hands and bids that a record may lack: none; those of seats that do not act; those of any seat."""

_NUM_RESTRICTIONS, _NUM_REVEALS = len(BID_RESTRICTIONS), len(BID_REVEALS)
_NEEDS_OPEN_BIDS = np.array([name in NEED_OPEN_BIDS for name in BID_RESTRICTIONS])
"""bool [restrictions]"""
_UNSEEN = 1 << SET_BITS
"""Stands for the cards of a hand that the record does not show; no card has this bit."""


class Fault(IntEnum):
    """Fields that a check may refuse, numbered from 0, each with what is allowed there."""

    allowed: str

    def __new__(cls, allowed: str) -> Self:
        fault = int.__new__(cls, len(cls.__members__))
        fault._value_ = len(cls.__members__)
        fault.allowed = allowed
        return fault


class _StateFault(Fault):
    """The fields of a state that the check may refuse."""

    NUM_PLAYERS = f"allowed are {MIN_PLAYERS} to {MAX_PLAYERS}"
    BID_RESTRICTION = f"allowed are 0 to {_NUM_RESTRICTIONS - 1}, and most of them need open bids"
    BID_REVEAL = f"allowed are 0 to {_NUM_REVEALS - 1}"
    MAGIC_EDITION = "allowed are 0 and 1"
    NUM_ROUNDS = f"allowed are 1 to {MAX_ROUNDS}"
    HAND_SIZES = "allowed are 1 to 60 / num_players in every round that is played"
    ROUND_INDEX = "allowed are 0 to num_rounds - 1"
    HAND_SIZE = "it must be that of the round"
    PHASE = f"allowed are {TRUMP} to {OVER}"
    DEALER = "it must be a seat of the table"
    SEAT = "it must be a seat of the table"
    SCORES = "they must be multiples of 10 that the rounds so far can give"
    POINTS = "they must be what a round can give"
    HANDS = "each must hold the cards that its seat has left, and the acting seat must see its own"
    PLAYED = "no card may be in two places, and each seat has played some of its cards"
    UPCARD = "it must be a card that nobody holds, and there is one unless all cards are dealt"
    TRUMP = "it must be that of the upcard, or a suit where the dealer names it"
    BIDS = "the rules must allow each, and bids that are open are known"
    NUM_PLAYS = "it must fit the hands"
    PLAYS = "the rules must allow each card, in this order"


class Flaw(NamedTuple):
    """The first record that a check refuses, and the reason."""

    row: int
    reason: str
    """The field, its value, and what is allowed there."""


_NO_FAULT = -1
_NUM_FAULTS = len(_StateFault)


def check_states(states: NDArray[Any], hidden: int = NOTHING_HIDDEN) -> None:
    """Raise ValueError for the first record that is not a state of the game; the message names the field.

    Args:
        states: [n] records of dtype STATE; anything else raises TypeError.
        hidden: what the records may lack, one of NOTHING_HIDDEN, OTHERS_HIDDEN and ANY_HIDDEN.
    """
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.ndim != 1:
        raise TypeError(f"{described(states)}: a one-dimensional array of dtype STATE is needed")
    flaw = find_flaw(states, hidden)
    if flaw is not None:
        raise ValueError(f"record {flaw.row} is not a state of the game: {flaw.reason}")


def find_flaw(states: NDArray[Any], hidden: int = NOTHING_HIDDEN) -> Flaw | None:
    """Return the first record that is not a state of the game; arguments as for `check_states`."""
    rebuilt = copy_records(states)
    found = _rebuild_all(states if states.flags.carray else copy_records(states), rebuilt, hidden)
    if found != _NO_FAULT:
        game, number = divmod(found, _NUM_FAULTS)
        fault = list(_StateFault)[number]
        return _flaw(states, game, fault.name.lower(), fault.allowed)
    if rebuilt.tobytes() != states.tobytes():
        game = next(game for game in range(len(states)) if rebuilt[game].tobytes() != states[game].tobytes())
        name = next(name for name in STATE.names or () if (rebuilt[game][name] != states[game][name]).any())
        allowed = f"the deal, the bids and the cards played make it {rebuilt[game][name].tolist()}"
        return _flaw(states, game, name, allowed)
    return None


def _flaw(states: NDArray[Any], game: int, name: str, allowed: str) -> Flaw:
    return Flaw(game, f"{name}={states[game][name].tolist()}: {allowed}")


def described(states: Any) -> str:
    """Name what was given in place of an array of records."""
    if isinstance(states, np.ndarray):
        return f"an array of shape {states.shape} and type {states.dtype.type.__name__}"
    return f"a {type(states).__name__}"


@kernel([STATE], [STATE], int)
def _rebuild_all(states: Any, rebuilt: Any, hidden: int) -> int:
    """Build every state again; return the first fault with the number of its game, or _NO_FAULT."""
    for index in range(len(states)):
        fault = _find_fault(states[index], rebuilt[index], hidden)
        if fault != _NO_FAULT:
            return index * _NUM_FAULTS + fault
    return _NO_FAULT


@compiled
def _find_fault(state: State, rebuilt: State, hidden: int) -> int:
    fault = _check_options(state)
    if fault == _NO_FAULT:
        fault = _check_fields(state)
    if fault == _NO_FAULT:
        fault = _check_cards(state, hidden)
    if fault == _NO_FAULT:
        fault = _rebuild_round(state, rebuilt, hidden)
    return fault


@outlined
def _check_options(state: State) -> int:
    """Check the options and the place in the game."""
    if not MIN_PLAYERS <= state.num_players <= MAX_PLAYERS:
        return _StateFault.NUM_PLAYERS
    if not OPEN <= state.bid_reveal < _NUM_REVEALS:
        return _StateFault.BID_REVEAL
    if not 0 <= state.bid_restriction < _NUM_RESTRICTIONS:
        return _StateFault.BID_RESTRICTION
    if _NEEDS_OPEN_BIDS[state.bid_restriction] and state.bid_reveal != OPEN:
        return _StateFault.BID_RESTRICTION
    if not 0 <= state.magic_edition <= 1:
        return _StateFault.MAGIC_EDITION
    if not 1 <= state.num_rounds <= MAX_ROUNDS:
        return _StateFault.NUM_ROUNDS
    for number in range(state.num_rounds):
        if not 1 <= state.hand_sizes[number] <= DECK_SIZE // int(state.num_players):
            return _StateFault.HAND_SIZES
    if not 0 <= state.round_index < state.num_rounds:
        return _StateFault.ROUND_INDEX
    if state.hand_size != state.hand_sizes[int(state.round_index)]:
        return _StateFault.HAND_SIZE
    return _NO_FAULT


@outlined
def _check_fields(state: State) -> int:
    """Check the phase, the seats and the scores, given sound options."""
    if not TRUMP <= state.phase <= OVER:
        return _StateFault.PHASE
    if not 0 <= state.dealer < state.num_players:
        return _StateFault.DEALER
    if not 0 <= state.seat < state.num_players:
        return _StateFault.SEAT
    most = MAX_SCORE
    for number in range(int(state.round_index) + (1 if state.phase >= SCORED else 0)):
        size = int(state.hand_sizes[number])
        most += score(size, size)
    for seat in range(MAX_PLAYERS):
        if abs(int(state.scores[seat])) > most or int(state.scores[seat]) % 10 != 0:
            return _StateFault.SCORES
        if abs(int(state.points[seat])) > score(int(state.hand_size), int(state.hand_size)):
            return _StateFault.POINTS
    if not 0 <= state.num_plays <= int(state.hand_size) * int(state.num_players):
        return _StateFault.NUM_PLAYS
    return _NO_FAULT


@outlined
def _check_cards(state: State, hidden: int) -> int:
    """Check the cards in hands, played and turned up, given sound fields."""
    if (state.upcard != NO_CARD) != has_upcard(state) or not NO_CARD <= state.upcard < NUM_KINDS:
        return _StateFault.UPCARD
    dealt = 0 if state.upcard == NO_CARD else UNITS[int(state.upcard)]
    for seat in range(MAX_PLAYERS):
        hand, played = int(state.hands[seat]), int(state.played[seat])
        if seat >= state.num_players:
            if hand != 0:
                return _StateFault.HANDS
            if played != 0:
                return _StateFault.PLAYED
            continue
        if not can_join(dealt, played):
            return _StateFault.PLAYED
        dealt += played
        if not can_join(dealt, hand):
            return _StateFault.HANDS
        dealt += hand
        left = int(state.hand_size) - size_of(played)
        if left < 0:
            return _StateFault.PLAYED
        may_hide = hidden == ANY_HIDDEN or (hidden == OTHERS_HIDDEN and seat != state.seat)
        if size_of(hand) != left and not (may_hide and hand == 0):
            return _StateFault.HANDS
    return _NO_FAULT


@outlined
def _rebuild_round(state: State, rebuilt: State, hidden: int) -> int:
    """Take `rebuilt`, a copy of a state, back to the deal and through the state's bids and plays."""
    for seat in range(state.num_players):
        has_left = size_of(int(state.played[seat])) < state.hand_size
        unseen = _UNSEEN if has_left and state.hands[seat] == 0 else 0
        rebuilt.hands[seat] = state.hands[seat] + state.played[seat] + unseen
        if state.phase >= SCORED:
            rebuilt.scores[seat] = int(state.scores[seat]) - int(state.points[seat])
    for seat in range(int(state.num_players), MAX_PLAYERS):  # nobody sits there
        rebuilt.scores[seat] = 0
        rebuilt.points[seat] = 0
        rebuilt.bids[seat] = 0
        rebuilt.tricks_won[seat] = 0
        rebuilt.voids[seat] = 0
    for number in range(int(state.num_rounds), MAX_ROUNDS):
        rebuilt.hand_sizes[number] = 0
    turn_up(rebuilt, int(state.upcard))
    fault = _NO_FAULT
    if state.phase != TRUMP:
        if rebuilt.phase == TRUMP:
            action = FIRST_TRUMP + int(state.trump)
            if not is_legal(rebuilt, action):
                return _StateFault.TRUMP
            apply(rebuilt, action)
        fault = _rebuild_bids(state, rebuilt, hidden)
    if fault == _NO_FAULT:
        fault = _rebuild_plays(state, rebuilt)
    for seat in range(state.num_players):
        rebuilt.hands[seat] &= ~_UNSEEN
    return fault


@outlined
def _rebuild_bids(state: State, rebuilt: State, hidden: int) -> int:
    while rebuilt.phase == BID:
        tricks = int(state.bids[int(rebuilt.seat)])
        if tricks == NOT_BID:
            return _NO_FAULT
        if tricks == HIDDEN:
            if hidden == NOTHING_HIDDEN or state.bid_reveal == OPEN:
                return _StateFault.BIDS
        elif not is_legal(rebuilt, FIRST_BID + tricks):
            return _StateFault.BIDS
        apply(rebuilt, FIRST_BID + tricks)
    return _NO_FAULT


@outlined
def _rebuild_plays(state: State, rebuilt: State) -> int:
    for number in range(state.num_plays):
        action = FIRST_PLAY + int(state.plays[number])
        if rebuilt.phase != PLAY or not is_legal(rebuilt, action):
            return _StateFault.PLAYS
        apply(rebuilt, action)
    return _NO_FAULT
