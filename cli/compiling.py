"""`wizard compile`: compiles the kernels ahead of time."""

from collections.abc import Callable
from time import perf_counter

from rich.console import Console

from wizard_env.cli.feedback.progress import Counted, displayed
from wizard_env.evaluation.report.console import say


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
    """Compile what is missing, and show the progress on stderr.

    Args:
        tell: called with how many kernels are compiled and how many were missing, whenever that changes.

    Returns the seconds taken, how many kernels were compiled, and how many there are.
    """
    start = perf_counter()
    counted = Counted("looking for kernels to compile")
    with displayed(counted, Console(stderr=True), transient=True):
        from wizard_env.compiled.all_kernels import all_kernels, be_quiet, compile_kernels, missing_kernels

        be_quiet()
        missing = missing_kernels()
        counted.doing, counted.total = "compiling", len(missing)
        for count, _ in enumerate(compile_kernels(missing), start=1):
            counted.done = count
            if tell:
                tell(count, len(missing))
        return perf_counter() - start, len(missing), len(all_kernels())
