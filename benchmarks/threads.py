"""Threads as chosen by measuring, against one thread: on quiet cores, and beside a busy process."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from time import perf_counter

import numpy as np

from benchmarks.batch import spread_games, step_call
from benchmarks.learning import lean, named
from benchmarks.report import RATE, Row, compared
from benchmarks.timing import Contestant, Effort, alternate, on_threads
from wizard_env import get_num_threads
from wizard_env.agents import load
from wizard_env.compiled.threads import num_threads
from wizard_env.train.parallel.allocator import keep_freed_memory

ONE = "the same on one thread"
TARGET = 0.9
"""The least that the choice may reach of one thread, beside a busy process."""
_LEARNING_TURNS = 3
_LEARNING_SECONDS = 20.0
"""Turns of a learner are longer: an iteration takes about a second."""


@contextmanager
def busy_process() -> Iterator[None]:
    """Another process that keeps one core busy."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _steps(num_games: int) -> Contestant:
    return step_call(spread_games(num_games))


def _search(decisions: int) -> Contestant:
    """Decisions of search, each in some hundreds of worlds."""
    view, rng = spread_games(decisions).view(), np.random.default_rng(0)
    agent = load(f"search:worlds=256,threads={get_num_threads()}")

    def run(seconds: float) -> tuple[int, float]:
        taken, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            agent.act(view, rng)
            taken += decisions
        return taken, perf_counter() - start

    return run


def measure_threads(effort: Effort) -> list[Row]:
    """The rates of steps, searches and learning."""
    keep_freed_memory()
    threads = get_num_threads()
    turns = min(_LEARNING_TURNS, effort.repetitions)
    learning = replace(effort, repetitions=turns, seconds=_LEARNING_SECONDS * effort.seconds)
    kinds: list[tuple[str, Callable[[], Contestant], str, Effort]] = [
        (f"Games.step, {size:,} games", partial(_steps, size), RATE, effort)
        for size in (effort.batch, effort.large_batch)
    ]
    kinds.append(("search, 256 worlds", partial(_search, 8), RATE, effort))
    width = 512
    kinds.append((named(width, effort), partial(lean, width, effort), RATE, learning))
    rows = []
    for name, make, unit, each in kinds:
        chosen = on_threads(threads, make())
        with num_threads(1):
            alone = on_threads(1, make())
        for place, busy in (("quiet", nullcontext), ("beside a busy process", busy_process)):
            with busy():
                rates = alternate({name: chosen, ONE: alone}, each)
            title = f"{name}, threads as chosen, {place}"
            target = TARGET if busy is busy_process else None
            rows.append(compared(title, rates[name], ONE, rates[ONE], target, unit))
    return rows
