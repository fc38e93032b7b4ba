"""Timing of contestants that take turns, so that disturbances of the machine affect all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TypeAlias, TypeVar

from wizard_env.compiled.threads import num_threads

Contestant: TypeAlias = Callable[[float], tuple[int, float]]
"""Runs for about the given seconds; returns the number of decisions taken and the seconds spent."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Effort:
    """Amount of measuring."""

    repetitions: int
    """Turns per contestant."""
    seconds: float
    """Seconds per turn."""
    starts: int
    """Fresh processes per time to a first step."""
    widths: tuple[int, ...]
    """Units of each layer of the networks that learn."""
    batch: int
    """Batch size of the comparisons."""
    cold: bool
    """Also time starts without compiled code."""


FULL = Effort(
    repetitions=25,
    seconds=0.1,
    starts=5,
    widths=(256, 512),
    batch=1024,
    cold=True,
)
QUICK = Effort(repetitions=2, seconds=0.005, starts=1, widths=(16,), batch=32, cold=False)


@dataclass(frozen=True)
class Sample:
    """Repeated measurements. Ratios are based on the best one, which is the least disturbed."""

    best: float
    median: float


def repeat(work: Callable[[], int]) -> Contestant:
    """Return a contestant that works again and again. work: returns its number of decisions."""

    def run(seconds: float) -> tuple[int, float]:
        decisions, spent, start = 0, 0.0, perf_counter()
        while spent < seconds:
            decisions += work()
            spent = perf_counter() - start
        return decisions, spent

    return run


def repeat_after(prepare: Callable[[], _T], work: Callable[[_T], int]) -> Contestant:
    """Return a contestant that works again and again, each time on what `prepare` returns, untimed."""

    def run(seconds: float) -> tuple[int, float]:
        decisions, spent = 0, 0.0
        while spent < seconds:
            prepared = prepare()
            start = perf_counter()
            decisions += work(prepared)
            spent += perf_counter() - start
        return decisions, spent

    return run


def alternate(contestants: Mapping[str, Contestant], effort: Effort) -> dict[str, Sample]:
    """Return the decisions per second of every contestant. Each has one more turn at first, to warm up."""
    for run in contestants.values():
        run(effort.seconds)
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(effort.repetitions):
        for name, run in contestants.items():
            decisions, spent = run(effort.seconds)
            rates[name].append(decisions / spent)
    return {name: Sample(max(each), median(each)) for name, each in rates.items()}


def on_threads(count: int, contestant: Contestant) -> Contestant:
    """Limit a contestant to `count` threads."""

    def run(seconds: float) -> tuple[int, float]:
        with num_threads(count):
            return contestant(seconds)

    return run
