"""Learning on RLlib: decisions learned from a second, and what each part of an iteration costs.

RLlib has a virtual environment of its own (docs/tutorials/cluster.md), so this is no part of `wizard bench`:

    taskset -c 0 .venv-rllib/bin/python -m benchmarks.rllib [REPETITIONS]
"""

import logging
import pickle
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.connectors import learner as learner_connectors
from ray.rllib.connectors.env_to_module import EnvToModulePipeline
from ray.rllib.connectors.module_to_env import ModuleToEnvPipeline
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.policy.sample_batch import SampleBatch
from ray.rllib.utils.metrics.metrics_logger import MetricsLogger
from ray.rllib.utils.metrics.stats.base import StatsBase

from wizard_env import configs
from wizard_env.train.config.reading import read_toml
from wizard_env.train.config.rllib import RLlibConfig
from wizard_env.train.parallel.allocator import keep_freed_memory
from wizard_env.train.rllib import runner
from wizard_env.train.rllib.decisions import BatchDecisions
from wizard_env.train.rllib.env import CountingRunner, SelfPlayRounds
from wizard_env.train.rllib.learner import algorithm_config
from wizard_env.train.rllib.module import SelfPlayModule
from wizard_env.train.selfplay.games import SelfPlayGames

REPETITIONS = 5
TARGET = 10_000
"""Decisions a second on one core."""
HANDED_OVER = 10_000
"""The least number of decisions in a sample that goes through Ray's object store."""
PATHS = {"arrays": (False, 256), "episodes": (True, 32)}
"""The ways to RLlib's learner: whether it gets lists of episodes, and how many games are played."""
RUNNER, LEARNER, CONNECTORS = "runner: the rest", "learner: the rest", "learner connectors: the rest"
CONNECTOR_NAMES = [name for name in learner_connectors.__all__ if name != "LearnerConnectorPipeline"]
PARTS: list[tuple[str, str | None, Iterable[tuple[Any, str]]]] = [
    (RUNNER, None, [(CountingRunner, "sample"), (runner.SelfPlayRunner, "sample")]),
    (
        "games and partners",
        RUNNER,
        [(SelfPlayRounds, "step"), (SelfPlayRounds, "reset"), (SelfPlayGames, "step")],
    ),
    (
        "the network, acting",
        RUNNER,
        [(MultiRLModule, "forward_exploration"), (SelfPlayModule, "forward_exploration")],
    ),
    ("env-to-module connectors", RUNNER, [(EnvToModulePipeline, "__call__")]),
    ("module-to-env connectors", RUNNER, [(ModuleToEnvPipeline, "__call__")]),
    (
        "episodes",
        RUNNER,
        [
            (MultiAgentEpisode, name)
            for name in ("__init__", "add_env_reset", "add_env_step", "validate", "to_numpy")
        ],
    ),
    ("sampling actions", RUNNER, [(runner, "sample_softmax")]),
    ("advantages", RUNNER, [(runner, "seat_advantages")]),
    (LEARNER, None, [(PPOTorchLearner, "update")]),
    (CONNECTORS, LEARNER, [(learner_connectors.LearnerConnectorPipeline, "__call__")]),
    *((name, CONNECTORS, [(getattr(learner_connectors, name), "__call__")]) for name in CONNECTOR_NAMES),
    ("BatchDecisions", CONNECTORS, [(BatchDecisions, "__call__")]),
    ("shuffling and minibatches", LEARNER, [(SampleBatch, "shuffle"), (SampleBatch, "__getitem__")]),
    ("the network, learning: forward", LEARNER, [(MultiRLModule, "forward_train")]),
    ("loss", LEARNER, [(PPOTorchLearner, "compute_losses")]),
    ("backward", LEARNER, [(PPOTorchLearner, "compute_gradients")]),
    (
        "clipping and optimiser",
        LEARNER,
        [(PPOTorchLearner, "postprocess_gradients"), (PPOTorchLearner, "apply_gradients")],
    ),
    (
        "metrics",
        None,
        [
            (MetricsLogger, name)
            for name in ("log_value", "log_dict", "log_time", "aggregate", "reduce", "compile")
        ]
        + [(StatsBase, "__enter__"), (StatsBase, "__exit__")]
        + [(CountingRunner, "get_metrics")],
    ),
]
"""The parts of an iteration: each with the part that it must be called from directly, and the functions
that do it. A part's time is without that of the parts in it."""


