"""Learning end to end: playing, crediting and gradient steps, our PPO against MaskablePPO."""

from dataclasses import replace
from time import perf_counter
from typing import Any

import torch

from benchmarks.report import RATE, Row, compared
from benchmarks.timing import Contestant, Effort, alternate
from train import ppo, sb3
from train.config import Config
from train.memory import keep_freed_memory

LAYERS = [512, 512]
BATCH = 4096
STEPS = 64
REPETITIONS = 3
OURS = "learning, train.ppo, 2x512, bfloat16, 1 epoch"
PEER = "sb3-contrib MaskablePPO, 1 epoch"
TARGET = 6.0


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
    """Iterations of `train.ppo`."""
    learner = ppo.Learner(_config("ppo", effort), "cpu", None)

    def run(seconds: float) -> tuple[int, float]:
        start, before = perf_counter(), learner.decisions
        while perf_counter() - start < seconds:
            learner.iterate()
        return learner.decisions - before, perf_counter() - start

    return run


def library(effort: Effort) -> Contestant:
    """Iterations of MaskablePPO on the same tables, with the same shared trunk."""
    learner = sb3.Learner(_config("maskable_ppo", effort), "cpu", None)
    iteration = effort.batch * STEPS

    def run(seconds: float) -> tuple[int, float]:
        start, learned = perf_counter(), 0
        while perf_counter() - start < seconds:
            learner.model.learn(iteration, reset_num_timesteps=False)
            learned += iteration
        return learned, perf_counter() - start

    return run


def measure_learning(effort: Effort) -> list[Row]:
    """Decisions learned from, a second."""
    keep_freed_memory()
    validate = torch.distributions.Distribution._validate_args
    try:
        rates = alternate(
            {OURS: lean(effort), PEER: library(effort)},
            replace(effort, repetitions=min(REPETITIONS, effort.repetitions)),
        )
    finally:
        torch.distributions.Distribution.set_default_validate_args(validate)
    return [compared(OURS, rates[OURS], PEER, rates[PEER], TARGET, RATE)]
