"""Timing: contestants take turns, so that disturbances of the machine affect all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

from wizard_env.compiled.threads import get_num_threads, num_threads

Contestant: TypeAlias = Callable[[float], tuple[int, float]]
"""Runs for about the given seconds; returns the number of decisions taken and the seconds spent."""


@dataclass(frozen=True)
class Effort:
    """How much to measure."""

    repetitions: int
    """Turns per contestant."""
    seconds: float
    """Seconds per turn."""
    starts: int
    """Fresh processes per time to a first step."""
    sizes: tuple[int, ...]
    """Batch sizes of the curve."""
    batch: int
    large_batch: int
    """Batch sizes of the comparisons."""
    cold: bool
    """Whether to time starts without compiled code, too."""


FULL = Effort(25, 0.1, 5, tuple(4**power for power in range(3, 9)), 1024, 8192, cold=True)
QUICK = Effort(2, 0.005, 1, (16, 64), 32, 600, cold=False)


@dataclass(frozen=True)
class Sample:
    """Repeated measurements. The best one is the least disturbed, so ratios are based on it."""

    best: float
    median: float


def alternate(contestants: Mapping[str, Contestant], effort: Effort) -> dict[str, Sample]:
    """The rate of every contestant per second. They take turns, after one turn each to warm up."""
    for run in contestants.values():
        run(effort.seconds)
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(effort.repetitions):
        for name, run in contestants.items():
            decisions, spent = run(effort.seconds)
            rates[name].append(decisions / spent)
    return {name: Sample(max(each), median(each)) for name, each in rates.items()}


def available_threads(wanted: int) -> int:
    """`wanted`, or the number of threads that this process may use if that is less."""
    return min(wanted, get_num_threads())


def on_threads(count: int, contestant: Contestant) -> Contestant:
    """The contestant, limited to `count` threads."""

    def run(seconds: float) -> tuple[int, float]:
        with num_threads(count):
            return contestant(seconds)

    return run
