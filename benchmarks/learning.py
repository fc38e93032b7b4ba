"""Learning end to end: playing, advantages and gradient steps of our PPO, against MaskablePPO."""

import cProfile
import pstats
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from benchmarks.report import RATE, SHARE, Row, compared, noted
from benchmarks.timing import Contestant, Effort, alternate
from wizard_env.train.config.run import Config
from wizard_env.train.ppo.learner import Learner as PpoLearner
from wizard_env.train.sb3.learner import Learner as Sb3Learner
from wizard_env.train.selfplay.allocator import keep_freed_memory

LAYERS = [512, 512]
BATCH = 4096
STEPS = 64
REPETITIONS = 3
OURS = "learning, train.ppo, 2x512, bfloat16, 1 epoch"
PEER = "sb3-contrib MaskablePPO by default, 1 epoch"
SHARED = "sb3-contrib MaskablePPO with a shared trunk, 1 epoch"
TARGET = 8.0


def _config(learner: str, effort: Effort) -> Config:
    learning: dict[str, Any] = {
        "learner": learner,
        "decisions": 2**40,
        "num_games": effort.batch,
        "decisions_per_game": STEPS,
        "batch_size": min(BATCH, effort.batch * STEPS),
        "epochs": 1,
        "layers": LAYERS,
        "precision": "bfloat16",
    }
    return Config.model_validate({"name": "benchmark", "learning": learning})


def lean(effort: Effort) -> Contestant:
    """Iterations of `train.ppo` on the processor."""
    return iterations(_config("ppo", effort), "cpu")


def iterations(config: Config, device: str) -> Contestant:
    """Iterations of `train.ppo` on a device."""
    learner = PpoLearner(config, device, None)

    def run(seconds: float) -> tuple[int, float]:
        start, before = perf_counter(), learner.decisions
        while perf_counter() - start < seconds:
            learner.iterate()
        return learner.decisions - before, perf_counter() - start

    return run


def library(effort: Effort, policy_kwargs: dict[str, Any] | None = None) -> Contestant:
    """Iterations of MaskablePPO on the same games, with the same shared trunk or the given network."""
    learner = Sb3Learner(_config("maskable_ppo", effort), "cpu", None, policy_kwargs)
    iteration = effort.batch * STEPS

    def run(seconds: float) -> tuple[int, float]:
        start, before = perf_counter(), learner.decisions
        while perf_counter() - start < seconds:
            learner.model.learn(iteration, reset_num_timesteps=False)
        return learner.decisions - before, perf_counter() - start

    return run


def measure_learning(effort: Effort) -> list[Row]:
    """Decisions learned from, per second."""
    keep_freed_memory()
    validate = torch.distributions.Distribution._validate_args
    try:
        rates = alternate(
            {
                OURS: lean(effort),
                PEER: library(effort, {"net_arch": LAYERS}),
                SHARED: library(effort),
            },
            replace(effort, repetitions=min(REPETITIONS, effort.repetitions)),
        )
    finally:
        torch.distributions.Distribution.set_default_validate_args(validate)
    return [
        compared(OURS, rates[OURS], PEER, rates[PEER], TARGET, RATE),
        compared(OURS, rates[OURS], SHARED, rates[SHARED], None, RATE),
        *(
            noted(f"learning, share of {part}", share, SHARE)
            for part, share in shares(_config("ppo", effort), "cpu", PARTS, effort.repetitions).items()
        ),
    ]


PARTS = {
    "games, forced moves and observations": ("step", "selfplay/games.py"),
    "the network, acting": ("_outputs", "ppo/device.py"),
    "sampling actions": ("sample_softmax", "wizard_env/sampling.py"),
    "advantages": ("seat_advantages", "selfplay/advantages.py"),
    "gradient steps": ("_update", "ppo/learner.py"),
    "the loss's gradient, among the gradient steps": ("loss_gradient", "ppo/loss.py"),
    "the optimiser, among the gradient steps": ("step", "optim/adam.py"),
}
"""The parts of an iteration: the function that does each, and its file."""


def shares(
    config: Config, device: str, parts: Mapping[str, tuple[str, str]], repetitions: int
) -> dict[str, float]:
    """How an iteration of `train.ppo` spends its time, in %, by cProfile.

    parts: the function that does each, and its file.
    """
    learner = PpoLearner(config, device, None)
    learner.iterate()
    profile = cProfile.Profile()
    for _ in range(repetitions):
        profile.runcall(learner.iterate)
    spent: dict[tuple[str, str], float] = {}
    for (path, _, name), (_, _, _, cumulative, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        key = name, "/".join(Path(path).parts[-2:])
        spent[key] = max(spent.get(key, 0.0), cumulative)
    whole = spent["iterate", "ppo/learner.py"]
    return {part: 100 * spent[place] / whole for part, place in parts.items()}