class Stopwatch:
    """Processor time by part. It stays in RLlib's classes, so use a process only once for it."""

    def __init__(self) -> None:
        self._stack = ["everything else"]
        self._since = process_time()
        self._spent: defaultdict[str, float] = defaultdict(float)
        for part, parent, functions in PARTS:
            for owner, name in functions:
                setattr(owner, name, self._timed(getattr(owner, name), part, parent))

    def _timed(self, function: Callable[..., Any], part: str, parent: str | None) -> Callable[..., Any]:
        @wraps(function)
        def call(*given: Any, **options: Any) -> Any:
            if parent not in (None, self._stack[-1]):
                return function(*given, **options)
            self._charge()
            self._stack.append(part)
            try:
                return function(*given, **options)
            finally:
                self._charge()
                self._stack.pop()

        return call

    def _charge(self) -> None:
        now = process_time()
        self._spent[self._stack[-1]] += now - self._since
        self._since = now

    def start(self) -> None:
        """Begin again."""
        self._charge()
        self._spent.clear()

    def stop(self) -> dict[str, float]:
        """Seconds by part since `start`."""
        self._charge()
        return dict(self._spent)


def build(path: str) -> Algorithm:
    """RLlib's PPO as `configs/rllib.toml` says, in this process."""
    settings = read_toml(configs.find("rllib"), RLlibConfig)
    episodes, games = PATHS[path]
    cluster = settings.cluster.model_copy(update={"workers": 0, "games_per_worker": games})
    config = settings.model_copy(update={"cluster": cluster})
    algorithm = algorithm_config(config, config.seed, episodes=episodes).build_algo()
    Path(algorithm.logdir).rmdir()
    algorithm.train()  # compiles, and fills caches
    return algorithm


def iterate(algorithm: Algorithm) -> int:
    """Learn for an iteration; returns the number of decisions."""
    return int(algorithm.train()["env_runners"]["num_env_steps_sampled"])


def timed(algorithm: Algorithm) -> tuple[float, float]:
    """Decisions a second of an iteration: by the clock, and of processor time."""
    clock, processor = perf_counter(), process_time()
    decisions = iterate(algorithm)
    return decisions / (perf_counter() - clock), decisions / (process_time() - processor)


def handing_over(algorithm: Algorithm) -> tuple[float, float]:
    """What a remote runner's sample costs on its way through Ray's object store, by decision.

    Returns microseconds to put it there and to take it out again, and bytes.
    """
    samples, decisions = [], 0
    while decisions < HANDED_OVER:
        samples += algorithm.env_runner.sample()
        decisions = sum(sample.agent_steps() for sample in samples)
    algorithm.env_runner.get_metrics()  # or the next iteration would count these decisions
    start = process_time()
    taken = ray.get(ray.put(samples))
    spent = process_time() - start
    assert sum(sample.agent_steps() for sample in taken) == decisions
    return 1e6 * spent / decisions, len(pickle.dumps(samples, 5)) / decisions


def main(repetitions: int) -> None:
    """Measure, and print the results as tables in Markdown."""
    warnings.simplefilter("ignore")
    logging.getLogger("ray").setLevel(logging.ERROR)
    torch.set_num_threads(1)
    keep_freed_memory()
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    algorithms = {path: build(path) for path in PATHS}
    rates: dict[str, list[tuple[float, float]]] = {path: [] for path in PATHS}
    for _ in range(repetitions):  # they take turns, so that disturbances of the machine affect both
        for path, algorithm in algorithms.items():
            rates[path].append(timed(algorithm))
    print("| | decisions/s, best | median | of processor time | object store, us | bytes a decision |")
    print("|---|---|---|---|---|---|")
    for path, algorithm in algorithms.items():
        by_clock, by_processor = zip(*rates[path], strict=True)
        us, size = handing_over(algorithm)
        print(
            f"| {path} | {max(by_clock):,.0f} | {median(by_clock):,.0f} | {median(by_processor):,.0f} "
            f"| {us:.1f} | {size:,.0f} |"
        )
    reached = max(by_clock for by_clock, _ in rates["arrays"]) >= TARGET
    print(f"target {TARGET:,}: {'reached' if reached else 'missed'}")
    watch = Stopwatch()
    spent: dict[str, defaultdict[str, float]] = {path: defaultdict(float) for path in PATHS}
    for _ in range(repetitions):
        for path, algorithm in algorithms.items():
            watch.start()
            decisions = iterate(algorithm)
            for part, seconds in watch.stop().items():
                spent[path][part] += 1e6 * seconds / decisions / repetitions
    print("\n| microseconds a decision | " + " | ".join(PATHS) + " |\n|---|" + "---|" * len(PATHS))
    for part in [*(part for part, _, _ in PARTS), "everything else"]:
        costs = [spent[path][part] for path in PATHS]
        if any(costs):
            print(f"| {part} | " + " | ".join(f"{cost:.1f}" for cost in costs) + " |")
    print("| sum | " + " | ".join(f"{sum(spent[path].values()):.1f}" for path in PATHS) + " |")
    ray.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS)
