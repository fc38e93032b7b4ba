"""Threads that share a kernel's work, wherever measuring shows that they are faster than one.

A kernel that can be shared takes its work in chunks from a board. The calling thread takes chunks until none
is left; helpers take some of them, if the machine lets them. So a helper that another process keeps waiting
costs nothing, unless it waits in the middle of a chunk. After its last chunk a helper looks out for the next
call for a while, in compiled code, before it sleeps: waking up takes longer than a step of a thousand games.

OpenMP is not used. Its threads wait for each other at the end of every call, which takes many times as long
beside another busy process, and they do not survive a fork.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from wizard_env.compiled.jit import COMPILES, compiled, config, kernel

Board = NDArray[np.int64]
"""int64 [_BOARD_SIZE]: how many units of work there are, are claimed, are done, and make a chunk."""
_CLAIMED, _DONE, _UNITS, _CHUNK, _BOARD_SIZE = 0, 16, 32, 33, 48
"""Places on a board; numbers that threads change lie 128 bytes apart, in cache lines of their own."""
_NOTHING_LEFT = 1 << 40
_PATIENCE = 50_000
"""How often a helper looks at the board before it sleeps; some hundred microseconds."""
_SPIN = 20_000
"""How often the calling thread looks whether the last chunks are done before it lets others run."""
_RECENT = 5
"""How many calls a choice rests on, by their median."""
_FIRST_PATIENCE, _LAST_PATIENCE = 4, 128
"""How many times as long as a trial took the faster way is used before the next trial."""


def _thread_limit() -> int:
    """The processors this process may use, or what OMP_NUM_THREADS or NUMBA_NUM_THREADS allows if less."""
    limit = int(config.NUMBA_NUM_THREADS)  # heeds the process's affinity
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(limit, int(given)) if given.isdecimal() and int(given) > 0 else limit


_limit = _thread_limit()


def get_num_threads() -> int:
    """The most threads that one call may use."""
    return _limit


def set_num_threads(count: int) -> None:
    """Set the most threads that one call may use; how many it does use is decided by measuring.

    At first that is the number of processors that this process may use, or what the environment variable
    OMP_NUM_THREADS or NUMBA_NUM_THREADS says if that is less. Results never depend on it.

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
    """A function of board, place and value that does "add" or "xchg" (exchange) and returns the value before.

    No thread sees the middle of it.
    """

    @intrinsic
    def change(typing_context: Any, board: Any, place: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            get_item_pointer: Any = cgutils.get_item_pointer  # it has no types
            array = context.make_array(kind)(context, builder, arguments[0])
            pointer = get_item_pointer(context, builder, kind, array, [arguments[1]])
            return builder.atomic_rmw(operation, pointer, arguments[2], "seq_cst")

        number = numba.types.int64
        return number(board, number, number), generate

    def change_alone(board: Any, place: int, value: int) -> int:
        before = int(board[place])
        board[place] = value if operation == "xchg" else before + value
        return before

    return change if COMPILES else change_alone


_fetch_add = _atomic("add")
_exchange = _atomic("xchg")


@compiled
def claim(board: Any, patience: int) -> int:
    """The first unit of the next chunk, or -1 if none has come while the caller looked `patience` times."""
    for _ in range(patience):
        if _fetch_add(board, _CLAIMED, 0) < board[_UNITS]:
            start = _fetch_add(board, _CLAIMED, board[_CHUNK])
            if start < board[_UNITS]:
                return start
    return -1


@compiled
def end_of(board: Any, start: int) -> int:
    """The end of the chunk that begins with a unit."""
    return min(start + board[_CHUNK], board[_UNITS])


@compiled
def finish(board: Any, units: int) -> None:
    """Note that so many units are done."""
    _fetch_add(board, _DONE, units)


@kernel([np.int64], int, int)
def _post(board: Any, units: int, chunk: int) -> None:
    """Put up work; helpers that look at the board may begin at once, but not before all of it is written."""
    _exchange(board, _CLAIMED, _NOTHING_LEFT)
    board[_UNITS] = units
    board[_CHUNK] = chunk
    board[_DONE] = 0
    _exchange(board, _CLAIMED, 0)


@kernel([np.int64], int)
def _all_done(board: Any, patience: int) -> bool:
    for _ in range(patience):
        if _fetch_add(board, _DONE, 0) >= board[_UNITS]:
            return True
    return False


def new_board() -> Board:
    """A board without work."""
    return np.zeros(_BOARD_SIZE, np.int64)


class _Job:
    """A kernel, its arguments, and what went wrong in a helper."""

    def __init__(self, function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self.function = function
        self.arguments = arguments
        self.error: BaseException | None = None


class _Helper:
    """A thread that sleeps until it is given a job."""

    def __init__(self, number: int) -> None:
        self.job: _Job | None = None
        self._asleep = threading.Lock()
        self._asleep.acquire()
        threading.Thread(target=self._work, name=f"wizard_env-{number}", daemon=True).start()

    def wake(self) -> None:
        if self._asleep.locked():
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
            del job  # it holds the arrays of a batch


_helpers: list[_Helper] = []
_team = threading.Lock()
"""Held while the helpers have a job; a second thread that calls works alone."""


def _forget_helpers() -> None:
    """A forked process has none of its parent's threads."""
    global _team
    _helpers.clear()
    _team = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)


def share(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    board: Board,
    units: int,
    chunk: int,
    threads: int,
) -> None:
    """Let a kernel do units of work on several threads, and return when they are done.

    Args:
        function: a kernel of `arguments` and a patience; it works for as long as `claim(board, patience)`
            gives it chunks, and calls `finish` after each.
        arguments: its arguments; the board is one of them. Helpers keep them while they look out for the next
            call, so a later call with the same board must have the same arguments.
        board: a board of `new_board` that no other thread uses.
        units: how many units of work there are, numbered from 0.
        chunk: how many of them a thread takes at a time.
        threads: the most threads that work, this one included.
    """
    _post(board, units, chunk)
    threads = min(threads, get_num_threads(), -(-units // chunk))
    if not COMPILES or threads <= 1 or not _team.acquire(blocking=False):
        function(*arguments, 1)
        return
    try:
        while len(_helpers) < threads - 1:
            _helpers.append(_Helper(len(_helpers) + 1))
        job = _Job(function, arguments)
        helpers = _helpers[: threads - 1]
        try:
            for helper in helpers:
                helper.job = job
                helper.wake()
        finally:
            function(*arguments, 1)
            _wait(board, job)
            for helper in helpers:
                helper.job = None
    finally:
        _team.release()
    if job.error is not None:
        raise job.error


def _wait(board: Board, job: _Job) -> None:
    """Wait for the chunks that helpers work on; an interruption is raised when they are done."""
    interruption = None
    while True:
        try:
            while not _all_done(board, _SPIN) and job.error is None:
                time.sleep(0)  # lets a helper that has no processor run
            break
        except KeyboardInterrupt as error:
            interruption = error
    if interruption is not None:
        raise interruption


class Pace:
    """Chooses between one thread and several by what calls have cost, and tries the slower one now and then.

    A choice that has become wrong, since another process began or ended, is noticed after a few calls. While
    trials confirm the choice they become rarer, until they take a hundredth of the time.
    """

    def __init__(self) -> None:
        self._costs: tuple[deque[float], deque[float]] = deque(maxlen=_RECENT), deque(maxlen=_RECENT)
        self._medians = [0.0, 0.0]
        self._patience = _FIRST_PATIENCE
        self._due = 0.0

    def several(self) -> bool:
        """Whether the next call should use several threads."""
        for way in (True, False):
            if len(self._costs[way]) < 2:  # the first call of either may have to start something
                return way
        faster = self._faster()
        return faster if self._due > 0 else not faster

    def note(self, several: bool, seconds: float, units: int) -> None:
        """Note what a call cost: how long it took for so many units of work."""
        before = self._faster()
        self._costs[several].append(seconds / units)
        self._medians[several] = median(self._costs[several])
        after = self._faster()
        if after != before:
            self._patience = _FIRST_PATIENCE
        elif several != after:
            self._patience = min(2 * self._patience, _LAST_PATIENCE)
        if several == after:
            self._due -= seconds
        else:
            self._due = self._patience * seconds

    def _faster(self) -> bool:
        return self._medians[True] < self._medians[False]
