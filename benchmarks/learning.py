"""Learning end to end: games, advantages and gradient steps, against MaskablePPO and against one process."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from benchmarks.report import Row, compare
from benchmarks.timing import Contestant, Effort, alternate, repeat
from wizard_env import configs, get_num_threads
from wizard_env.evaluation.workers import torch_on_one_thread
from wizard_env.train.config.reading import read_config
from wizard_env.train.config.run import Config
from wizard_env.train.maskable_ppo import MaskablePpoLearner
from wizard_env.train.networks.devices import keep_freed_memory
from wizard_env.train.ppo import PpoLearner
from wizard_env.train.run import decide
from wizard_env.train.selfplay.workers import ALONE, Peers, start_workers

_BATCH = 1024
_STEPS = 64
_REPETITIONS = 3
_LEARNED = 1_000_000
"""Decisions learned from before the measurement: most units of the network are then 0, which is faster."""
_TARGETS = {256: 2.4, 512: 3.0}
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
    return decide(config, Path("runs/benchmark"), "cpu", ALONE)


def iterate(config: Config, device: str = "cpu", learned: int = 0, peers: Peers = ALONE) -> Contestant:
    """Time iterations of `train.ppo`.

    learned: decisions to learn from before.
    peers: the workers, of which this process is the first; the others `_follow`.
    """
    learner = PpoLearner(config, device, None, peers)

    def work() -> int:
        peers.broadcast(True)
        before = learner.decisions
        learner.iterate()
        return learner.decisions - before

    while learner.decisions < learned:
        work()
    return repeat(work)


def _follow(config: Config, peers: Peers) -> None:
    """Iterate as often as the first worker does."""
    keep_freed_memory()
    learner = PpoLearner(config, "cpu", None, peers)
    while peers.broadcast(None):
        learner.iterate()


@contextmanager
def _together(count: int, config: Config, learned: int) -> Iterator[Contestant]:
    """Time iterations of several workers."""
    sys.path.append(str(Path(__file__).parents[1]))  # where the others find `_follow`
    try:
        with start_workers(count, partial(_follow, config)) as peers:
            yield iterate(config, learned=learned, peers=peers)
            peers.broadcast(False)
    finally:
        sys.path.pop()


def _iterate_maskable_ppo(width: int, effort: Effort, threads: int) -> Contestant:
    """Time iterations of MaskablePPO on the same games, with the same shared trunk."""
    learner = MaskablePpoLearner(make_config("maskable_ppo", width, effort), "cpu", None)

    def work() -> int:
        before = learner.decisions
        torch.set_num_threads(threads)
        learner.model.learn(effort.batch * _STEPS, reset_num_timesteps=False)
        torch.set_num_threads(1)
        return learner.decisions - before

    return repeat(work)


def measure_learning(effort: Effort) -> list[Row]:
    """Measure the decisions learned from, per second."""
    keep_freed_memory()
    effort = replace(effort, repetitions=min(_REPETITIONS, effort.repetitions))
    workers, learned = min(get_num_threads(), 2), _LEARNED if effort.cold else 0
    with torch_on_one_thread():  # as runs learn
        rows = [_against_library(width, workers, learned, effort) for width in effort.widths]
        return [*rows, _against_one(workers, learned, effort)] if workers > 1 else rows


def _against_library(width: int, workers: int, learned: int, effort: Effort) -> Row:
    """Compare a network that has learned with MaskablePPO, which is as fast with a fresh one."""
    config = make_config("ppo", width, effort)
    ours = f"learning, train.ppo, 2x{width}, {config.learning.precision}, 1 epoch, workers: {workers}"
    peer = f"sb3-contrib MaskablePPO with a shared trunk, 2x{width}, 1 epoch, threads: {workers}"
    validate = torch.distributions.Distribution._validate_args
    try:
        with _together(workers, config, learned) as contestant:
            rates = alternate({ours: contestant, peer: _iterate_maskable_ppo(width, effort, workers)}, effort)
    finally:
        torch.distributions.Distribution.set_default_validate_args(validate)
    return compare(ours, rates[ours], peer, rates[peer], _TARGETS.get(width))


def _against_one(workers: int, learned: int, effort: Effort) -> Row:
    """Compare the workers of `quick`, partners included, with one."""
    changes = [] if effort.cold else ["learning.num_games=64", "learning.batch_size=64"]
    config = decide(read_config(configs.find("quick"), changes), Path("runs/benchmark"), "cpu", ALONE)
    ours, peer = (f"learning, quick, workers: {count}" for count in (workers, 1))
    with _together(workers, config, learned) as together:
        rates = alternate({ours: together, peer: iterate(config, learned=learned)}, effort)
    return compare(ours, rates[ours], peer, rates[peer])
