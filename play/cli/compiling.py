"""`wizard compile`: compiles the kernels ahead of time."""

from collections.abc import Callable
from time import perf_counter

from rich.console import Console
from rich.progress import track

from wizard_env.play.report.console import say


def compile_all() -> None:
    """Compile all that play, search, training and evaluation use, once for this machine.

    Without it, each kernel is compiled when it is first called.
    """
    say_compiled(*compile_with_progress())


def say_compiled(taken: float, count: int, total: int) -> None:
    """Print what `compile_with_progress` returned."""
    if count:
        say(f"kernels      {count} of {total} compiled in {taken:.1f} s")
    else:
        say(f"kernels      all {total} were compiled before")


def compile_with_progress(tell: Callable[[int, int], None] | None = None) -> tuple[float, int, int]:
    """Compile what is missing, with a progress bar if stderr is a terminal.

    Args:
        tell: called with how many kernels are compiled and how many were missing, whenever that changes.

    Returns the seconds taken, how many kernels were compiled, and how many there are.
    """
    from wizard_env.compiled.all_kernels import all_kernels, be_quiet, compile_kernels, missing_kernels

    start = perf_counter()
    be_quiet()
    missing = missing_kernels()
    console = Console(stderr=True)
    hidden = not console.is_terminal
    compiled = compile_kernels(missing)
    bar = track(compiled, "compiling", len(missing), console=console, transient=True, disable=hidden)
    for count, _ in enumerate(bar, start=1):
        if tell:
            tell(count, len(missing))
    return perf_counter() - start, len(missing), len(all_kernels())
