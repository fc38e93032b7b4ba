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
from wizard_env.train.parallel.allocator import keep_freed_memory
from wizard_env.train.parallel.devices import with_precision
from wizard_env.train.ppo.learner import Learner as PpoLearner
from wizard_env.train.sb3.learner import Learner as Sb3Learner

BATCH = 1024
STEPS = 64
REPETITIONS = 3
LEARNED = 1_000_000
"""Decisions learned from before the measurement: most units of the network are then 0, which is faster."""
TARGETS = {256: 2.5, 512: 2.0}
"""Ratios to reach for networks of two layers of this width, on a processor without AMX."""


def _config(learner: str, width: int, effort: Effort, **changes: Any) -> Config:
    learning: dict[str, Any] = {
        "learner": learner,
        "decisions": 2**40,
        "num_games": effort.batch,
        "decisions_per_game": STEPS,
        "batch_size": min(BATCH, effort.batch * STEPS),
        "epochs": 1,
        "learning_rate": 2e-3,  # as in configs/quick.toml
        "layers": [width, width],
        **changes,
    }
    config = Config.model_validate({"name": "benchmark", "learning": learning})
    return with_precision(config, "cpu")


def named(width: int, effort: Effort) -> str:
    """The name of the measurement, with the precision that was chosen."""
    precision = _config("ppo", width, effort).learning.precision
    return f"learning, train.ppo, 2x{width}, {precision}, 1 epoch"


def lean(width: int, effort: Effort, learned: int = 0) -> Contestant:
    """Iterations of `train.ppo` on the processor. learned: decisions to learn from before."""
    return iterations(_config("ppo", width, effort), "cpu", learned)


def iterations(config: Config, device: str, learned: int = 0) -> Contestant:
    """Iterations of `train.ppo` on a device. learned: decisions to learn from before."""
    learner = PpoLearner(config, device, None)
    while learner.decisions < learned:
        learner.iterate()

    def run(seconds: float) -> tuple[int, float]:
        start, before = perf_counter(), learner.decisions
        while perf_counter() - start < seconds:
            learner.iterate()
        return learner.decisions - before, perf_counter() - start

    return run


def library(width: int, effort: Effort) -> Contestant:
    """Iterations of MaskablePPO on the same games, with the same shared trunk."""
    learner = Sb3Learner(_config("maskable_ppo", width, effort), "cpu", None)
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
    effort = replace(effort, repetitions=min(REPETITIONS, effort.repetitions))
    rows = []
    for width, target in TARGETS.items():
        rows += _against_library(width, target, effort)
        for part, share in shares(_config("ppo", width, effort), "cpu", PARTS, effort.repetitions).items():
            rows.append(noted(f"learning, 2x{width}, share of {part}", share, SHARE))
    return rows


def _against_library(width: int, target: float, effort: Effort) -> list[Row]:
    """A network that has learned, and a fresh one, against MaskablePPO; its speed does not depend on that."""
    trained, peer = named(width, effort), f"sb3-contrib MaskablePPO with a shared trunk, 2x{width}, 1 epoch"
    fresh, stays = f"{trained}, a fresh network", {"learning_rate": 1e-12, "final_learning_rate": 1e-12}
    learned = LEARNED if effort.cold else 0
    validate = torch.distributions.Distribution._validate_args
    try:
        rates = alternate(
            {
                trained: lean(width, effort, learned),
                fresh: iterations(_config("ppo", width, effort, **stays), "cpu"),
                peer: library(width, effort),
            },
            effort,
        )
    finally:
        torch.distributions.Distribution.set_default_validate_args(validate)
    return [
        compared(trained, rates[trained], peer, rates[peer], target, RATE),
        compared(fresh, rates[fresh], peer, rates[peer], None, RATE),
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
