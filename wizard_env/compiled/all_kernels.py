"""Compiling every kernel of the package ahead of time, in several processes; watching what is compiled."""

import importlib
import logging
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, NamedTuple, cast

from numba.core import event

from wizard_env.compiled import cache
from wizard_env.compiled.cache import PACKAGE, kernel_sources, notices
from wizard_env.compiled.jit import COMPILES, KERNELS, config
from wizard_env.compiled.processes import end_with_parent

_MARK = "\n@kernel("
_NICENESS = 10
"""Of processes that compile while somebody plays."""


class Compiled(NamedTuple):
    """A kernel that was compiled."""

    name: str
    """Its module and its own name."""
    seconds: float
    """Processor time; includes helpers that no kernel before it in its process had needed."""


def all_kernels() -> list[str]:
    """Return the names of all kernels of the package, those in the deepest folders first: they take longest.

    Modules that need an extra which is not installed are left out: nothing can call their kernels.
    """
    if not COMPILES:
        return []
    found: list[str] = []
    for module, source in sorted(kernel_sources(), key=lambda named: -named[0].count(".")):
        if _MARK in source.read_text(encoding="utf-8") and _can_be_imported(module):
            found += [name for name in KERNELS if name.rpartition(".")[0] == module]
    return found


def _can_be_imported(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] == PACKAGE:
            raise
        return False
    return True


def missing_kernels() -> list[str]:
    """Return the names of the kernels that are not on disk yet."""
    return [name for name in all_kernels() if not KERNELS[name].is_kept()]


def compile_kernels(names: list[str], processes: int | None = None, niceness: int = 0) -> Iterator[Compiled]:
    """Compile kernels, and yield each when it is on disk.

    Args:
        names: as `missing_kernels` gives them. Those of one module share helpers, and so a process.
        processes: their number; by default one for each processor that this process may use.
        niceness: added to that of this process; higher numbers leave the processor to others.
    """
    modules: dict[str, list[str]] = {}
    for name in names:
        modules.setdefault(name.rpartition(".")[0], []).append(name)
    if not modules:
        return
    count = min(processes or config.NUMBA_DEFAULT_NUM_THREADS, len(modules))
    with ProcessPoolExecutor(count, get_context("spawn"), _prepare_process, (niceness,)) as pool:
        for task in as_completed([pool.submit(compile_here, part) for part in modules.values()]):
            yield from task.result()


def compile_here(names: list[str]) -> list[Compiled]:
    """Compile kernels in this process."""
    compiled: list[Compiled] = []
    for name in names:
        importlib.import_module(name.rpartition(".")[0])
        start = time.process_time()
        KERNELS[name].prepare()
        compiled.append(Compiled(name, time.process_time() - start))
    return compiled


def compile_behind(names: list[str]) -> Iterator[Compiled]:
    """Compile kernels for this process while others of its threads go on in `patience`; yield each.

    They are compiled in processes of low priority and then loaded; or here, if no folder can keep them.

    names: as `missing_kernels` gives them.
    """
    if cache.folder() is None:
        for name in names:
            yield from compile_here([name])
    for kernel in compile_kernels(names, niceness=_NICENESS):
        KERNELS[kernel.name].prepare()
        yield kernel


class _Watch(event.Listener):
    """A list of the kernels that numba begins to compile, without the helpers in them."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__name__}"
        if name in KERNELS:
            self.begun.append(name)

    def on_end(self, event: Any) -> None:
        """Do nothing; numba calls this too."""


@contextmanager
def watched_compilations() -> Iterator[list[str]]:
    """Collect the names of the kernels that this process begins to compile while the block runs."""
    watch, events = _Watch(), cast(Any, event)
    events.register("numba:compile", watch)
    try:
        yield watch.begun
    finally:
        events.unregister("numba:compile", watch)


def _prepare_process(niceness: int) -> None:
    be_quiet()
    if hasattr(os, "nice"):
        os.nice(niceness)
    end_with_parent()


def be_quiet() -> None:
    """Silence the warning that kernels will be compiled when they are first used."""
    notices.setLevel(logging.ERROR)
