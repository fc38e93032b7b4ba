"""Playing finished rounds again: the decisions of a round, each as its seat saw it.

Reading back needs no rule of its own: the engine takes the trump, the bids and the plays of a finished round
once more.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.cards import DECK_SIZE
from wizard_env.compiled.bits import count_bits
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import apply, conceal, first_action, is_choice, legal, score
from wizard_env.history.finished import action_taken, deal_again, write_finished_round
from wizard_env.rules import MAX_PLAYERS
from wizard_env.state import BID, FINISHED_ROUND, PLAY, SCORED, STATE, FinishedRound, State, copy_records
from wizard_env.state_checks import Fault, Flaw, check_states


class Beginnings(NamedTuple):
    """Finished rounds of some games, game by game and oldest first, and the games as those rounds began."""

    states: NDArray[Any]
    """[m] records of dtype STATE: the round is dealt, all hands are shown, and nobody has acted."""
    rounds: NDArray[Any]
    """[m] records of dtype FINISHED_ROUND."""
    games: NDArray[np.int64]
    """[m] the number of the game."""


class Decisions(NamedTuple):
    """Decisions of finished rounds, round by round and in order."""

    states: NDArray[Any]
    """[m] records of dtype STATE: all that the acting seat knew, byte for byte as `View.known` had it."""
    actions: NDArray[np.int64]
    """[m] the action that it took."""
    rows: NDArray[np.int64]
    """[m] the number of the round."""
    choices: NDArray[np.int64]
    """[m] the number of actions that were legal."""


class _Field(Fault):
    """The fields of a finished round that `retrace` may refuse, and what is allowed there."""

    HAND_SIZE = "it must be that of the game as the round began"
    DEALER = "it must be the seat that dealt as the round began"
    UPCARD = "it must be the card that was turned up as the round began"
    TRUMP = "it must be that of the upcard, or a suit where the dealer names it"
    BIDS = "the rules must allow each, and nobody bids on an empty seat"
    PLAYS = "the rules must allow each card, in this order, and no card follows the last"
    TRICKS_WON = "the plays must make them"


NO_DIFFERENCE = -1
_NUM_FAULTS = len(_Field)


def rewind(states: NDArray[Any], finished_rounds: NDArray[Any]) -> Beginnings:
    """Take games back to the beginning of each of their finished rounds that is known.

    Args:
        states: [n] records of dtype STATE, such as `View.known` and `Games.states`.
        finished_rounds: [n, k] records of dtype FINISHED_ROUND, those of these games.
    """
    known = finished_rounds["hand_size"] > 0
    games, indices = map(np.ascontiguousarray, known.nonzero())
    rounds = finished_rounds[known]
    beginnings = copy_records(states[games])
    _rewind(beginnings, rounds, games, indices)
    return Beginnings(beginnings, rounds, games)


def retrace(states: NDArray[Any], rounds: NDArray[Any], *, forced: bool = True) -> Decisions:
    """Play finished rounds again, and return every decision in them as its seat saw it.

    A decision takes about 300 bytes.

    Args:
        states: [p] the games as the rounds began, see `rewind`.
        rounds: [p] records of dtype FINISHED_ROUND.
        forced: False leaves out decisions with a single legal action.

    Raises ValueError for a round that the rules do not allow; the message names its number and the field.
    """
    check_states(states)
    if len(rounds) != len(states):
        raise ValueError(f"{len(rounds)} rounds began in {len(states)} states: one is needed for each")
    players = states["num_players"].astype(np.int64)
    most = int((players * states["hand_size"] + players + 1).sum())
    decisions = Decisions(np.empty(most, STATE), *(np.empty(most, np.int64) for _ in range(3)))
    found = _play_again(states, rounds, decisions, 0 if forced else 1)
    if found < 0:
        flaw = _flaw_of(rounds, found)
        raise ValueError(f"round {flaw.row} cannot have been played: {flaw.reason}")
    return Decisions(*(column[:found] for column in decisions))


def find_flaw(states: NDArray[Any], rounds: NDArray[Any]) -> Flaw | None:
    """Return the first round that `retrace` refuses, given sound states."""
    nothing = Decisions(np.empty(0, STATE), *(np.empty(0, np.int64) for _ in range(3)))
    found = _play_again(states, rounds, nothing, NUM_ACTIONS)
    return _flaw_of(rounds, found) if found < 0 else None


def _flaw_of(rounds: NDArray[Any], found: int) -> Flaw:
    row, number = divmod(-1 - found, _NUM_FAULTS)
    fault = list(_Field)[number]
    name = fault.name.lower()
    return Flaw(row, f"{name}={rounds[name][row].tolist()}: {fault.allowed}")


@kernel([STATE], [FINISHED_ROUND], [np.int64], [np.int64])
def _rewind(states: Any, rounds: Any, games: Any, indices: Any) -> None:
    """Turn the current states of games, one for each round, into those at the beginning of the round."""
    for row in range(len(rounds) - 1, -1, -1):
        state, finished = states[row], rounds[row]
        last = row + 1 == len(rounds) or games[row + 1] != games[row]
        for seat in range(state.num_players):
            after = int(state.scores[seat]) if last else int(states[row + 1].scores[seat])
            state.scores[seat] = after - score(int(finished.bids[seat]), int(finished.tricks_won[seat]))
        state.round_index = indices[row]
        state.generator = np.uint64(0)
        deal_again(state, finished)


_KINDS: Any = Decisions([STATE], [np.int64], [np.int64], [np.int64])  # type: ignore[arg-type]


@kernel([STATE], [FINISHED_ROUND], _KINDS, int)
def _play_again(states: Any, rounds: Any, decisions: Decisions, fewest: int) -> int:
    """Write the decisions with more than `fewest` legal actions.

    Returns their number; or for a round that is refused -1 - row * _NUM_FAULTS - fault.
    """
    known, actions, rows, choices = decisions
    scratch, played = np.empty(1, STATE), np.empty(1, FINISHED_ROUND)
    count = 0
    for row in range(len(rounds)):
        scratch[0] = states[row]
        state, finished = scratch[0], rounds[row]
        while state.phase < SCORED:
            first, allowed = first_action(state), legal(state)
            action = action_taken(state, finished)
            if not is_choice(action, first, allowed):
                return -1 - row * _NUM_FAULTS - _field_of(state)
            number = count_bits(allowed)
            if number > fewest:
                known[count] = state
                conceal(known[count], int(state.seat))
                actions[count] = action
                rows[count] = row
                choices[count] = number
                count += 1
            apply(state, action)
        write_finished_round(state, played[0])
        fault = find_difference(played[0], finished)
        if fault != NO_DIFFERENCE:
            return -1 - row * _NUM_FAULTS - fault
    return count


@compiled
def _field_of(state: State) -> int:
    """Return the field of a finished round that holds the action that is due."""
    if state.phase == PLAY:
        return _Field.PLAYS
    return _Field.BIDS if state.phase == BID else _Field.TRUMP


@outlined
def find_difference(played: FinishedRound, finished: FinishedRound) -> int:
    """Return the first field in which two finished rounds differ, or NO_DIFFERENCE."""
    if played.hand_size != finished.hand_size:
        return _Field.HAND_SIZE
    if played.dealer != finished.dealer:
        return _Field.DEALER
    if played.upcard != finished.upcard:
        return _Field.UPCARD
    if played.trump != finished.trump:
        return _Field.TRUMP
    for seat in range(MAX_PLAYERS):
        if played.bids[seat] != finished.bids[seat]:
            return _Field.BIDS
        if played.tricks_won[seat] != finished.tricks_won[seat]:
            return _Field.TRICKS_WON
    for number in range(DECK_SIZE):
        if played.plays[number] != finished.plays[number]:
            return _Field.PLAYS
    return NO_DIFFERENCE
