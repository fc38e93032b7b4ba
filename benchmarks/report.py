"""Report of a benchmark run."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.timing import Sample
from wizard_env import get_num_threads

RATE = "decisions/s"
STEP_RATE = "steps/s"
WORLD_RATE = "worlds/s"
SECONDS = "s"
SHARE = "%"
TIMES = "x"

_PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "open_spiel")


@dataclass(frozen=True)
class Row:
    """A measurement. `ratio` and `reached` come from the best runs; medians are for comparison."""

    name: str
    unit: str
    """Of `ours` and `peer`."""
    ours: float
    ours_median: float
    peer_name: str | None = None
    peer: float | None = None
    peer_median: float | None = None
    ratio: float | None = None
    """ours / peer."""
    ratio_median: float | None = None
    target: float | None = None
    """The least ratio to reach; for a row in seconds, the time to stay below."""
    reached: bool | None = None
    """None if there is no target."""


@dataclass(frozen=True)
class CurvePoint:
    """The cost of a decision of `Games.step` for one batch size, in the best runs."""

    num_games: int
    nanoseconds: float
    """For each decision."""
    bytes_per_game: float


@dataclass(frozen=True)
class KernelCost:
    """Cost of compiling one kernel, with its helpers, in a process that has compiled nothing else."""

    name: str
    seconds: float
    """Processor time."""
    bytes: int
    """The machine code on disk."""


@dataclass(frozen=True)
class Machine:
    """A machine, with the versions of the measured packages."""

    cpu: str
    cores: int
    """Cores that this process may use."""
    threads: int
    """The most threads that a call may use."""
    python: str
    packages: dict[str, str]


@dataclass(frozen=True)
class Report:
    """The result of a whole run."""

    machine: Machine
    quick: bool
    """True for a smoke run, with rough numbers."""
    rows: list[Row]
    curve: list[CurvePoint]
    kernels: list[KernelCost]


def compare(
    name: str, ours: Sample, peer_name: str, peer: Sample, target: float | None = None, unit: str = RATE
) -> Row:
    """Compare a rate with a peer's."""
    ratio = ours.best / peer.best
    return Row(
        name=name,
        unit=unit,
        ours=ours.best,
        ours_median=ours.median,
        peer_name=peer_name,
        peer=peer.best,
        peer_median=peer.median,
        ratio=ratio,
        ratio_median=ours.median / peer.median,
        target=target,
        reached=None if target is None else ratio >= target,
    )


def check_limit(name: str, seconds: Sample, limit: float) -> Row:
    """Compare a time with a limit."""
    return Row(name, SECONDS, seconds.best, seconds.median, target=limit, reached=seconds.best < limit)


def note(name: str, value: float, unit: str) -> Row:
    """Report a number that was computed from the best runs of others."""
    return Row(name, unit, value, value)


def describe_machine() -> Machine:
    return Machine(
        cpu=_cpu_model(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        threads=get_num_threads(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={name: version(name) for name in _PACKAGES},
    )


def _cpu_model() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
