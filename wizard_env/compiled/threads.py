"""Threads that share a kernel's work, wherever measuring shows that they are faster than one.

A kernel that can be shared takes its work in chunks from a queue. The calling thread takes chunks until none
is left; workers take some of them, if the machine lets them. So a worker that another process keeps waiting
costs nothing, unless it waits in the middle of a chunk. After its last chunk a worker watches the queue for
a while, in compiled code, before it sleeps: waking up takes longer than a step of a thousand games.

Python runs the handlers of signals between calls of compiled code, and a handler may raise. So the calling
thread opens the queue, works and waits for the workers in one call: an interruption comes before it, when
nothing is done, or after it, when everything is.

OpenMP is not used. Its threads wait for each other at the end of every call, which takes many times as long
beside another busy process, and they do not survive a fork.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from wizard_env.compiled.jit import COMPILES, compiled, config, kernel, outlined

Queue = NDArray[np.int64]
"""int64 [_QUEUE_SIZE]: the numbers of units claimed, done, in all, and in a chunk; whether the queue is open;
and whether a worker has failed."""
_CLAIMED, _DONE, _UNITS, _CHUNK, _OPEN, _FAILED, _QUEUE_SIZE = 0, 16, 32, 33, 34, 48, 64
"""Indices of a queue. Numbers that threads change are 128 bytes apart, each in a cache line that nothing else
shares."""
_NOTHING_LEFT = 1 << 40
_PATIENCE = 50_000
"""Times that a worker looks at the queue before it sleeps; some hundred microseconds."""
_CALLER = 0
"""The patience of the calling thread: it waits until all chunks are done."""
_SPIN = 20_000
"""Times that the calling thread looks for the last chunks before it lets other threads run."""
_RECENT = 5
"""Calls whose median a choice rests on."""
_FIRST_REST, _LAST_REST = 4, 128
"""Time for which the faster way is used before the next trial, as a multiple of the last trial's time."""


def _thread_limit() -> int:
    """Return the usable processors, or what OMP_NUM_THREADS or NUMBA_NUM_THREADS allows if less."""
    limit = int(config.NUMBA_NUM_THREADS)  # heeds the process's affinity
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(limit, int(given)) if given.isdecimal() and int(given) > 0 else limit


_limit = _thread_limit()


def get_num_threads() -> int:
    """Return the most threads that one call may use."""
    return _limit


def set_num_threads(count: int) -> None:
    """Set the most threads that one call may use; the number it does use is decided by measuring.

    The default is the number of processors that this process may use, or the environment variable
    OMP_NUM_THREADS or NUMBA_NUM_THREADS if that is less. Results never depend on it.

    Raises:
        ValueError: `count` is below 1.
    """
    global _limit
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"count={count!r}: allowed are integers from 1")
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


def _atomic(operation: str) -> Any:
    """Make a function of queue, index and value that does "add" or "xchg" (exchange) in one atomic step.

    It returns the value before.
    """

    @intrinsic
    def change(typing_context: Any, queue: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            get_item_pointer: Any = cgutils.get_item_pointer  # it has no types
            array = context.make_array(kind)(context, builder, arguments[0])
            pointer = get_item_pointer(context, builder, kind, array, [arguments[1]])
            return builder.atomic_rmw(operation, pointer, arguments[2], "seq_cst")

        number = numba.types.int64
        return number(queue, number, number), generate

    def change_alone(queue: Any, index: int, value: int) -> int:
        before = int(queue[index])
        queue[index] = value if operation == "xchg" else before + value
        return before

    return change if COMPILES else change_alone


_fetch_add = _atomic("add")
_exchange = _atomic("xchg")


_let_others_run: Any = numba.types.ExternalFunction(
    "SwitchToThread" if os.name == "nt" else "sched_yield", numba.types.intc()
)
"""Give this thread's processor to another that waits for one; for compiled code."""


@compiled
def claim(queue: Any, patience: int) -> int:
    """Claim the next chunk: return its first unit, or -1 if there is none.

    The calling thread opens the queue by its first claim, and gets -1 when all chunks are done.

    patience: as the kernel was given it: the times that a worker looks at an empty queue, or _CALLER.
    """
    if patience == _CALLER:
        if not queue[_OPEN]:
            queue[_OPEN] = 1
            _exchange(queue, _CLAIMED, 0)
        start = _claim_next(queue)
        if start < 0:
            _wait(queue)
        return start
    for _ in range(patience):
        start = _claim_next(queue)
        if start >= 0:
            return start
    return -1


@compiled
def _claim_next(queue: Any) -> int:
    if _fetch_add(queue, _CLAIMED, 0) < queue[_UNITS]:
        start = _fetch_add(queue, _CLAIMED, queue[_CHUNK])
        if start < queue[_UNITS]:
            return start
    return -1


@outlined
def _wait(queue: Any) -> None:
    """Wait for the chunks that workers have, unless one of them failed."""
    looks = 0
    while _fetch_add(queue, _DONE, 0) < queue[_UNITS] and not _fetch_add(queue, _FAILED, 0):
        looks += 1
        if looks % _SPIN == 0:
            _let_others_run()


@compiled
def chunk_end(queue: Any, start: int) -> int:
    """Return the end of the chunk that begins with a unit."""
    return min(start + queue[_CHUNK], queue[_UNITS])


@compiled
def finish(queue: Any, units: int) -> None:
    """Count units as done."""
    _fetch_add(queue, _DONE, units)


@kernel([np.int64], int, int)
def _fill(queue: Any, units: int, chunk: int) -> None:
    """Fill the queue, which stays closed to workers that watch it."""
    _exchange(queue, _CLAIMED, _NOTHING_LEFT)
    queue[_UNITS] = units
    queue[_CHUNK] = chunk
    queue[_OPEN] = 0
    queue[_DONE] = 0
    queue[_FAILED] = 0


@kernel([np.int64])
def _fail(queue: Any) -> None:
    _exchange(queue, _FAILED, 1)


def new_queue() -> Queue:
    """Return an empty queue."""
    return np.zeros(_QUEUE_SIZE, np.int64)


@dataclass
class _Job:
    """A kernel, its arguments, its queue, and the error that a worker ran into."""

    function: Callable[..., None]
    arguments: tuple[Any, ...]
    queue: Queue
    error: BaseException | None = None


class _Worker:
    """A thread that sleeps until it is given a job."""

    def __init__(self, number: int) -> None:
        self.job: _Job | None = None
        self._asleep = threading.Lock()
        self._asleep.acquire()
        threading.Thread(target=self._work, name=f"wizard_env-{number}", daemon=True).start()

    def wake(self) -> None:
        with suppress(RuntimeError):  # it is awake
            self._asleep.release()

    def _work(self) -> None:
        while True:
            self._asleep.acquire()
            job = self.job
            if job is None:
                continue
            try:
                job.function(*job.arguments, _PATIENCE)
            except BaseException as error:
                job.error = error
                _fail(job.queue)
            del job  # it holds the arrays of a batch


_workers: list[_Worker] = []
_team = threading.RLock()
"""Held while the workers have a job; a second thread that calls works alone. A thread that was interrupted
before it released the lock can take it again."""


def _forget_workers() -> None:
    """Start without workers: a forked process has none of its parent's threads."""
    global _team
    _workers.clear()
    _team = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)


