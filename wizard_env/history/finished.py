"""Finished rounds: written as a round is scored, copied for views, and read by people."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.cards import CARD_NAMES, DECK_SIZE
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import apply, score, turn_up
from wizard_env.observation.fields import HISTORY, unpack
from wizard_env.observation.readable import Round, suit_name, upcard_name
from wizard_env.rules import MAX_PLAYERS, Rules
from wizard_env.state import (
    BID,
    FINISHED_ROUND,
    NO_CARD,
    PLAY,
    SCORED,
    STATE,
    FinishedRound,
    State,
    write_rules,
)

_ENDLESS = 1 << 62
"""A hand that no number of plays empties; it stands for one that is not known yet."""


# --- writing and copying


@outlined
def write_finished_round(state: State, finished: FinishedRound) -> None:
    """Write down a round that has just been scored."""
    finished.hand_size = state.hand_size
    finished.dealer = state.dealer
    finished.upcard = state.upcard
    finished.trump = state.trump
    finished.bids = state.bids
    finished.tricks_won = state.tricks_won
    finished.plays = state.plays


@outlined
def clear_finished_round(finished: FinishedRound) -> None:
    """Mark a round as not known."""
    finished.hand_size = 0
    finished.dealer = 0
    finished.upcard = 0
    finished.trump = 0
    for seat in range(MAX_PLAYERS):
        finished.bids[seat] = 0
        finished.tricks_won[seat] = 0
    for number in range(DECK_SIZE):
        finished.plays[number] = 0


def count_finished(states: NDArray[Any]) -> NDArray[np.int64]:
    """Return int64 [n], the number of rounds that each game has finished."""
    return states["round_index"].astype(np.int64) + (states["phase"] >= SCORED)


def copy_rounds(finished_rounds: NDArray[Any], states: NDArray[Any], rows: Any = slice(None)) -> NDArray[Any]:
    """Copy the finished rounds of some games. Rounds that a game has finished after its state are left out.

    Args:
        finished_rounds: [n, k] records of dtype FINISHED_ROUND.
        states: [m] the states of the chosen games.
        rows: an index, or a mask, that chooses m of the n games.
    """
    size = FINISHED_ROUND.itemsize  # bytes are copied as a block, records field by field
    most = finished_rounds.shape[1]
    chosen = np.array(np.ascontiguousarray(finished_rounds).view(np.uint8)[rows], order="C")
    copied = chosen.reshape(len(states), most, size)
    copied[np.arange(most) >= count_finished(states)[:, np.newaxis]] = 0
    return copied.reshape(-1).view(FINISHED_ROUND).reshape(len(states), most)


# --- reading


def read_rounds(states: NDArray[Any], finished_rounds: NDArray[Any]) -> list[Round]:
    """Return those finished rounds of one game that are known, as people read them, oldest first.

    Args:
        states: [1] the game, for its options.
        finished_rounds: [k] records of dtype FINISHED_ROUND.
    """
    known = finished_rounds[finished_rounds["hand_size"] > 0]
    seats = np.empty((len(known), DECK_SIZE), np.int8)
    _seat_plays(states, known, seats)
    num_players = int(states["num_players"][0])
    return [_read_round(each, by, num_players) for each, by in zip(known, seats.tolist(), strict=True)]


def read_history(rules: Rules, history: ArrayLike) -> list[Round]:
    """Return the rounds in the history that an environment shows, as people read them, oldest first.

    Args:
        rules: the options of the game.
        history: int8 [..., ROUND_SIZE], as in HISTORY; rows without a round are skipped.

    Raises ValueError for values that no round has; the plays are not checked against the rules.
    """
    fields = unpack(history, HISTORY)
    highest = {field.name: field.high for field in HISTORY}
    highest |= {"hand_size": rules.max_hand_size, "dealer": rules.num_players - 1}
    for field in HISTORY:
        if (fields[field.name] < field.low).any() or (fields[field.name] > highest[field.name]).any():
            raise ValueError(f"{field.name}: allowed are {field.low} to {highest[field.name]}")
    played = np.arange(DECK_SIZE) < fields["hand_size"].astype(np.int64) * rules.num_players
    if ((fields["hand_size"] > 0) & ((fields["plays"] != NO_CARD) != played)).any():
        raise ValueError(f"plays: {rules.num_players} players need as many for each card of the hand size")
    states = np.zeros(1, STATE)
    write_rules(rules, states)
    return read_rounds(states, np.array(history, np.int8, order="C").reshape(-1).view(FINISHED_ROUND))


def read_plays(states: NDArray[Any]) -> tuple[tuple[int, str], ...]:
    """Return the cards played so far in the current round of a game, [1], with their seats, in order."""
    current, seats = np.zeros(1, FINISHED_ROUND), np.empty((1, DECK_SIZE), np.int8)
    write_finished_round(states[0], current[0])
    _seat_plays(states, current, seats)
    return _name_plays(current[0], seats[0].tolist())


def _name_plays(finished: Any, seats: list[int]) -> tuple[tuple[int, str], ...]:
    cards = [card for card in finished["plays"].tolist() if card != NO_CARD]
    return tuple((seat, CARD_NAMES[card]) for seat, card in zip(seats, cards, strict=False))


def _read_round(finished: Any, seats: list[int], num_players: int) -> Round:
    """Return a finished round as people read it. seats: those of its plays."""
    bids, tricks_won = (finished[name][:num_players].tolist() for name in ("bids", "tricks_won"))
    return Round(
        hand_size=int(finished["hand_size"]),
        dealer=int(finished["dealer"]),
        upcard=upcard_name(int(finished["upcard"])),
        trump=suit_name(int(finished["trump"])),
        bids=bids,
        tricks_won=tricks_won,
        points=[score(bid, won) for bid, won in zip(bids, tricks_won, strict=True)],
        plays=_name_plays(finished, seats),
    )


@kernel([STATE], [FINISHED_ROUND], [[np.int8]])
def _seat_plays(states: Any, rounds: Any, seats: Any) -> None:
    """Write the seat of each play of some rounds of one game, finished or not."""
    scratch = np.empty(1, STATE)
    scratch[0] = states[0]
    for index in range(len(rounds)):
        start_round(scratch[0], rounds[index])
        for number in range(plays_in(scratch[0])):
            if rounds[index].plays[number] == NO_CARD:
                break
            seats[index, number] = scratch[0].seat
            apply(scratch[0], action_taken(scratch[0], rounds[index]))


# --- following a round by the rules


@compiled
def plays_in(state: State) -> int:
    """Return the number of cards that are played in a round."""
    return int(state.hand_size) * int(state.num_players)


@compiled
def action_taken(state: State, finished: FinishedRound) -> int:
    """Return the action that the acting seat took at this moment of a finished round."""
    phase = int(state.phase)
    if phase == PLAY:
        return FIRST_PLAY + int(finished.plays[state.num_plays])
    if phase == BID:
        return FIRST_BID + int(finished.bids[state.seat])
    return FIRST_TRUMP + int(finished.trump)


@outlined
def start_round(state: State, finished: FinishedRound) -> None:
    """Take a state with the options of the game to the first play of a finished round, with endless hands."""
    state.dealer = finished.dealer
    state.hand_size = finished.hand_size
    for seat in range(state.num_players):
        state.hands[seat] = _ENDLESS
    turn_up(state, int(finished.upcard))
    while state.phase != PLAY:
        apply(state, action_taken(state, finished))


@outlined
def deal_again(state: State, finished: FinishedRound) -> None:
    """Deal a finished round: each seat gets the cards that it played."""
    start_round(state, finished)
    for _ in range(plays_in(state)):
        apply(state, action_taken(state, finished))
    for seat in range(state.num_players):
        state.hands[seat] = state.played[seat]
    turn_up(state, int(finished.upcard))
