"""The learner "maskable_ppo": sb3-contrib's MaskablePPO over self-play.

`Trunk`, `SelfPlayVecEnv` and `SelfPlayBuffer` are its network, its environment and its rollout, for other
learners of stable-baselines3.
"""

import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.agents.network import FILE_NAME, input_scale, save_agent
from wizard_env.extras import extra
from wizard_env.files import check_kept, write_atomically
from wizard_env.observation.fields import HIGHS, OBS_SIZE
from wizard_env.train.config.ppo import MaskablePpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.networks.layers import agent_weights, check_finite, fully_connected, layers_of
from wizard_env.train.selfplay.advantages import seat_advantages
from wizard_env.train.selfplay.checkpoints import CheckpointError
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.games import SelfPlayGames, deal_games
from wizard_env.train.selfplay.progress import Report, StopLearning, Tally

with extra("train"):
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import KVWriter, Logger
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecEnv


class Trunk(BaseFeaturesExtractor):
    """Scaled observations, then fully connected layers with ReLU."""

    def __init__(self, observation_space: Any, layers: Sequence[int]) -> None:
        super().__init__(observation_space, features_dim=layers[-1])
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(input_scale()))
        self.layers = fully_connected([OBS_SIZE, *layers])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Compute features, float32 [n, features], from unscaled observations, float32 [n, OBS_SIZE]."""
        return torch.relu(self.layers(observations * self.scale))


def policy_weights(policy: Any) -> dict[str, torch.Tensor]:
    """Return the weights that choose actions, as `wizard_env.agents.network.save_agent` takes them."""
    return agent_weights([*layers_of(policy.features_extractor), *layers_of(policy.action_net)])


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


class MaskablePpoLearner:
    """MaskablePPO over the games of a config.

    model: the MaskablePPO.
    """

    def __init__(self, config: Config, device: str, checkpoint: Path | None) -> None:
        """Start, or resume from a checkpoint with new deals."""
        torch.distributions.Distribution.set_default_validate_args(False)
        learning = self._learning = config.learning_as(MaskablePpoConfig)
        env = SelfPlayVecEnv(deal_games(config, config.seed))
        options = _options(learning, env)
        if checkpoint is None:
            self.model = _make_model(learning, config.seed, env, device, options)
        else:
            self.model = _resume(checkpoint, env, device, options)
        if self.decisions:  # other deals than those that the run started with
            env = SelfPlayVecEnv(deal_games(config, config.seed + self.decisions))
            self.model.set_env(env)
            self.model.rollout_buffer.env = env  # type: ignore[attr-defined]

    @property
    def decisions(self) -> int:
        return int(self.model.num_timesteps)

    def learn(self, folder: Path, curves: Curves | None, report: Report) -> None:
        assert curves is not None  # it learns in one process
        self.model.set_logger(Logger(str(folder), [_CurveOutput(curves)]))
        watch = _Watch(self._learning, folder, report)
        left = max(0, self._learning.decisions - self.decisions)
        self.model.learn(left, watch, reset_num_timesteps=False)
        _save(self.model, folder)


def _options(learning: MaskablePpoConfig, env: SelfPlayVecEnv) -> dict[str, Any]:
    """Return the options of MaskablePPO that are functions and classes of this package."""
    trunk = {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"layers": learning.layers},
        "net_arch": [],
    }
    first, last = learning.learning_rate, learning.final_learning_rate
    return {
        "learning_rate": lambda remaining: last + (first - last) * remaining,  # the share of the run, to 0
        "rollout_buffer_class": SelfPlayBuffer,
        "rollout_buffer_kwargs": {"env": env},
        "policy_kwargs": trunk,
    }


def _make_model(
    learning: MaskablePpoConfig, seed: int, env: SelfPlayVecEnv, device: str, options: dict[str, Any]
) -> MaskablePPO:
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=learning.decisions_per_game,
        batch_size=learning.batch_size,
        n_epochs=learning.epochs,
        gamma=learning.discount,
        gae_lambda=learning.gae_lambda,
        clip_range=learning.clip_range,
        ent_coef=learning.entropy_bonus,
        seed=seed,
        device=device,
        **options,
    )


def _resume(checkpoint: Path, env: SelfPlayVecEnv, device: str, options: dict[str, Any]) -> MaskablePPO:
    """Load a checkpoint, except for the options, which it pickles under the module names of its time."""
    check_kept(checkpoint)
    try:
        return MaskablePPO.load(
            checkpoint,
            env,
            device,
            custom_objects=options | {"lr_schedule": options["learning_rate"]},
            rollout_buffer_kwargs=options["rollout_buffer_kwargs"],
        )
    except Exception as error:  # a damaged pickle can raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise CheckpointError(f"{checkpoint} cannot be resumed: {reason}") from error


def _save(model: MaskablePPO, folder: Path) -> None:
    """Write a checkpoint and the agent. Raises DivergedError."""
    check_finite(model.policy.parameters(), model.num_timesteps)
    content = BytesIO()
    model.save(content, exclude=["rollout_buffer", "rollout_buffer_kwargs", "env"])
    write_atomically(folder / FILE_NAME, lambda path: save_agent(policy_weights(model.policy), path))
    write_atomically(
        folder / MaskablePpoConfig.checkpoint_file, lambda path: path.write_bytes(content.getbuffer())
    )


class _CurveOutput(KVWriter):
    """Passes the metrics that stable-baselines3 logs to the curves of the run."""

    def __init__(self, curves: Curves) -> None:
        self._curves = curves

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        csv_only = [name for name, outputs in key_excluded.items() if outputs and "tensorboard" in outputs]
        self._curves.add(key_values, step, csv_only)

    def close(self) -> None:
        """Leave the curves open: they are closed where they were opened."""


class _Watch(BaseCallback):
    """Counts finished rounds, logs and reports them, and writes checkpoints."""

    def __init__(self, learning: MaskablePpoConfig, folder: Path, report: Report) -> None:
        super().__init__()
        self._learning = learning
        self._folder = folder
        self._report = report
        self._tally = Tally(learning.decisions)
        self._saved = time.monotonic()
        self._stop: StopLearning | None = None

    def _on_step(self) -> bool:
        env: SelfPlayVecEnv = self.training_env  # type: ignore[assignment]
        self._tally.add(env.self_play.learners_points())
        return True

    def _on_rollout_end(self) -> None:
        progress = self._tally.progress(self.num_timesteps)
        for name, value in progress.metrics().items():
            self.logger.record(name, value)
        if self._report is not None:
            try:
                self._report(progress)
            except StopLearning as stop:
                self._stop = stop

    def _on_rollout_start(self) -> None:
        """Save if it is time, or the run is to stop; the last update is complete before each rollout."""
        check_finite(self.model.policy.parameters(), self.num_timesteps)
        if self._stop or time.monotonic() - self._saved >= self._learning.checkpoint_seconds:
            _save(self.model, self._folder)  # type: ignore[arg-type]
            self._saved = time.monotonic()
        if self._stop:
            raise self._stop
