"""Advantages along each seat's own decisions of a round."""

import numpy as np
from numpy.typing import NDArray

from wizard_env.compiled.jit import kernel


@kernel(
    [[np.int64]], [[[np.float32]]], [[np.bool_]], [[np.float32]], [np.float32], [np.int64],
    float, float, [[np.float32]],
)  # fmt: skip
def seat_advantages(
    seats: NDArray[np.int64],
    rewards: NDArray[np.float32],
    ended: NDArray[np.bool_],
    values: NDArray[np.float32],
    last_values: NDArray[np.float32],
    last_seats: NDArray[np.int64],
    discount: float,
    decay: float,
    advantages: NDArray[np.float32],
) -> None:
    """Estimate generalised advantages along each seat's own decisions (Schulman et al. 2016, eq. 16).

    A seat's decisions in a round, or in a game, are one episode, paid at its end. Where the rollout ends in
    the middle of an episode, the value of the next decision is known for the seat that acts next. For each
    other seat its last decision takes the place of the next one, and gets no advantage.

    Args:
        seats: [decisions, games], the seat that took each decision.
        rewards: [decisions, games, seats], the pay of every seat after each decision; read where an episode
            ended.
        ended: [decisions, games], whether the decision ended the episode.
        values: [decisions, games], the estimates at the time of the decisions.
        last_values: [games], the estimates for the decisions that follow the rollout.
        last_seats: [games], the seats that take those.
        discount: per decision of the seat.
        decay: lambda.
        advantages: [decisions, games], written.
    """
    num_seats = rewards.shape[2]
    reward = np.zeros(num_seats)
    next_value = np.zeros(num_seats)
    next_advantage = np.zeros(num_seats)
    known = np.zeros(num_seats, np.bool_)
    for game in range(seats.shape[1]):
        reward[:] = 0
        next_advantage[:] = 0
        known[:] = False
        known[last_seats[game]] = True
        next_value[last_seats[game]] = last_values[game]
        for decision in range(seats.shape[0] - 1, -1, -1):
            if ended[decision, game]:
                for seat in range(num_seats):
                    reward[seat] = rewards[decision, game, seat]
                    next_value[seat] = 0
                    next_advantage[seat] = 0
                    known[seat] = True
            seat = seats[decision, game]
            value = values[decision, game]
            if known[seat]:
                error = reward[seat] + discount * next_value[seat] - value
                next_advantage[seat] = error + discount * decay * next_advantage[seat]
            advantages[decision, game] = next_advantage[seat]
            next_value[seat] = value
            reward[seat] = 0
            known[seat] = True
