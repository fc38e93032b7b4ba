"""The learner "maskable_ppo": sb3-contrib's MaskablePPO over self-play."""

import time
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.files import check_kept, write_atomically
from wizard_env.train.config.ppo import MaskablePpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.networks.layers import check_finite
from wizard_env.train.parallel.threads import TorchThreads
from wizard_env.train.sb3.buffer import SelfPlayBuffer
from wizard_env.train.sb3.trunk import Trunk, policy_weights
from wizard_env.train.sb3.vec_env import SelfPlayVecEnv
from wizard_env.train.selfplay.checkpoints import CheckpointError
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.games import deal_games
from wizard_env.train.selfplay.progress import Report, StopLearning, Tally


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

    def learn(self, folder: Path, curves: Curves, report: Report) -> None:
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
        self._update_threads = TorchThreads()
        self._stop: StopLearning | None = None

    def _on_training_start(self) -> None:
        """Measure gradient steps, from the end of one to the end of the next."""
        policy: Any = self.model.policy
        policy.optimizer.register_step_post_hook(lambda *_: self._end_gradient_step())

    def _end_gradient_step(self) -> None:
        self._update_threads.stop(1)
        self._update_threads.start()

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
        self._update_threads.start()

    def _on_rollout_start(self) -> None:
        """Save if it is time, or the run is to stop; the last update is complete before each rollout."""
        check_finite(self.model.policy.parameters(), self.num_timesteps)
        if self._stop or time.monotonic() - self._saved >= self._learning.checkpoint_seconds:
            _save(self.model, self._folder)  # type: ignore[arg-type]
            self._saved = time.monotonic()
        if self._stop:
            raise self._stop
