"""WizardVectorEnv: many games at once in which one learner plays against opponents."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.envs.opponents import Episode, GamesWithOpponents, Opponents
from wizard_env.envs.rewards import Reward
from wizard_env.observation.fields import HIGHS
from wizard_env.rules import make_rules

Observations = NDArray[np.uint8]


class WizardVectorEnv(gymnasium.vector.VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` copies of WizardEnv on the batched engine; the same seeds give the same games.

    Observations are uint8 [num_envs, OBS_SIZE]; infos hold `action_mask`, int8 [num_envs,
    NUM_ACTIONS], `seat` and `scores` as in WizardEnv. `action_masks()` is bool [num_envs,
    NUM_ACTIONS]. Finished episodes restart by themselves: with AutoresetMode.NEXT_STEP on the next
    step, which ignores their action, and with AutoresetMode.SAME_STEP at once, with the last
    observation and info in `infos["final_obs"]` and `infos["final_info"]`.
    """

    metadata: dict[str, Any] = {
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 4,
        seat: int | None = None,
        opponents: Opponents = "random",
        episode: Episode = "game",
        reward: Reward = "points",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Set up the games. Arguments as for WizardEnv.

        autoreset_mode: NEXT_STEP (as in Gymnasium's own vector environments) or SAME_STEP.
        """
        mode = AutoresetMode(autoreset_mode)
        if mode is AutoresetMode.DISABLED:
            raise ValueError(f"autoreset_mode={mode}: allowed are NEXT_STEP and SAME_STEP")
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r}: a batch is not rendered, so only None is allowed")
        rules = make_rules(WizardVectorEnv, num_players, options)
        self._games = GamesWithOpponents(rules, num_envs, seat, opponents, episode, reward)
        self.num_envs = num_envs
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.single_observation_space = gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8)
        self.single_action_space = gymnasium.spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._same_step = mode is AutoresetMode.SAME_STEP
        self._rows = np.arange(num_envs)
        self._begun = False

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Start an episode in every environment.

        Args:
            seed: of the first environment, counting up for the others; or one for each; or None to
                follow on from the previous games, or at first from random seeds.
            options: ignored.
        """
        if options and "reset_mask" in options:
            raise ValueError("options['reset_mask'] belongs to AutoresetMode.DISABLED, see autoreset_mode")
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        if seed is None and self._begun:
            self._games.go_on(self._rows)
        else:
            self._games.begin(self._rows, self._first_seeds(seed))
        self._begun = True
        return self._games.observation.copy(), self._infos()

    def _first_seeds(self, seed: int | Sequence[int] | None) -> NDArray[np.uint64]:
        if seed is None:
            return self.np_random.integers(2**63, size=self.num_envs).astype(np.uint64)
        if isinstance(seed, int | np.integer):
            return np.uint64(seed) + np.arange(self.num_envs, dtype=np.uint64)
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds: {self.num_envs} are needed, one for each environment")
        return np.array(seed, np.uint64)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Take an action in every environment.

        Args:
            actions: int [num_envs].

        Returns:
            observations, rewards float64 [num_envs], terminations and truncations bool [num_envs],
            and infos; all new arrays.

        Raises:
            IllegalAction: an action is not legal; no game has changed.
        """
        games = self._games
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions of shape {chosen.shape}: ({self.num_envs},) is needed")
        ended = games.terminated.copy()
        if not ended.any():
            games.step(chosen, self._rows)
        else:
            running = self._rows[~ended]
            if len(running):
                games.step(chosen[running], running)
            games.go_on(self._rows[ended])
        rewards, terminated = games.reward.copy(), games.terminated.copy()
        infos: dict[str, Any] = {}
        if self._same_step and terminated.any():
            infos = self._final_infos(terminated)
            games.go_on(self._rows[terminated])
            games.terminated[:] = False
        observations = games.observation.copy()
        infos |= self._infos()
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """bool [num_envs, NUM_ACTIONS]: the legal actions; none where an episode has just ended."""
        return self._games.mask.astype(np.bool_)

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        values = {
            "action_mask": self._games.mask.astype(np.int8),
            "seat": self._games.seat.copy(),
            "scores": self._games.scores.astype(np.int64),
        }
        return values | {f"_{name}": everywhere.copy() for name in values}

    def _final_infos(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        observations = np.full(self.num_envs, None, dtype=object)
        for row in ended.nonzero()[0]:
            observations[row] = self._games.observation[row].copy()
        infos = self._infos()
        for value in infos.values():
            value[~ended] = 0
        return {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": infos,
            "_final_info": ended.copy(),
        }
