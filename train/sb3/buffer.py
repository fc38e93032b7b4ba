"""SelfPlayBuffer: a rollout of self-play in which every seat is credited with its own points."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from wizard_env.train.sb3.vec_env import SelfPlayVecEnv
from wizard_env.train.selfplay.advantages import seat_advantages


class SelfPlayBuffer(MaskableRolloutBuffer):
    """sb3-contrib's buffer, with advantages taken along each seat's own decisions of a round."""

    def __init__(self, *arguments: Any, env: SelfPlayVecEnv, **options: Any) -> None:
        """env: the environment that the rollout comes from."""
        self.env = env
        super().__init__(*arguments, **options)

    def reset(self) -> None:
        super().reset()
        self.seats = np.zeros((self.buffer_size, self.n_envs), np.int64)
        self.paid = np.zeros((self.buffer_size, *self.env.tables.rewards.shape), np.float32)
        self.ended = np.zeros((self.buffer_size, self.n_envs), np.bool_)

    def add(self, *arguments: Any, **options: Any) -> None:
        self.seats[self.pos] = self.env.acted
        self.paid[self.pos] = self.env.tables.rewards
        self.ended[self.pos] = self.env.tables.ended
        super().add(*arguments, **options)

    def compute_returns_and_advantage(self, last_values: Any, dones: NDArray[np.bool_]) -> None:
        """Fill advantages and returns, float32 [decisions, games].

        last_values: [games], the values of the decisions that the games wait for.
        """
        seat_advantages(
            self.seats,
            self.paid,
            self.ended,
            self.values,
            last_values.detach().cpu().numpy().ravel(),
            self.env.games.seat.astype(np.int64),
            self.gamma,
            self.gae_lambda,
            self.advantages,
        )
        self.returns = self.advantages + self.values
