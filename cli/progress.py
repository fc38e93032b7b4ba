"""Progress of long jobs: a bar on a terminal, elsewhere a line every half minute."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from wizard_env.cli.console import say
from wizard_env.cli.stopping import Stop, stoppable

if TYPE_CHECKING:
    from wizard_env.evaluation.workers import Map
    from wizard_env.train.selfplay.progress import Progress

FIRST_LINE = 1.0
"""Seconds until the first line where the output is not a terminal; shorter jobs print none."""
LINES_APART = 30.0
"""Seconds between two lines."""
_RECENT = 10.0
"""Seconds over which the speed of a run is measured."""
_BAR = 40
"""The largest width of a bar."""
Task = TypeVar("Task")
Result = TypeVar("Result")


class ProgressDisplay(ABC):
    """A display of the progress of one job.

    doing: a word or two for the job.
    done, total: in any unit; `total` is None while it is unknown.
    """

    def __init__(self, doing: str, total: int | None = None) -> None:
        self.doing = doing
        self.done = 0
        self.total = total

    @abstractmethod
    def details(self) -> list[str]:
        """Return further facts, the most important first."""

    @property
    def _share(self) -> str:
        return f"{min(self.done / self.total, 1):4.0%}" if self.total else "    "

    def line(self) -> str:
        """Return the progress as one line."""
        return f"{self.doing:<12} {self._share}  {', '.join(self.details())}".rstrip()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        words = f"{self._share}  {', '.join(self.details())}"
        width = min(max(options.max_width - len(self.doing) - len(words) - 2, _BAR // 4), _BAR)
        row = Table.grid(padding=(0, 1, 0, 0))
        bar = ProgressBar(self.total, self.done, width, pulse=not self.total)
        row.add_row(self.doing, bar, Text(words, no_wrap=True, overflow="ellipsis"))
        yield row


@contextmanager
def show_progress(shown: ProgressDisplay, console: Console, transient: bool = False) -> Iterator[None]:
    """Show progress while the block runs. transient: remove the bar at the end."""
    if console.is_interactive:
        with Live(shown, console=console, transient=transient):
            yield
        return
    ended = Event()

    def repeat() -> None:
        seconds = FIRST_LINE
        while not ended.wait(seconds):
            say(shown.line(), console)
            seconds = LINES_APART

    thread = Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class TaskProgress(ProgressDisplay):
    """Progress of tasks of about the same size."""

    def __init__(self, doing: str, total: int | None = None) -> None:
        super().__init__(doing, total)
        self._began = monotonic()

    def details(self) -> list[str]:
        if self.total is None:
            return []
        found = [f"{self.done} of {self.total}"]
        if self.done:
            found.append(_time_left((monotonic() - self._began) / self.done * (self.total - self.done)))
        return found


class TrainingProgress(ProgressDisplay):
    """Progress of a training run.

    begun: True once an iteration has ended.
    """

    def __init__(self, total: int | None, then: str, stop: Stop, compiled: list[str]) -> None:
        """Start.

        Args:
            total: the decisions that the run learns from, if known.
            then: the job that follows, or "".
            stop: ends the run after an iteration.
            compiled: the kernels compiled so far; it grows.
        """
        super().__init__("preparing", total)
        self.begun = False
        self._then = then
        self._stop = stop
        self._compiled = compiled
        self._iterations: list[Progress] = []
        self._updated = 0.0

    def update(self, iteration: "Progress") -> None:
        """Show an iteration. Raises StopLearning if a signal asked the run to stop."""
        from wizard_env.train.selfplay.progress import StopLearning

        self._iterations.append(iteration)
        self._updated = monotonic()
        self.begun, self.doing = True, "learning"
        self.done, self.total = iteration.decisions, iteration.total
        if self._stop.signal:
            raise StopLearning
        if self._stop.waits:
            self._stop.listen()

    def details(self) -> list[str]:
        if self._stop.signal:
            return ["stopping after this iteration; press Ctrl-C again to stop now"]
        if not self._iterations:
            return [f"{len(self._compiled)} kernels compiled for this machine"] if self._compiled else []
        found, speed, last = [], self._speed(), self._iterations[-1]
        if speed:
            seconds = (last.total - last.decisions) / speed - (monotonic() - self._updated)
            found.append(_time_left(seconds) + (f", then {self._then}" if self._then else ""))
            found.append(f"{speed:,.0f} decisions/s")
        return [*found, f"bids met {last.bid_accuracy:.1%}"]

    def _speed(self) -> float:
        """Return decisions a second, over the last seconds or the later half of the iterations; 0 after one.

        The first iterations warm up, and a fresh network is slower than one that has learned.
        """
        last = self._iterations[-1]
        later = self._iterations[(len(self._iterations) - 1) // 2 :]
        start = next((one for one in reversed(later) if last.seconds - one.seconds >= _RECENT), later[0])
        seconds = last.seconds - start.seconds
        return (last.decisions - start.decisions) / seconds if seconds > 0 else 0.0

    def line(self) -> str:
        of = f" of {self.total:,}" if self.total else ""
        return f"{super().line()}, {self.done:,}{of} decisions" if self.begun else super().line()


@contextmanager
def show_training(console: Console, total: int | None = None, then: str = "") -> Iterator[TrainingProgress]:
    """Show `TrainingProgress` while the block runs; a signal ends it with a checkpoint."""
    from wizard_env.compiled.all_kernels import watched_compilations

    with stoppable() as stop, watched_compilations() as compiled:
        bar = TrainingProgress(total, then, stop, compiled)
        stop.waits = True
        with show_progress(bar, console):
            yield bar


def with_progress(spread: "Map", doing: str = "playing", console: Console | None = None) -> "Map":
    """Show the progress of tasks, on stderr if no console is given."""

    def shown(function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterator[Result]:
        todo = list(tasks)
        counted = TaskProgress(doing, len(todo))
        with show_progress(counted, console or Console(stderr=True), transient=True):
            for result in spread(function, todo):
                counted.done += 1
                yield result

    return shown


def _time_left(seconds: float) -> str:
    return f"{timedelta(seconds=round(max(seconds, 0.0)))} left"