def share(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    queue: Queue,
    units: int,
    chunk: int,
    threads: int,
) -> None:
    """Do a kernel's units of work on several threads, and return when they are done.

    Args:
        function: a kernel of `arguments` and a patience; it works for as long as `claim(queue, patience)`
            gives it chunks, and calls `finish` after each. It is called by this thread once.
        arguments: its arguments; the queue is one of them. Workers keep them while they watch for the next
            call, so a later call with the same queue must have the same arguments.
        queue: a queue of `new_queue` that no other thread uses.
        units: the number of units of work, which are numbered from 0.
        chunk: the number of units that a thread takes at a time.
        threads: the most threads that work, this one included.
    """
    _fill(queue, units, chunk)
    threads = min(threads, get_num_threads(), -(-units // chunk))
    if not COMPILES or threads <= 1 or not _team.acquire(blocking=False):
        function(*arguments, _CALLER)
        return
    try:
        job = _Job(function, arguments, queue)
        while len(_workers) < threads - 1:
            _workers.append(_Worker(len(_workers) + 1))
        workers = _workers[: threads - 1]
        try:
            for worker in workers:
                worker.job = job
                worker.wake()
            function(*arguments, _CALLER)
        finally:
            for worker in workers:
                worker.job = None
    finally:
        _team.release()
    if job.error is not None:
        raise job.error


class ThreadChooser:
    """Chooses between one thread and several by past costs, and tries the slower one now and then.

    A choice that has become wrong, since another process began or ended, is noticed after a few calls. While
    trials confirm the choice they become rarer, until they take a hundredth of the time.
    """

    def __init__(self) -> None:
        self._costs: tuple[deque[float], deque[float]] = deque(maxlen=_RECENT), deque(maxlen=_RECENT)
        self._medians = [0.0, 0.0]
        self._rest = _FIRST_REST
        self._seconds_to_trial = 0.0

    def choose_several(self) -> bool:
        """Return whether the next call should use several threads."""
        for several in (True, False):
            if len(self._costs[several]) < 2:  # the first call of either may have to start something
                return several
        faster = self._several_is_faster()
        return faster if self._seconds_to_trial > 0 else not faster

    def record(self, several: bool, seconds: float, units: int) -> None:
        """Record the time that a call took for a number of units of work."""
        before = self._several_is_faster()
        self._costs[several].append(seconds / units)
        self._medians[several] = median(self._costs[several])
        after = self._several_is_faster()
        if after != before:
            self._rest = _FIRST_REST
        elif several != after:
            self._rest = min(2 * self._rest, _LAST_REST)
        if several == after:
            self._seconds_to_trial -= seconds
        else:
            self._seconds_to_trial = self._rest * seconds

    def _several_is_faster(self) -> bool:
        return self._medians[True] < self._medians[False]
