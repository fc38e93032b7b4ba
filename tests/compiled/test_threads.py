"""Threads that share the work of a search."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from wizard_env import get_num_threads, set_num_threads
from wizard_env.compiled.threads import num_threads, share


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_unit_is_done_once(threads: int) -> None:
    done = np.zeros(1_007, np.int64)

    def work(first: int, step: int) -> None:
        done[first::step] += 1

    with num_threads(threads):
        for _ in range(20):
            share(work, threads)
    assert (done == 20).all()


def test_no_more_threads_work_than_are_allowed() -> None:
    """At the same time: each waits for the others."""
    met = threading.Barrier(2, timeout=60)
    with num_threads(2):
        share(lambda first, step: met.wait(), 5)


def test_an_error_in_a_thread_is_raised() -> None:
    def work(first: int, step: int) -> None:
        if first == 1:
            raise MemoryError("no memory for a world")

    with num_threads(2), pytest.raises(MemoryError, match="no memory for a world"):
        share(work, 2)


LIMIT = "from wizard_env import get_num_threads; print(get_num_threads())"


def _limit(environment: dict[str, str], code: str = LIMIT) -> int:
    settings = {name: value for name, value in os.environ.items() if not name.endswith("NUM_THREADS")}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=settings | environment, capture_output=True, text=True, check=True
    )
    return int(printed.stdout)


def test_the_environment_limits_threads() -> None:
    assert _limit({"OMP_NUM_THREADS": "1,2"}) == 1
    assert _limit({"NUMBA_NUM_THREADS": "1"}) == 1
    assert _limit({"OMP_NUM_THREADS": "many"}) == _limit({})


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
