"""SelfPlayVecEnv: batched self-play as stable-baselines3 takes it, every seat being a learner."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from wizard_env import NUM_ACTIONS
from wizard_env.observation.fields import HIGHS
from wizard_env.train.selfplay.games import SelfPlayGames


class SelfPlayVecEnv(VecEnv):
    """One environment for each game; a step is the decision of whichever seat acts.

    Consecutive decisions of an environment are therefore those of different seats, and the reward of
    one is paid for several decisions of all: learn from it through `SelfPlayBuffer`, which credits
    every seat with its own points. The rewards returned here are those of the seat that acted, and
    `dones` tell where a round has ended.

    tables: the games; `points`, `acted` and `learns` are theirs.
    """

    def __init__(self, tables: SelfPlayGames) -> None:
        self.tables = tables
        self.games = tables.games
        self._actions = np.zeros(tables.games.num_games, np.int64)
        self.render_mode = None
        super().__init__(
            tables.games.num_games,
            gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8),
            gymnasium.spaces.Discrete(NUM_ACTIONS),
        )

    @property
    def points(self) -> NDArray[np.int16]:
        return self.tables.points

    @property
    def acted(self) -> NDArray[np.uint8]:
        return self.tables.acted

    @property
    def learns(self) -> NDArray[np.bool_]:
        return self.tables.learns

    def reset(self) -> NDArray[np.uint8]:
        """The decisions that the games wait for; they are not dealt anew."""
        return self.games.observation.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        self.tables.step(self._actions)
        tables = self.tables
        rewards = tables.rewards[np.arange(self.num_envs), tables.acted]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.games.observation.copy(), rewards, tables.ended.copy(), infos

    def action_masks(self) -> NDArray[np.uint8]:
        """uint8 [num_games, NUM_ACTIONS]: the legal actions."""
        return self.games.mask

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of this batch; sb3-contrib asks for `action_masks` this way."""
        return list(getattr(self, method_name)(*method_args, **method_kwargs))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing to release."""
