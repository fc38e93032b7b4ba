"""Threads that share a kernel's work."""

import multiprocessing
import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from wizard_env import get_num_threads, set_num_threads
from wizard_env.compiled.jit import kernel
from wizard_env.compiled.threads import ThreadChooser, chunk_end, claim, finish, new_queue, num_threads, share

UNITS = 10_007


@kernel([np.int64], [np.int64], int)
def _count(done: Any, queue: Any, patience: int) -> None:
    start = claim(queue, patience)
    while start >= 0:
        stop = chunk_end(queue, start)
        for unit in range(start, stop):
            done[unit] += 1
        finish(queue, stop - start)
        start = claim(queue, patience)


@kernel([np.int64], int)
def _claim(queue: Any, patience: int) -> int:
    return claim(queue, patience)


def _work(threads: int, calls: int = 1, units: int = UNITS) -> bool:
    """Return whether every unit of every call was done exactly once."""
    done, queue = np.zeros(UNITS, np.int64), new_queue()
    with num_threads(threads):
        for _ in range(calls):
            share(_count, (done, queue), queue, units, 10, threads)
    return bool((done[:units] == calls).all() and not done[units:].any())


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_unit_is_done_once(threads: int) -> None:
    assert _work(threads)


def test_every_unit_is_done_once_in_each_of_many_calls() -> None:
    """Workers that watch for the next call join it when it comes, and not before."""
    assert _work(3, calls=2_000, units=40)
    assert _work(2, calls=500)


def test_several_threads_may_call_at_once() -> None:
    """A thread that finds the workers busy with another call works alone."""
    results: list[bool] = []
    callers = [threading.Thread(target=lambda: results.append(_work(2, 300))) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [True] * 4


def test_an_error_in_a_worker_is_raised() -> None:
    """By the call that it was working for."""
    caller, queue, claimed = threading.get_ident(), new_queue(), threading.Event()

    def fail_elsewhere(queue: Any, patience: int) -> None:
        if threading.get_ident() == caller:
            assert _claim(queue, patience) >= 0
            assert claimed.wait(60)
            assert _claim(queue, patience) < 0
        else:
            while _claim(queue, patience) < 0:
                pass
            claimed.set()
            raise MemoryError("no memory for a chunk")

    with num_threads(2), pytest.raises(MemoryError, match="no memory for a chunk"):
        share(fail_elsewhere, (queue,), queue, 2, 1, 2)


def _work_in_child() -> None:
    sys.exit(0 if _work(2, 20) else 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_process_starts_its_own_workers() -> None:
    assert _work(2)
    child = multiprocessing.get_context("fork").Process(target=_work_in_child)
    child.start()
    child.join(60)
    assert child.exitcode == 0


LIMIT = "from wizard_env import get_num_threads; print(get_num_threads())"


def _limit(environment: dict[str, str], code: str = LIMIT) -> int:
    settings = {name: value for name, value in os.environ.items() if not name.endswith("NUM_THREADS")}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=settings | environment, capture_output=True, text=True, check=True
    )
    return int(printed.stdout)


def test_the_environment_limits_threads() -> None:
    assert _limit({"OMP_NUM_THREADS": "1"}) == 1
    assert _limit({"NUMBA_NUM_THREADS": "1"}) == 1
    assert _limit({"OMP_NUM_THREADS": "1,2"}) == 1
    assert _limit({"OMP_NUM_THREADS": "many"}) == _limit({}) == _limit({"OMP_NUM_THREADS": "0"})


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="there is no affinity here")
def test_the_affinity_limits_threads() -> None:
    pin = f"import os; os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}}); {LIMIT}"
    assert _limit({}, pin) == 1


def test_the_limit_can_be_set() -> None:
    before = get_num_threads()
    with num_threads(3):
        assert get_num_threads() == 3
        set_num_threads(2)
    assert get_num_threads() == before
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match="allowed are integers from 1"):
            set_num_threads(wrong)  # type: ignore[arg-type]


def _uses(chooser: ThreadChooser, one: float, several: float, calls: int) -> list[bool]:
    """Return the choices where calls of one thread and of several have these costs."""
    chosen = []
    for _ in range(calls):
        chosen.append(chooser.choose_several())
        chooser.record(chosen[-1], several if chosen[-1] else one, 1)
    return chosen


def test_the_faster_way_is_taken() -> None:
    """All but a hundredth of the time, once it is known."""
    chosen = _uses(ThreadChooser(), one=1.0, several=0.6, calls=2_000)
    assert chosen[1_000:].count(False) <= 10
    chosen = _uses(ThreadChooser(), one=1.0, several=1.2, calls=2_000)
    assert chosen[1_000:].count(True) <= 10


def test_a_trial_that_takes_long_is_rare() -> None:
    """Several threads that are stalled for 30 times as long cost a hundredth of the time."""
    chosen = _uses(ThreadChooser(), one=1.0, several=30.0, calls=20_000)
    assert 2 <= chosen[5_000:].count(True) <= 5


def test_one_slow_call_changes_nothing() -> None:
    """The choice rests on the median of the last calls."""
    chooser = ThreadChooser()
    _uses(chooser, one=1.0, several=0.6, calls=1_000)
    chooser.record(True, 100.0, 1)
    assert _uses(chooser, one=1.0, several=0.6, calls=20).count(False) <= 1


def test_the_choice_follows_the_machine() -> None:
    """Another process begins, and ends."""
    chooser = ThreadChooser()
    _uses(chooser, one=1.0, several=0.5, calls=1_000)
    assert _uses(chooser, one=1.0, several=5.0, calls=200).count(True) <= 10
    assert _uses(chooser, one=1.0, several=0.5, calls=2_000)[-100:].count(False) <= 1
