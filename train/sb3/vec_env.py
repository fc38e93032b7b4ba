"""SelfPlayVecEnv: batched self-play as a vectorised environment of stable-baselines3."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from wizard_env import NUM_ACTIONS
from wizard_env.observation.fields import HIGHS
from wizard_env.train.selfplay.games import SelfPlayGames


class SelfPlayVecEnv(VecEnv):
    """One environment for each game; a step is one decision of the seat that acts.

    So consecutive decisions of an environment belong to different seats, and a reward is paid for several
    decisions of every seat. Learn through `SelfPlayBuffer`, which credits each seat with its own points.
    The rewards returned here are those of the seat that acted; `dones` tells where a round, or a game, has
    ended.
    """

    def __init__(self, self_play: SelfPlayGames) -> None:
        self.self_play = self_play
        self.games = self_play.games
        self._actions = np.zeros(self.games.num_games, np.int64)
        self.render_mode = None
        super().__init__(
            self.games.num_games,
            gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8),
            gymnasium.spaces.Discrete(NUM_ACTIONS),
        )

    def reset(self) -> NDArray[np.uint8]:
        """Return the observations of the decisions to take; nothing is dealt again."""
        return self.games.observation.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        self_play = self.self_play
        self_play.step(self._actions)
        rewards = self_play.rewards[np.arange(self.num_envs), self_play.acted]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.games.observation.copy(), rewards, self_play.ended.copy(), infos

    def action_masks(self) -> NDArray[np.uint8]:
        """Return the masks of legal actions, uint8 [num_games, NUM_ACTIONS]."""
        return self.games.mask

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of this batch. sb3-contrib asks for `action_masks` this way."""
        return list(getattr(self, method_name)(*method_args, **method_kwargs))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
