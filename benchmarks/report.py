"""Report of a benchmark run."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version

from benchmarks.timing import Sample
from wizard_env import get_num_threads
from wizard_env.evaluation.provenance import processor

RATE = "decisions/s"
WORLD_RATE = "worlds/s"
SECONDS = "s"
BYTES = "bytes"

_PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "open_spiel")


@dataclass(frozen=True)
class Row:
    """A measurement, beside a peer's or a limit if it has one. The best runs count."""

    name: str
    unit: str
    """Of `ours` and `peer`."""
    ours: Sample
    peer_name: str | None = None
    peer: Sample | None = None
    target: float | None = None
    """The least ratio to reach; for a row in seconds, the time to stay below."""

    @property
    def ratio(self) -> float | None:
        """ours / peer."""
        return None if self.peer is None else self.ours.best / self.peer.best

    @property
    def reached(self) -> bool | None:
        """True if the target is reached; None if there is none."""
        if self.target is None:
            return None
        return self.ours.best < self.target if self.ratio is None else self.ratio >= self.target


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


def compare(
    name: str, ours: Sample, peer_name: str, peer: Sample, target: float | None = None, unit: str = RATE
) -> Row:
    """Compare a rate with a peer's."""
    return Row(name, unit, ours, peer_name, peer, target)


def check_limit(name: str, seconds: Sample, limit: float) -> Row:
    """Compare a time with a limit."""
    return Row(name, SECONDS, seconds, target=limit)


def describe_machine() -> Machine:
    return Machine(
        cpu=processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        threads=get_num_threads(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={name: version(name) for name in _PACKAGES},
    )
