"""Threads as chosen by measuring, against one thread, on quiet cores and beside a busy process."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.batch import spread_games, step_games
from benchmarks.learning import describe, iterate, make_config
from benchmarks.report import Row, compare
from benchmarks.timing import Contestant, Effort, alternate, on_threads, repeat
from wizard_env import get_num_threads
from wizard_env.agents import load
from wizard_env.compiled.threads import num_threads
from wizard_env.train.parallel.allocator import keep_freed_memory

_ONE = "the same on one thread"
_TARGET = 0.9
"""The least that the choice may reach of one thread, beside a busy process."""
_WIDTH = 512
_LEARNING_TURNS = 3
_LEARNING_SECONDS = 20.0
"""Turns of a learner are longer: an iteration takes about a second."""


@contextmanager
def _busy_process() -> Iterator[None]:
    """Keep one core busy with another process."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _step(num_games: int) -> Contestant:
    return step_games(spread_games(num_games))


def _search(decisions: int) -> Contestant:
    view, rng = spread_games(decisions).view(), np.random.default_rng(0)
    agent = load(f"search:worlds=256,threads={get_num_threads()}")
    return repeat(lambda: len(agent.act(view, rng)))


def measure_threads(effort: Effort) -> list[Row]:
    """Measure the rates of steps, searches and learning."""
    keep_freed_memory()
    threads = get_num_threads()
    turns = min(_LEARNING_TURNS, effort.repetitions)
    learning = replace(effort, repetitions=turns, seconds=_LEARNING_SECONDS * effort.seconds)
    kinds: list[tuple[str, Callable[[], Contestant], Effort]] = [
        (f"Games.step, {size:,} games", partial(_step, size), effort)
        for size in (effort.batch, effort.large_batch)
    ]
    kinds.append(("search, 256 worlds", partial(_search, 8), effort))
    config = make_config("ppo", _WIDTH, effort)
    kinds.append((describe(_WIDTH, config), partial(iterate, config), learning))
    rows = []
    for name, make, each in kinds:
        chosen = on_threads(threads, make())
        with num_threads(1):
            alone = on_threads(1, make())
        for around, busy in (("quiet", nullcontext), ("beside a busy process", _busy_process)):
            with busy():
                rates = alternate({name: chosen, _ONE: alone}, each)
            title = f"{name}, threads as chosen, {around}"
            target = _TARGET if busy is _busy_process else None
            rows.append(compare(title, rates[name], _ONE, rates[_ONE], target))
    return rows
