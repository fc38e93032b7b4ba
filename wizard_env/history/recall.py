"""recall: all that a seat has seen in its game, decision by decision, for agents with a memory."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.compiled.bits import count_bits
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import apply, legal, turn_up
from wizard_env.history.decisions import rewind
from wizard_env.history.finished import action_taken, write_finished_round
from wizard_env.observation.encoder import choose_order, observe
from wizard_env.observation.fields import OBS_SIZE, OBSERVATION_ROW
from wizard_env.state import FINISHED_ROUND, SCORED, STATE, FinishedRound, State


class Recollection(NamedTuple):
    """What the acting seats saw in their games, game by game and oldest first."""

    observations: NDArray[np.uint8]
    """[m, OBS_SIZE] at each of the seat's own decisions, and as each round was scored (no phase is set)."""
    games: NDArray[np.int64]
    """[m] the number of the game. The last row of each is the decision that it awaits."""


def recall(
    states: NDArray[Any],
    finished_rounds: NDArray[Any],
    *,
    canonical_suits: bool = False,
    forced: bool = True,
) -> Recollection:
    """Return the observations of the acting seats from the beginning of their games to now.

    They are those that `Games` showed the seat: `observation` at its decisions, and `observe` when a batch
    with `pause="round"` had scored a round. Rounds that are not known are left out.

    Args:
        states: [n] records of dtype STATE that await a decision, such as `View.known`.
        finished_rounds: [n, k] records of dtype FINISHED_ROUND, those of these games.
        canonical_suits: show suits in the seat's canonical order, as it was at each moment.
        forced: False leaves out decisions with a single legal action, except the one that is awaited.
    """
    began = rewind(states, finished_rounds)
    most = int(began.rounds["hand_size"].astype(np.int64).sum() + states["hand_size"].astype(np.int64).sum())
    most += 3 * (len(began.rounds) + len(states))  # a trump, a bid, and the scored round
    rows, games = np.zeros(most, OBSERVATION_ROW), np.empty(most, np.int64)
    count = _recall(np.ascontiguousarray(states), *began, rows, games, canonical_suits, 0 if forced else 1)
    return Recollection(rows[:count].view(np.uint8).reshape(count, OBS_SIZE), games[:count])


@kernel([STATE], [STATE], [FINISHED_ROUND], [np.int64], [OBSERVATION_ROW], [np.int64], bool, int)
def _recall(
    states: Any,
    beginnings: Any,
    rounds: Any,
    owners: Any,
    rows: Any,
    games: Any,
    canonical: bool,
    fewest: int,
) -> int:
    """Play each game's rounds again, and write what its acting seat saw; return the number of rows."""
    scratch, current = np.empty(1, STATE), np.empty(1, FINISHED_ROUND)
    count = past = 0
    for game in range(len(states)):
        now, state = states[game], scratch[0]
        observer = int(now.seat)
        while past < len(rounds) and owners[past] == game:
            scratch[0] = beginnings[past]
            while state.phase < SCORED:
                if state.seat == observer and count_bits(legal(state)) > fewest:
                    observe(state, observer, rows[count], choose_order(state, observer, canonical))
                    games[count] = game
                    count += 1
                apply(state, action_taken(state, rounds[past]))
            observe(state, observer, rows[count], choose_order(state, observer, canonical))
            games[count] = game
            count += 1
            past += 1
        scratch[0] = now
        _begin_round_again(state, current[0])
        while not _is_same_moment(state, now):
            if state.seat == observer and count_bits(legal(state)) > fewest:
                observe(state, observer, rows[count], choose_order(state, observer, canonical))
                games[count] = game
                count += 1
            apply(state, action_taken(state, current[0]))
        observe(now, observer, rows[count], choose_order(now, observer, canonical))
        games[count] = game
        count += 1
    return count


@outlined
def _begin_round_again(state: State, current: FinishedRound) -> None:
    """Take a game back to the beginning of the round that is played, and write down what has happened in it.

    Bids that are hidden become 0; who may not see them is not shown them now either.
    """
    write_finished_round(state, current)
    for seat in range(state.num_players):
        current.bids[seat] = max(int(current.bids[seat]), 0)
        state.hands[seat] += state.played[seat]
    turn_up(state, int(state.upcard))


@compiled
def _is_same_moment(state: State, other: State) -> bool:
    """Return whether two states of one round await the same decision."""
    same_seat = state.phase == other.phase and state.seat == other.seat
    return same_seat and state.num_plays == other.num_plays
