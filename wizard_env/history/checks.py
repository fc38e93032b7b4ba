"""The check of finished rounds that come from outside: can these games have come to where they are by them?

It looks at what playing the rounds again must be able to trust: the place of each round in its game and the
ranges of the fields. Then every round is dealt and played again.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.cards import NUM_KINDS
from wizard_env.compiled.jit import kernel, outlined
from wizard_env.engine import left_of, score
from wizard_env.history.decisions import NO_DIFFERENCE, find_difference, find_flaw, rewind
from wizard_env.history.finished import write_finished_round
from wizard_env.rules import MAX_PLAYERS
from wizard_env.state import FINISHED_ROUND, NO_CARD, NO_SUIT, SCORED, STATE, FinishedRound, State
from wizard_env.state_checks import Fault, described
from wizard_env.state_checks import find_flaw as find_flaw_in_states

_LARGEST_SCORE = np.iinfo(np.int16).max


class _Misfit(Fault):
    """Reasons why a finished round has no place in its game."""

    NOT_BLANK = "hand_size 0 marks a round that is not known, and all its other fields must be 0"
    NOT_PLAYED = "the game has not finished this round"
    GAP = "a later round is not known"
    NOT_THE_LAST = "it is not the round that has just been scored"
    HAND_SIZE = "its hand size must be that of the round"
    DEALER = "the deal passes to the left each round"
    CARDS = "its upcard, its trump and its plays must be cards and suits"
    BIDS = "its bids and tricks must be those that a hand allows"
    SCORES = "its points do not lead to the scores of the game"


_NO_FAULT = -1
_NUM_FAULTS = len(_Misfit)


def check_finished_rounds(states: NDArray[Any], finished_rounds: NDArray[Any]) -> None:
    """Raise ValueError for the first finished round that the game cannot have had; the message says why.

    A game may lack its first rounds, or all: those are zero, and those that it has not finished too.

    Args:
        states: [n] records of dtype STATE that `check_states` accepts.
        finished_rounds: [n, k] records of dtype FINISHED_ROUND; anything else raises TypeError.
    """
    given = finished_rounds
    if not isinstance(given, np.ndarray) or given.dtype != FINISHED_ROUND or given.ndim != 2:
        raise TypeError(f"{described(given)}: a two-dimensional array of dtype FINISHED_ROUND is needed")
    if len(finished_rounds) != len(states):
        raise ValueError(f"finished rounds of {len(finished_rounds)} games: there are {len(states)} games")
    rounds = np.require(finished_rounds, requirements=["C", "W"])
    found = _find_misplaced(np.require(states, requirements=["C", "W"]), rounds)
    if found != _NO_FAULT:
        place, number = divmod(found, _NUM_FAULTS)
        game, index = divmod(place, rounds.shape[1])
        raise _refusal(game, index, list(_Misfit)[number].allowed)
    began = rewind(states, rounds)
    flaw = find_flaw_in_states(began.states) or find_flaw(began.states, began.rounds)
    if flaw is not None:
        raise _refusal(began.games[flaw.row], began.states["round_index"][flaw.row], flaw.reason)


def _refusal(game: int, index: int, reason: str) -> ValueError:
    return ValueError(f"game {game} cannot have had its finished round {index + 1}: {reason}")


@kernel([STATE], [[FINISHED_ROUND]])
def _find_misplaced(states: Any, finished_rounds: Any) -> int:
    """Return the first fault, game by game and newest first, with the place of its round, or _NO_FAULT."""
    most = finished_rounds.shape[1]
    scores, scored = np.zeros(MAX_PLAYERS, np.int64), np.zeros(1, FINISHED_ROUND)
    blank = np.zeros(1, FINISHED_ROUND)
    for game in range(len(states)):
        state = states[game]
        count = int(state.round_index) + (1 if state.phase >= SCORED else 0)
        known = most >= count
        dealer = int(state.dealer)
        for seat in range(MAX_PLAYERS):
            scores[seat] = state.scores[seat]
        for index in range(most - 1, -1, -1):
            finished, fault = finished_rounds[game, index], _NO_FAULT
            if finished.hand_size == 0:
                known = known and index >= count
                if find_difference(finished, blank[0]) != NO_DIFFERENCE:
                    fault = _Misfit.NOT_BLANK
            elif index >= count:
                fault = _Misfit.NOT_PLAYED
            elif not known:
                fault = _Misfit.GAP
            else:
                fault = _check_fields(state, finished, index)
                if index < state.round_index and fault == _NO_FAULT:
                    fault = _NO_FAULT if left_of(state, int(finished.dealer)) == dealer else _Misfit.DEALER
                elif fault == _NO_FAULT:
                    write_finished_round(state, scored[0])
                    if find_difference(scored[0], finished) != NO_DIFFERENCE:
                        fault = _Misfit.NOT_THE_LAST
                dealer = int(finished.dealer)
                for seat in range(state.num_players):
                    scores[seat] -= score(int(finished.bids[seat]), int(finished.tricks_won[seat]))
                    if abs(scores[seat]) > _LARGEST_SCORE and fault == _NO_FAULT:
                        fault = _Misfit.SCORES
            if fault != _NO_FAULT:
                return (game * most + index) * _NUM_FAULTS + fault
    return _NO_FAULT


@outlined
def _check_fields(state: State, finished: FinishedRound, index: int) -> int:
    """Check the ranges of the fields, given a sound state of the game."""
    hand_size = int(finished.hand_size)
    if hand_size != state.hand_sizes[index]:
        return _Misfit.HAND_SIZE
    if not 0 <= finished.dealer < state.num_players:
        return _Misfit.DEALER
    if not NO_CARD <= finished.upcard < NUM_KINDS or not 0 <= finished.trump <= NO_SUIT:
        return _Misfit.CARDS
    for number in range(hand_size * int(state.num_players)):
        if not 0 <= finished.plays[number] < NUM_KINDS:
            return _Misfit.CARDS
    for seat in range(state.num_players):
        if not 0 <= finished.bids[seat] <= hand_size or not 0 <= finished.tricks_won[seat] <= hand_size:
            return _Misfit.BIDS
    return _NO_FAULT
