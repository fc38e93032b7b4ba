"""The threads that a search may use: a plain pool. Kernels release the interpreter's lock while they run.

OpenMP is not used. Its threads wait for each other at the end of every call, which takes many times as long
beside another busy process, and they do not survive a fork.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from wizard_env.compiled.jit import COMPILES, config

_pool: ThreadPoolExecutor | None = None


def _thread_limit() -> int:
    """Return the usable processors, or what OMP_NUM_THREADS or NUMBA_NUM_THREADS allows if less."""
    limit = int(config.NUMBA_NUM_THREADS)  # heeds the process's affinity
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(limit, int(given)) if given.isdecimal() and int(given) > 0 else limit


_limit = _thread_limit()


def get_num_threads() -> int:
    """Return the most threads that a search may use."""
    return _limit


def set_num_threads(count: int) -> None:
    """Set the most threads that a search may use.

    The default is the number of processors that this process may use, or the environment variable
    OMP_NUM_THREADS or NUMBA_NUM_THREADS if that is less. Results never depend on it.

    Raises:
        ValueError: `count` is below 1.
    """
    global _limit
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"count={count!r}: allowed are integers from 1")
    if count != _limit:
        _forget_pool()
    _limit = int(count)


@contextmanager
def num_threads(count: int) -> Iterator[None]:
    """Set the most threads for as long as a block runs."""
    before = get_num_threads()
    set_num_threads(count)
    try:
        yield
    finally:
        set_num_threads(before)


def _forget_pool() -> None:
    """Let the next call make a pool: of another size, or in a forked process, which has no threads."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def share(work: Callable[[int, int], object], threads: int) -> None:
    """Do work on several threads, and return when it is done.

    Args:
        work: called on each thread with a number from 0 and the number of threads, to do each `threads`-th
            unit of the work, the first of which is that number. Compiled, or it holds the others up.
        threads: at most; no more than `get_num_threads()` are used.
    """
    global _pool
    threads = min(threads, get_num_threads())
    if threads <= 1 or not COMPILES:
        work(0, 1)
        return
    pool = _pool = _pool or ThreadPoolExecutor(get_num_threads(), "wizard_env")
    for _ in pool.map(work, range(threads), [threads] * threads):
        pass
