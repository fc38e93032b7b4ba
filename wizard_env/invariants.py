"""Whether a record is a state of the game: the check of every state that comes from outside.

A state is what the rules make of its deal, its bids and its plays. The check therefore looks at what the
rules must be able to trust, which is the options, the cards dealt and the ranges of the fields, then plays
the round again in a second record, and compares the two byte for byte. No rule is written here a second time.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.cards import (
    COPIES,
    COUNT,
    DECK_SIZE,
    JESTER,
    JESTER_SHIFT,
    NUM_KINDS,
    NUM_SUITS,
    SPECIALS,
    SUIT_CARDS,
    UNITS,
    WIZARD,
    WIZARD_SHIFT,
    kinds_of,
    size_of,
)
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import (
    bid,
    choose_trump,
    forbidden_bid,
    left_of,
    play,
    playable,
    score,
    turn_up,
)
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS
from wizard_env.state import (
    BID,
    FREE,
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
    copy_states,
)

MAX_SCORE = 10_000
"""Largest score of a given deal: with it, the points of the longest game still fit into 16 bits."""

NOTHING_HIDDEN, OTHERS_HIDDEN, ANY_HIDDEN = range(3)
"""Which hands and bids a record may lack: none; those of seats that do not act; those of any seat."""

_NUM_RESTRICTIONS, _NUM_REVEALS = len(BID_RESTRICTIONS), len(BID_REVEALS)
_UNSEEN = 1 << 58
"""Stands for the cards of a hand that the record does not show; no card has this bit."""
assert (SUIT_CARDS | SPECIALS) < _UNSEEN

_FAULTS = (
    ("num_players", f"allowed are {MIN_PLAYERS} to {MAX_PLAYERS}"),
    ("bid_restriction", f"allowed are 0 to {len(BID_RESTRICTIONS) - 1}, and 0 unless bids are open"),
    ("bid_reveal", f"allowed are 0 to {len(BID_REVEALS) - 1}"),
    ("magic_edition", "allowed are 0 and 1"),
    ("num_rounds", f"allowed are 1 to {MAX_ROUNDS}"),
    ("hand_sizes", "allowed are 1 to 60 / num_players in every round that is played"),
    ("round_index", "allowed are 0 to num_rounds - 1"),
    ("hand_size", "it must be that of the round"),
    ("phase", f"allowed are {TRUMP} to {OVER}"),
    ("dealer", "it must be a seat of the table"),
    ("seat", "it must be a seat of the table"),
    ("scores", "they must be multiples of 10 that the rounds so far can give"),
    ("points", "they must be what a round can give"),
    ("hands", "each must hold the cards that its seat has left, and the acting seat must see its own"),
    ("played", "no card may be in two places, and each seat has played some of its cards"),
    ("upcard", "it must be a card that nobody holds, and there is one unless all cards are dealt"),
    ("trump", "it must be that of the upcard, or a suit where the dealer names it"),
    ("bids", "the rules must allow each, and bids that are open are known"),
    ("num_plays", "it must fit the hands"),
    ("plays", "the rules must allow each card, in this order"),
)
"""The fields that a check may refuse, and what is allowed there."""
_NO_FAULT = -1
(
    _NUM_PLAYERS,
    _BID_RESTRICTION,
    _BID_REVEAL,
    _MAGIC_EDITION,
    _NUM_ROUNDS,
    _HAND_SIZES,
    _ROUND_INDEX,
    _HAND_SIZE,
    _PHASE,
    _DEALER,
    _SEAT,
    _SCORES,
    _POINTS,
    _HANDS,
    _PLAYED,
    _UPCARD,
    _TRUMP,
    _BIDS,
    _NUM_PLAYS,
    _PLAYS,
) = range(len(_FAULTS))
_MANY_FAULTS = 32
"""A number above those of all faults."""
assert len(_FAULTS) < _MANY_FAULTS


def check_states(states: NDArray[Any], hidden: int = NOTHING_HIDDEN) -> None:
    """Raise ValueError for the first record that is not a state of the game; the message names the field.

    Args:
        states: [n] records of dtype STATE; anything else raises TypeError.
        hidden: what the records may lack, one of NOTHING_HIDDEN, OTHERS_HIDDEN and ANY_HIDDEN.
    """
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.ndim != 1:
        raise TypeError(f"{_described(states)}: a one-dimensional array of dtype STATE is needed")
    twins = copy_states(states)
    found = _retrace_all(states if states.flags.carray else copy_states(states), twins, hidden)
    if found != _NO_FAULT:
        game, fault = divmod(found, _MANY_FAULTS)
        raise ValueError(_refusal(states, game, *_FAULTS[fault]))
    if twins.tobytes() != states.tobytes():
        game = next(game for game in range(len(states)) if twins[game].tobytes() != states[game].tobytes())
        name = next(name for name in STATE.names or () if (twins[game][name] != states[game][name]).any())
        allowed = f"the deal, the bids and the cards played make it {twins[game][name].tolist()}"
        raise ValueError(_refusal(states, game, name, allowed))


def _refusal(states: NDArray[Any], game: int, name: str, allowed: str) -> str:
    return f"record {game} is not a state of the game: {name}={states[game][name].tolist()}: {allowed}"


def _described(states: Any) -> str:
    if isinstance(states, np.ndarray):
        return f"an array of shape {states.shape} and type {states.dtype.type.__name__}"
    return f"a {type(states).__name__}"


@kernel([STATE], [STATE], int)
def _retrace_all(states: Any, twins: Any, hidden: int) -> int:
    """Retrace every state in its twin; returns the first fault with the number of its game, or _NO_FAULT."""
    for index in range(len(states)):
        fault = _fault(states[index], twins[index], hidden)
        if fault != _NO_FAULT:
            return index * _MANY_FAULTS + fault
    return _NO_FAULT


@compiled
def _fault(state: State, twin: State, hidden: int) -> int:
    fault = _options_fault(state)
    if fault == _NO_FAULT:
        fault = _fields_fault(state)
    if fault == _NO_FAULT:
        fault = _cards_fault(state, hidden)
    if fault == _NO_FAULT:
        fault = _retrace(state, twin, hidden)
    return fault


@outlined
def _options_fault(state: State) -> int:
    """What is wrong with the options and the place in the game."""
    if not MIN_PLAYERS <= state.num_players <= MAX_PLAYERS:
        return _NUM_PLAYERS
    if not OPEN <= state.bid_reveal < _NUM_REVEALS:
        return _BID_REVEAL
    if not FREE <= state.bid_restriction < _NUM_RESTRICTIONS:
        return _BID_RESTRICTION
    if state.bid_restriction != FREE and state.bid_reveal != OPEN:
        return _BID_RESTRICTION
    if not 0 <= state.magic_edition <= 1:
        return _MAGIC_EDITION
    if not 1 <= state.num_rounds <= MAX_ROUNDS:
        return _NUM_ROUNDS
    for number in range(state.num_rounds):
        if not 1 <= state.hand_sizes[number] <= DECK_SIZE // int(state.num_players):
            return _HAND_SIZES
    if not 0 <= state.round_index < state.num_rounds:
        return _ROUND_INDEX
    if state.hand_size != state.hand_sizes[int(state.round_index)]:
        return _HAND_SIZE
    return _NO_FAULT


@outlined
def _fields_fault(state: State) -> int:
    """What is wrong with the phase, the seats and the scores, given sound options."""
    if not TRUMP <= state.phase <= OVER:
        return _PHASE
    if not 0 <= state.dealer < state.num_players:
        return _DEALER
    if not 0 <= state.seat < state.num_players:
        return _SEAT
    most = MAX_SCORE
    for number in range(int(state.round_index) + (1 if state.phase >= SCORED else 0)):
        size = int(state.hand_sizes[number])
        most += score(size, size)
    for seat in range(MAX_PLAYERS):
        if abs(int(state.scores[seat])) > most or int(state.scores[seat]) % 10 != 0:
            return _SCORES
        if abs(int(state.points[seat])) > score(int(state.hand_size), int(state.hand_size)):
            return _POINTS
    if not 0 <= state.num_plays <= int(state.hand_size) * int(state.num_players):
        return _NUM_PLAYS
    return _NO_FAULT


@outlined
def _cards_fault(state: State, hidden: int) -> int:
    """What is wrong with the cards in hands, on the table and turned up, given sound fields."""
    all_dealt = int(state.hand_size) * int(state.num_players) == DECK_SIZE
    if (state.upcard == NO_CARD) != all_dealt or not NO_CARD <= state.upcard < NUM_KINDS:
        return _UPCARD
    dealt = 0 if state.upcard == NO_CARD else UNITS[int(state.upcard)]
    for seat in range(MAX_PLAYERS):
        hand, played = int(state.hands[seat]), int(state.played[seat])
        if seat >= state.num_players:
            if hand != 0:
                return _HANDS
            if played != 0:
                return _PLAYED
            continue
        if not _fits(dealt, played):
            return _PLAYED
        dealt += played
        if not _fits(dealt, hand):
            return _HANDS
        dealt += hand
        left = int(state.hand_size) - size_of(played)
        if left < 0:
            return _PLAYED
        may_hide = hidden == ANY_HIDDEN or (hidden == OTHERS_HIDDEN and seat != state.seat)
        if size_of(hand) != left and not (may_hide and hand == 0):
            return _HANDS
    return _NO_FAULT


@compiled
def _fits(dealt: int, cards: int) -> bool:
    """Whether a number is a set of cards that the deck still holds after those dealt."""
    if cards & ~(SUIT_CARDS | SPECIALS) or cards & dealt & SUIT_CARDS:
        return False
    wizards = ((dealt >> WIZARD_SHIFT) & COUNT) + ((cards >> WIZARD_SHIFT) & COUNT)
    jesters = ((dealt >> JESTER_SHIFT) & COUNT) + ((cards >> JESTER_SHIFT) & COUNT)
    return wizards <= COPIES[WIZARD] and jesters <= COPIES[JESTER]


@outlined
def _retrace(state: State, twin: State, hidden: int) -> int:
    """Let `twin`, a copy of a state, begin at the deal and go through the state's bids and plays."""
    for seat in range(state.num_players):
        unseen = _UNSEEN if state.hands[seat] == 0 and _has_left(state, seat) else 0
        twin.hands[seat] = state.hands[seat] + state.played[seat] + unseen
        if state.phase >= SCORED:
            twin.scores[seat] = int(state.scores[seat]) - int(state.points[seat])
    for seat in range(int(state.num_players), MAX_PLAYERS):  # nobody sits there
        twin.scores[seat] = 0
        twin.points[seat] = 0
        twin.bids[seat] = 0
        twin.tricks_won[seat] = 0
        twin.voids[seat] = 0
    for number in range(int(state.num_rounds), MAX_ROUNDS):
        twin.hand_sizes[number] = 0
    twin.leader = left_of(state, int(state.dealer))
    turn_up(twin, int(state.upcard))
    fault = _NO_FAULT
    if state.phase != TRUMP:
        if twin.phase == TRUMP:
            if not 0 <= state.trump < NUM_SUITS:
                return _TRUMP
            choose_trump(twin, int(state.trump))
        fault = _retrace_bids(state, twin, hidden)
    if fault == _NO_FAULT:
        fault = _retrace_plays(state, twin)
    for seat in range(state.num_players):
        twin.hands[seat] &= ~_UNSEEN
    return fault


@compiled
def _has_left(state: State, seat: int) -> bool:
    return size_of(int(state.played[seat])) < state.hand_size


@outlined
def _retrace_bids(state: State, twin: State, hidden: int) -> int:
    while twin.phase == BID:
        tricks = int(state.bids[int(twin.seat)])
        if tricks == NOT_BID:
            return _NO_FAULT
        if tricks == HIDDEN:
            if hidden == NOTHING_HIDDEN or state.bid_reveal == OPEN:
                return _BIDS
        elif not 0 <= tricks <= state.hand_size or tricks == forbidden_bid(twin):
            return _BIDS
        bid(twin, tricks)
    return _NO_FAULT


@outlined
def _retrace_plays(state: State, twin: State) -> int:
    for number in range(state.num_plays):
        card = int(state.plays[number])
        if not 0 <= card < NUM_KINDS or twin.phase != PLAY:
            return _PLAYS
        if (kinds_of(playable(twin)) >> card) & 1 == 0:
            return _PLAYS
        play(twin, card)
    return _NO_FAULT
