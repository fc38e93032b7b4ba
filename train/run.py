"""A training run: self-play with sb3-contrib's MaskablePPO, checkpoints, curves, resuming."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from agents.network import FILE_NAME, save_agent
from train.buffer import SelfPlayBuffer
from train.config import Config, LearningConfig
from train.curves import CurveWriter
from train.memory import keep_freed_memory
from train.policy import Trunk, policy_weights
from train.vec_env import SelfPlayVecEnv
from wizard_env.files import write_atomically

CHECKPOINT = "checkpoint.zip"
CURVES = "progress.csv"


@dataclass(frozen=True)
class Progress:
    """How a run stands after an iteration."""

    decisions: int
    total: int
    bid_accuracy: float
    """Share of bids met by the seats that learn, in the games of the iteration."""
    points: float
    """Mean points of a seat per round."""
    seconds: float


def train(
    config: Config,
    folder: Path,
    *,
    resume: bool = False,
    device: str = "cpu",
    report: Callable[[Progress], None] | None = None,
) -> Path:
    """Learn by self-play as a config says, and write everything below a folder.

    Writes `checkpoint.zip` (to resume from), `agent.safetensors` (to play with), `progress.csv` and
    TensorBoard files, config.json.

    Args:
        config: the run.
        folder: where to write; created if it is missing.
        resume: go on from the folder's checkpoint.
        device: "cpu" or "cuda".
        report: called after every iteration.

    Returns:
        The folder.

    Raises:
        FileExistsError: the folder holds a run already, and `resume` is off.
        FileNotFoundError: `resume` is on, and the folder holds no checkpoint.
        ValueError: `resume` is on, and the folder holds a run of another config.
    """
    checkpoint = folder / CHECKPOINT
    if resume and not checkpoint.exists():
        raise FileNotFoundError(f"nothing to resume: there is no {checkpoint}")
    if not resume and checkpoint.exists():
        raise FileExistsError(f"{folder} holds a run already: resume it, or remove it first")
    _claim(config, folder, resume)
    keep_freed_memory()
    torch.distributions.Distribution.set_default_validate_args(False)
    learning = config.learning
    env = _tables(config, config.seed)
    model = _resume(env, checkpoint, device) if resume else _new(config, env, device)
    begun = model.num_timesteps
    if begun:  # new deals, not those that the run began with
        env = _tables(config, config.seed + begun)
        model.set_env(env)
        model.rollout_buffer.env = env  # type: ignore[attr-defined]
    logger = Logger(str(folder), [TensorBoardOutputFormat(str(folder)), CurveWriter(folder / CURVES, begun)])
    model.set_logger(logger)
    watch = _Watch(learning, folder, report)
    try:
        model.learn(max(0, learning.decisions - begun), watch, reset_num_timesteps=False)
        save(model, folder)
    finally:
        logger.close()
    return folder


def _tables(config: Config, seed: int) -> SelfPlayVecEnv:
    learning = config.learning
    return SelfPlayVecEnv(
        config.game.rules(), learning.num_games, seed, learning.sparring, learning.partner, learning.alone
    )


def _claim(config: Config, folder: Path, resume: bool) -> None:
    """Write the config into the folder, or check that it is the one already there."""
    text = config.model_dump_json(indent=2)
    kept = folder / "config.json"
    if resume and kept.exists():
        before = Config.model_validate_json(kept.read_text(encoding="utf-8"))
        changeable = {"decisions", "checkpoint_seconds"}
        if _without(before, changeable) != _without(config, changeable):
            raise ValueError(
                f"{folder} holds a run of another config, see {kept}; "
                f"a run that is resumed may change {', '.join(sorted(changeable))} alone"
            )
    write_atomically(kept, lambda path: path.write_text(text, encoding="utf-8"))


def _without(config: Config, keys: set[str]) -> dict[str, Any]:
    return config.model_dump(exclude={"learning": keys})


def _new(config: Config, env: SelfPlayVecEnv, device: str) -> MaskablePPO:
    learning = config.learning
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
        policy_kwargs={
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"layers": learning.layers},
            "net_arch": [],
        },
        seed=config.seed,
        device=device,
    )


def _schedule(learning: LearningConfig) -> Callable[[float], float]:
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

    def __init__(
        self, learning: LearningConfig, folder: Path, report: Callable[[Progress], None] | None
    ) -> None:
        super().__init__()
        self._learning = learning
        self._folder = folder
        self._report = report
        self._began = self._saved = time.monotonic()
        self._forget()

    def _forget(self) -> None:
        self._rounds = self._met = self._points = 0

    def _on_step(self) -> bool:
        env: SelfPlayVecEnv = self.training_env  # type: ignore[assignment]
        ended = env.points[env.learns & (env.points != 0)]
        self._rounds += ended.size
        self._met += int((ended > 0).sum())
        self._points += int(ended.sum())
        return True

    def _on_rollout_end(self) -> None:
        rounds = max(self._rounds, 1)
        progress = Progress(
            decisions=self.num_timesteps,
            total=self._learning.decisions,
            bid_accuracy=self._met / rounds,
            points=self._points / rounds,
            seconds=time.monotonic() - self._began,
        )
        self.logger.record("selfplay/bid_accuracy", progress.bid_accuracy)
        self.logger.record("selfplay/points_per_round", progress.points)
        self._forget()
        if self._report is not None:
            self._report(progress)

    def _on_rollout_start(self) -> None:
        """Before each rollout the last update is done: a good moment to save."""
        if time.monotonic() - self._saved >= self._learning.checkpoint_seconds:
            save(self.model, self._folder)  # type: ignore[arg-type]
            self._saved = time.monotonic()
