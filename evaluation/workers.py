"""Spreading work over the processes of one machine, or over the machines of a Ray cluster.

Each way is a function that is called like `map` and gives the same results in the same order.
"""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeVar

from wizard_env.checks import quoted
from wizard_env.compiled.jit import config
from wizard_env.compiled.processes import end_with_parent
from wizard_env.compiled.threads import set_num_threads
from wizard_env.extras import extra

_T = TypeVar("_T")
_R = TypeVar("_R")

_SECONDS = 10.0
"""Time for a machine of a cluster to answer; Ray itself would try for minutes."""


_UNGUARDED = 97
"""The exit code of a worker that came upon its own start while it imported the script that starts it."""


class Map(Protocol):
    """Calls a function for every task; yields the results in the order of the tasks, as they come in."""

    def __call__(self, function: Callable[[_T], _R], tasks: Iterable[_T], /) -> Iterator[_R]: ...


@contextmanager
def workers(count: int = 1, ray_address: str | None = None) -> Iterator[Map]:
    """Start workers for as long as the block runs.

    Args:
        count: the number of processes on this machine; 1 is this process itself.
        ray_address: the Ray cluster to work on instead; "auto" is the one that this machine belongs to,
            "local" starts one here.

    Raises ConnectionError if there is no cluster at that address, ValueError if it is not an address, and
    RuntimeError in a script that workers cannot import without starting others.
    """
    if count < 1:
        raise ValueError(f"workers={count}: allowed are numbers from 1")
    if ray_address is not None:
        if count > 1:
            raise ValueError(
                f"workers={count} with ray={quoted(ray_address)}: the cluster has its own workers"
            )
        with _connect(ray_address) as ray:
            yield partial(_map_on_ray, ray)
    elif count == 1:
        yield in_this_process
    else:
        processes: list[BaseProcess] = []
        try:
            # Torch's threads do not survive a fork, so every process starts from scratch.
            with ProcessPoolExecutor(count, get_context("spawn"), initializer=prepare_process) as pool:
                try:
                    yield pool.map
                except BaseException as error:
                    if isinstance(error, RuntimeError) and "freeze_support" in str(error):
                        raise SystemExit(_UNGUARDED) from None  # says multiprocessing, in a worker
                    processes += (pool._processes or {}).values()
                    for process in processes:
                        process.terminate()  # the pool would wait for its tasks
                    raise
        except BrokenProcessPool:
            # checked here, because an exit code cannot be read while the pool is waiting for its process
            if _UNGUARDED in [process.exitcode for process in processes]:
                raise RuntimeError(
                    "workers import the script that starts them: put what it does below the line "
                    'if __name__ == "__main__":'
                ) from None
            raise


def prepare_process() -> None:
    """Prepare a process of a pool. Ctrl-C reaches it too, but its parent decides what happens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    limit_threads(1)


def limit_threads(count: int) -> None:
    """Limit the threads of this process, torch's too; workers take one each."""
    count = min(count, int(config.NUMBA_NUM_THREADS))  # torch would start any number
    set_num_threads(count)
    os.environ["OMP_NUM_THREADS"] = str(count)  # for torch, if it is imported later
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)


@contextmanager
def torch_on_one_thread() -> Iterator[None]:
    """Keep torch, if it is imported, to one thread; results of several may differ in the last bit."""
    if "torch" not in sys.modules:
        yield
        return
    torch = sys.modules["torch"]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def in_this_process(function: Callable[[_T], _R], tasks: Iterable[_T], /) -> Iterator[_R]:
    """Do the tasks one after another: the `Map` of a single worker."""
    with torch_on_one_thread():
        yield from map(function, tasks)


@contextmanager
def _connect(address: str) -> Iterator[Any]:
    """Connect to a Ray cluster while the block runs, unless this process is connected already."""
    with extra("cluster"):
        import ray
    if ray.is_initialized():
        yield ray
        return
    _check_reachable(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except ValueError as error:
        allowed = "allowed are 'local', 'auto' and host:port"
        raise ValueError(f"ray={quoted(address)}: {error}; {allowed}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Raise ConnectionError if nobody answers at an address of the form host:port."""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in host or not port.isdecimal():
        return  # Ray looks up words and other kinds of addresses
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except OSError as error:
        raise ConnectionError(f"no Ray cluster at {address}: {error}") from None


def _map_on_ray(ray: Any, function: Callable[[_T], _R], tasks: Iterable[_T], /) -> Iterator[_R]:
    remote: Any = ray.remote(num_cpus=1)(_with_one_thread)
    pending = [remote.remote(function, task) for task in tasks]
    while pending:
        yield ray.get(pending.pop(0))


def _with_one_thread(function: Callable[[_T], _R], task: _T) -> _R:
    limit_threads(1)
    return function(task)
