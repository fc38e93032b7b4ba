"""Learning with sb3-contrib's MaskablePPO: the library way."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.records.files import write_atomically
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.sb3.buffer import SelfPlayBuffer
from wizard_env.train.sb3.trunk import Trunk, policy_weights
from wizard_env.train.sb3.vec_env import SelfPlayVecEnv
from wizard_env.train.selfplay.games import deal_games
from wizard_env.train.selfplay.progress import Progress, Tally

CHECKPOINT = "checkpoint.zip"


class Learner:
    """MaskablePPO over the tables of a config.

    model: what learns.
    """

    def __init__(
        self,
        config: Config,
        device: str,
        checkpoint: Path | None,
        policy_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Begin, or go on from a checkpoint, with new deals.

        policy_kwargs: of a policy of stable-baselines3's own making, instead of the shared trunk that the
            config's `layers` describe; such a one can be learned, but not saved as an agent.
        """
        torch.distributions.Distribution.set_default_validate_args(False)
        learning = config.learning
        assert isinstance(learning, PpoConfig)
        self._learning = learning
        env = _tables(config, config.seed)
        self.model = (
            _new(config, env, device, policy_kwargs)
            if checkpoint is None
            else _resume(env, checkpoint, device)
        )
        if self.decisions:  # not the deals that the run began with
            env = _tables(config, config.seed + self.decisions)
            self.model.set_env(env)
            self.model.rollout_buffer.env = env  # type: ignore[attr-defined]

    @property
    def decisions(self) -> int:
        """How many it has learned from."""
        return int(self.model.num_timesteps)

    def learn(self, folder: Path, logger: Logger, report: Callable[[Progress], None] | None) -> None:
        """Iterate until enough decisions are learned from, writing checkpoints on the way."""
        self.model.set_logger(logger)
        watch = _Watch(self._learning, folder, report)
        left = max(0, self._learning.decisions - self.decisions)
        self.model.learn(left, watch, reset_num_timesteps=False)
        save(self.model, folder)


def _tables(config: Config, seed: int) -> SelfPlayVecEnv:
    return SelfPlayVecEnv(deal_games(config, seed))


def _new(
    config: Config, env: SelfPlayVecEnv, device: str, policy_kwargs: dict[str, Any] | None
) -> MaskablePPO:
    learning = config.learning
    assert isinstance(learning, PpoConfig)
    trunk = {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"layers": learning.layers},
        "net_arch": [],
    }
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=_schedule(learning),
        n_steps=learning.decisions_per_game,
        batch_size=learning.batch_size,
        n_epochs=learning.epochs,
        gamma=learning.discount,
        gae_lambda=learning.gae_lambda,
        clip_range=learning.clip_range,
        ent_coef=learning.entropy_bonus,
        rollout_buffer_class=SelfPlayBuffer,
        rollout_buffer_kwargs={"env": env},
        policy_kwargs=policy_kwargs or trunk,
        seed=config.seed,
        device=device,
    )


def _schedule(learning: PpoConfig) -> Callable[[float], float]:
    """The learning rate by what remains of the run, 1 to 0."""
    first, last = learning.learning_rate, learning.final_learning_rate
    return lambda remaining: last + (first - last) * remaining


def _resume(env: SelfPlayVecEnv, checkpoint: Path, device: str) -> MaskablePPO:
    return MaskablePPO.load(checkpoint, env, device, rollout_buffer_kwargs={"env": env})


def save(model: MaskablePPO, folder: Path) -> None:
    """Write a checkpoint and the agent; each file is replaced at once or not at all."""
    excluded = ["rollout_buffer", "rollout_buffer_kwargs", "env"]
    write_atomically(folder / CHECKPOINT, lambda path: model.save(path, exclude=excluded))
    write_atomically(folder / FILE_NAME, lambda path: save_agent(policy_weights(model.policy), path))


class _Watch(BaseCallback):
    """Measures the self-play, writes curves and checkpoints, and reports."""

    def __init__(self, learning: PpoConfig, folder: Path, report: Callable[[Progress], None] | None) -> None:
        super().__init__()
        self._learning = learning
        self._folder = folder
        self._report = report
        self._tally = Tally(learning.decisions)
        self._saved = time.monotonic()

    def _on_step(self) -> bool:
        env: SelfPlayVecEnv = self.training_env  # type: ignore[assignment]
        self._tally.add(env.points, env.learns)
        return True

    def _on_rollout_end(self) -> None:
        progress = self._tally.tell(self.num_timesteps, self.logger)
        if self._report is not None:
            self._report(progress)

    def _on_rollout_start(self) -> None:
        """Before each rollout the last update is done: a good moment to save."""
        if time.monotonic() - self._saved >= self._learning.checkpoint_seconds:
            save(self.model, self._folder)  # type: ignore[arg-type]
            self._saved = time.monotonic()
