"""SelfPlayBuffer: a rollout of self-play that credits each seat with its own points."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from wizard_env.train.sb3.vec_env import SelfPlayVecEnv
from wizard_env.train.selfplay.advantages import seat_advantages


class SelfPlayBuffer(MaskableRolloutBuffer):
    """sb3-contrib's buffer, with advantages along each seat's own decisions."""

    def __init__(self, *arguments: Any, env: SelfPlayVecEnv, **options: Any) -> None:
        self.env = env
        super().__init__(*arguments, **options)

    def reset(self) -> None:
        super().reset()
        self.seats = np.zeros((self.buffer_size, self.n_envs), np.int64)
        self.paid = np.zeros((self.buffer_size, *self.env.self_play.rewards.shape), np.float32)
        self.ended = np.zeros((self.buffer_size, self.n_envs), np.bool_)

    def add(self, *arguments: Any, **options: Any) -> None:
        self_play = self.env.self_play
        self.seats[self.pos] = self_play.acted
        self.paid[self.pos] = self_play.rewards
        self.ended[self.pos] = self_play.ended
        super().add(*arguments, **options)

    def compute_returns_and_advantage(self, last_values: Any, dones: NDArray[np.bool_]) -> None:
        """Write the advantages and returns, float32 [decisions, games].

        last_values: [games], the values of the decisions that follow the rollout.
        """
        seat_advantages(
            seats=self.seats,
            rewards=self.paid,
            ended=self.ended,
            values=self.values,
            last_values=last_values.detach().cpu().numpy().ravel(),
            last_seats=self.env.games.seat.astype(np.int64),
            discount=self.gamma,
            decay=self.gae_lambda,
            advantages=self.advantages,
        )
        self.returns = self.advantages + self.values
