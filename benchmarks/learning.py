"""Learning end to end: games, advantages and gradient steps of our PPO, against MaskablePPO."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.report import Row, compare
from benchmarks.timing import Contestant, Effort, alternate, repeat
from wizard_env.evaluation.workers import torch_on_one_thread
from wizard_env.train.config.run import Config
from wizard_env.train.maskable_ppo import MaskablePpoLearner
from wizard_env.train.networks.devices import keep_freed_memory
from wizard_env.train.ppo import PpoLearner
from wizard_env.train.run import decide

_BATCH = 1024
_STEPS = 64
_REPETITIONS = 3
_LEARNED = 1_000_000
"""Decisions learned from before the measurement: most units of the network are then 0, which is faster."""
_TARGETS = {256: 2.5, 512: 2.0}
"""Ratios to reach for networks of two layers of this width, on a processor without AMX."""


def make_config(learner: str, width: int, effort: Effort, **changes: Any) -> Config:
    """Return a config of two layers of a width, with the precision that suits this processor."""
    learning: dict[str, Any] = {
        "learner": learner,
        "decisions": 2**40,
        "num_games": effort.batch,
        "decisions_per_game": _STEPS,
        "batch_size": min(_BATCH, effort.batch * _STEPS),
        "epochs": 1,
        "learning_rate": 2e-3,  # as in configs/quick.toml
        "layers": [width, width],
        **changes,
    }
    config = Config.model_validate({"name": "benchmark", "learning": learning})
    return decide(config, Path("runs/benchmark"), "cpu")


def describe(width: int, config: Config) -> str:
    """Name the measurement of a config."""
    return f"learning, train.ppo, 2x{width}, {config.learning.precision}, 1 epoch"


def iterate(config: Config, device: str = "cpu", learned: int = 0) -> Contestant:
    """Time iterations of `train.ppo`. learned: decisions to learn from before."""
    learner = PpoLearner(config, device, None)
    while learner.decisions < learned:
        learner.iterate()

    def work() -> int:
        before = learner.decisions
        learner.iterate()
        return learner.decisions - before

    return repeat(work)


def _iterate_maskable_ppo(width: int, effort: Effort) -> Contestant:
    """Time iterations of MaskablePPO on the same games, with the same shared trunk."""
    learner = MaskablePpoLearner(make_config("maskable_ppo", width, effort), "cpu", None)

    def work() -> int:
        before = learner.decisions
        learner.model.learn(effort.batch * _STEPS, reset_num_timesteps=False)
        return learner.decisions - before

    return repeat(work)


def measure_learning(effort: Effort) -> list[Row]:
    """Measure the decisions learned from, per second."""
    keep_freed_memory()
    effort = replace(effort, repetitions=min(_REPETITIONS, effort.repetitions))
    with torch_on_one_thread():  # as runs learn
        return [_against_library(width, effort) for width in effort.widths]


def _against_library(width: int, effort: Effort) -> Row:
    """Compare a network that has learned with MaskablePPO, which is as fast with a fresh one."""
    config = make_config("ppo", width, effort)
    ours = describe(width, config)
    peer = f"sb3-contrib MaskablePPO with a shared trunk, 2x{width}, 1 epoch"
    learned = _LEARNED if effort.cold else 0
    validate = torch.distributions.Distribution._validate_args
    try:
        rates = alternate(
            {ours: iterate(config, learned=learned), peer: _iterate_maskable_ppo(width, effort)}, effort
        )
    finally:
        torch.distributions.Distribution.set_default_validate_args(validate)
    return compare(ours, rates[ours], peer, rates[peer], _TARGETS.get(width))
