"""WizardVectorEnv: many games at once in which one learner plays against opponents."""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.checks import check_choice, check_integers, check_seed, quoted
from wizard_env.envs.opponents import Episode, GamesWithOpponents, IllegalActions, Opponents
from wizard_env.envs.reset_options import ResetOptions
from wizard_env.envs.rewards import RewardFunction
from wizard_env.envs.seeds import SEED_BITS, OwnSeed
from wizard_env.envs.spaces import LegalBatch, ObservationType, fit_to_space, observation_space, with_history
from wizard_env.envs.specification import OwnSpec
from wizard_env.render.modes import RENDER_FPS, Renderer
from wizard_env.rules import make_rules
from wizard_env.state import aligned_copy

_RENDER_MODES = ("ansi", "rgb_array")
_RESET_MASK = "reset_mask"


class WizardVectorEnv(OwnSeed, OwnSpec, gymnasium.vector.VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` copies of WizardEnv on the batched engine; the same seeds give the same games.

    Observations are uint8 or float32 [num_envs, OBS_SIZE], with `history=True` in a dict as in WizardEnv;
    infos hold `action_mask`, int8 [num_envs, NUM_ACTIONS], and `seat`, `scores`, `round` and
    `illegal_action` as in WizardEnv. Finished episodes restart: with
    AutoresetMode.NEXT_STEP on the next step, which ignores their action; with AutoresetMode.SAME_STEP at
    once, with the last observation and info in `infos["final_obs"]` and `infos["final_info"]`. With
    AutoresetMode.DISABLED the caller resets them, by `options={"reset_mask": ...}`.
    """

    metadata: dict[str, Any] = {
        "render_modes": list(_RENDER_MODES),
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 4,
        seat: int | None = None,
        opponents: Opponents = "random",
        episode: Episode = "game",
        reward: str | RewardFunction = "points",
        dtype: ObservationType = "uint8",
        history: bool = False,
        illegal_action: IllegalActions = "raise",
        illegal_reward: float = -1.0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Set up the games. Arguments as for WizardEnv, except `render_mode`: None, "ansi" or "rgb_array"."""
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if render_mode is not None:
            check_choice("render_mode", render_mode, _RENDER_MODES)
        rules = make_rules(WizardVectorEnv, num_players, options)
        self._games = GamesWithOpponents(
            rules, num_envs, seat, opponents, episode, reward, illegal_action, illegal_reward
        )
        self.num_envs = num_envs
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        self._row_space = observation_space(dtype)
        self._history = bool(history)
        self.single_observation_space: gymnasium.Space[Any] = (
            with_history(self._row_space, rules) if history else self._row_space
        )
        self.single_action_space = gymnasium.spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space: LegalBatch = LegalBatch(self._games.mask)
        self._rows = np.arange(num_envs)
        self._begun = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every environment, or in those of a mask.

        Args:
            seed: of the first environment, counting up for the others, from 0 again after 2**64 - 1; or one
                for each; or None to continue from the previous games, at first from a random seed,
                `np_random_seed`.
            options: as for WizardEnv, the same for every environment; and `reset_mask`, bool [num_envs],
                the environments to reset. Others keep their episodes; their infos are not marked as new.
        """
        given = dict(options or {})
        chosen = self._read_reset_mask(given.pop(_RESET_MASK, None))
        asked = ResetOptions.read(given, self._games.rules, history=self._history)
        seeds, seeded = self._read_seeds(seed)
        super().reset(seed=None if seed is None or isinstance(seed, Iterable) else int(seeds[0]))
        new = chosen & (seeded | (not self._begun))
        if new.any():
            self._games.begin(self._rows[new], seeds[new], asked)
        if (continued := chosen & ~new).any():
            self._games.next_episode(self._rows[continued], asked)
        self._begun = True
        return self._observations(), self._infos(chosen)

    def _read_reset_mask(self, mask: Any) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
            raise ValueError(
                f"options[{_RESET_MASK!r}]={quoted(mask)}: bool [{self.num_envs}] is needed, "
                "True at least once"
            )
        if not self._begun and not chosen.all():
            raise ValueError(f"options[{_RESET_MASK!r}]: the first reset is of all environments")
        return chosen

    def _read_seeds(
        self, seed: int | Sequence[int | None] | None
    ) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Return a seed for each environment, drawn where none is given, and bool: where one is given."""
        if isinstance(seed, str) or not isinstance(seed, Iterable):
            first = np.uint64(self._first_seed() if seed is None else check_seed(seed))
            seeds = first + np.arange(self.num_envs, dtype=np.uint64)
            return seeds, np.full(self.num_envs, seed is not None)
        given = list(seed)
        if len(given) != self.num_envs:
            raise ValueError(f"{len(given)} seeds: {self.num_envs} are needed, one for each environment")
        drawn = self.np_random.integers(2**SEED_BITS, size=self.num_envs, dtype=np.uint64).tolist()
        chosen = [new if one is None else check_seed(one) for one, new in zip(given, drawn, strict=True)]
        return np.array(chosen, np.uint64), np.array([one is not None for one in given])

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Take an action in every environment: int [num_envs].

        Returns new arrays: observations; rewards, float64 [num_envs]; terminations and truncations, bool
        [num_envs]; and infos.

        Raises:
            IllegalAction: an action is not legal, and illegal actions raise; no game has changed.
            ValueError: with AutoresetMode.DISABLED, an environment has ended and was not reset.
        """
        games = self._games
        chosen = check_integers("actions", actions)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions of shape {chosen.shape}: ({self.num_envs},) is needed")
        ended = games.terminated.copy()
        if ended.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(
                f"environments {self._rows[ended].tolist()} have ended: reset them first, by "
                f"options={{{_RESET_MASK!r}: ...}} (autoreset_mode is DISABLED)"
            )
        running = self._rows[~ended]
        if len(running):
            games.step(chosen[running], running)
        if ended.any():
            games.next_episode(self._rows[ended])
        rewards, terminated = games.reward.copy(), games.terminated.copy()
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and terminated.any():
            infos = self._final_infos(terminated)
            games.next_episode(self._rows[terminated])
            games.terminated[:] = False
        infos |= self._infos()
        return self._observations(), rewards, terminated, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool [num_envs, NUM_ACTIONS], the legal actions; none where an episode has just ended."""
        return self._games.mask.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Return each learner's view: text for "ansi", uint8 [height, width, 3] for "rgb_array"."""
        games, rows = self._games, range(self.num_envs)
        return tuple(self._renderer.render(games.game(row).scene(int(games.seat[row]))) for row in rows)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.action_space.legal_now = self._games.mask

    def _observations(self, rows: Any = slice(None)) -> Any:
        """Return new observations of all environments, or of one."""
        observation = fit_to_space(self._games.observation[rows], self._row_space)
        if not self._history:
            return observation
        return {"observation": observation, "history": aligned_copy(self._games.history[rows])}

    def _infos(self, marked: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Return the infos of all environments. marked: bool [num_envs], those marked as having infos."""
        marked = np.ones(self.num_envs, np.bool_) if marked is None else marked
        values = {
            "action_mask": aligned_copy(self._games.mask.view(np.int8)),
            "seat": self._games.seat.copy(),
            "scores": self._games.scores.astype(np.int64),
            "round": np.where(marked[:, np.newaxis], self._games.finished, np.int8(0)),
        }
        if self._games.illegal is not None:
            values["illegal_action"] = self._games.illegal.copy()
        return values | {f"_{name}": marked.copy() for name in values}

    def _final_infos(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        observations = np.full(self.num_envs, None, dtype=object)
        for row in ended.nonzero()[0]:
            observations[row] = self._observations(row)
        infos = self._infos()
        for value in infos.values():
            value[~ended] = 0
        return {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": infos,
            "_final_info": ended.copy(),
        }
