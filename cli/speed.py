"""Commands for speed: `wizard bench`, `wizard compile`."""

import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console

from wizard_env.cli.console import console, say
from wizard_env.cli.progress import TaskProgress, show_progress
from wizard_env.extras import extra

_PATIENCE = 0.1
"""Seconds until processes that do not end are killed again."""


def bench(
    quick: Annotated[bool, typer.Option(help="Take seconds instead of minutes, with rough numbers.")] = False,
) -> None:
    """Compare the speed with other libraries; needs a checkout of the project and its extra `dev`."""
    _add_benchmarks(Path.cwd())
    with extra("dev"):
        from benchmarks.display import render
        from benchmarks.run import main as run_benchmarks
    console.print(render(run_benchmarks(quick=quick)))


def _add_benchmarks(checkout: Path) -> None:
    """Make the package `benchmarks` of a checkout importable, and nothing else in that folder."""
    file = checkout / "benchmarks" / "__init__.py"
    if not file.is_file():
        raise FileNotFoundError(f"there is no {file}: run `wizard bench` at the root of a checkout")
    spec = importlib.util.spec_from_file_location(
        "benchmarks", file, submodule_search_locations=[str(file.parent)]
    )
    if spec is not None and spec.loader is not None:
        package = sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)


def compile_all() -> None:
    """Compile everything that play, search, training and evaluation use, once for this machine.

    Without it, each kernel is compiled when it is first called.
    """
    compile_missing()


@contextmanager
def behind(work: Callable[[], None]) -> Iterator[None]:
    """Do some work that compiles in a thread while the block runs; then kill its processes if it goes on."""
    others = set(active_children())
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        while thread.is_alive():
            for process in set(active_children()) - others:
                process.kill()
            thread.join(_PATIENCE)


def compile_missing(report: Callable[[int, int], None] | None = None, *, behind: bool = False) -> None:
    """Compile the missing kernels, with progress on stderr.

    Args:
        report: called at the beginning and after each with the number compiled so far, and the number that
            were missing.
        behind: whether other threads of this process play meanwhile, see `compile_behind`.
    """
    start = perf_counter()
    counted = TaskProgress("looking for kernels to compile")
    with show_progress(counted, Console(stderr=True), transient=True):
        from wizard_env.compiled.all_kernels import (
            all_kernels,
            be_quiet,
            compile_behind,
            compile_kernels,
            missing_kernels,
        )

        be_quiet()
        missing = missing_kernels()
        counted.doing, counted.total = "compiling", len(missing)
        if report:
            report(0, len(missing))
        for _ in (compile_behind if behind else compile_kernels)(missing):
            counted.done += 1
            if report:
                report(counted.done, len(missing))
    if missing:
        seconds = perf_counter() - start
        say(f"kernels      {len(missing)} of {len(all_kernels())} compiled in {seconds:.1f} s")
    else:
        say(f"kernels      all {len(all_kernels())} are already compiled")
