"""SelfPlayBuffer: a rollout of self-play in which every seat is credited with its own points."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from train.vec_env import REWARD_SCALE, SelfPlayVecEnv
from wizard_env.jit import kernel
from wizard_env.rules import MAX_PLAYERS


class SelfPlayBuffer(MaskableRolloutBuffer):
    """sb3-contrib's buffer, with advantages taken along each seat's own decisions of a round."""

    def __init__(self, *arguments: Any, env: SelfPlayVecEnv, **options: Any) -> None:
        """env: the environment that the rollout comes from."""
        self.env = env
        super().__init__(*arguments, **options)

    def reset(self) -> None:
        super().reset()
        self.seats = np.zeros((self.buffer_size, self.n_envs), np.int64)
        self.points = np.zeros((self.buffer_size, self.n_envs, MAX_PLAYERS), np.float32)

    def add(self, *arguments: Any, **options: Any) -> None:
        self.seats[self.pos] = self.env.acted
        points = self.env.points
        self.points[self.pos, :, : points.shape[1]] = points
        super().add(*arguments, **options)

    def compute_returns_and_advantage(self, last_values: Any, dones: NDArray[np.bool_]) -> None:
        """Fill advantages and returns, float32 [decisions, games].

        last_values: [games], the values of the decisions that the games wait for.
        """
        seat_advantages(
            self.seats,
            self.points * np.float32(REWARD_SCALE),
            self.values,
            last_values.detach().cpu().numpy().ravel(),
            self.env.games.seat.astype(np.int64),
            self.gamma,
            self.gae_lambda,
            self.advantages,
        )
        self.returns = self.advantages + self.values


@kernel
def seat_advantages(
    seats: NDArray[np.int64],
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    last_values: NDArray[np.float32],
    last_seats: NDArray[np.int64],
    discount: float,
    decay: float,
    advantages: NDArray[np.float32],
) -> None:
    """Generalised advantage estimates along each seat's own decisions (Schulman et al. 2016, eq. 16).

    A seat's decisions of a round are an episode, paid at the end of the round. Where the rollout ends
    within a round, the value of the seat's next decision is known if it is the one that acts next;
    for the others their last decision stands in for it, and gets no advantage.

    Args:
        seats: [decisions, games], who took each decision.
        rewards: [decisions, games, MAX_PLAYERS], what each paid every seat; not 0 where a round ended.
        values: [decisions, games], the estimates when they were taken.
        last_values: [games], the estimates for the decisions that follow the rollout.
        last_seats: [games], who takes those.
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
            if rewards[decision, game, 0] != 0:
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
