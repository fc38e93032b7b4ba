"""Progress bars for training and playing."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn, track
from rich.table import Table

if TYPE_CHECKING:
    from wizard_env.train.arena.workers import Map
    from wizard_env.train.selfplay.progress import Progress as Iteration

Task = TypeVar("Task")
Result = TypeVar("Result")


class TrainingBar:
    """A progress bar for a training run, and a summary of how play improved."""

    SHOWN = 6
    """Iterations that the summary shows."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("learning", total=None, accuracy="", speed="")
        self._iterations: list[Iteration] = []

    def update(self, iteration: "Iteration") -> None:
        """Show an iteration, and keep it for the summary."""
        self._iterations.append(iteration)
        learned = iteration.decisions - self._iterations[0].decisions
        seconds = iteration.seconds - self._iterations[0].seconds
        self._progress.update(
            self._task,
            completed=iteration.decisions,
            total=iteration.total,
            accuracy=f"bids met {iteration.bid_accuracy:.1%}",
            speed=f"{learned / seconds:,.0f} decisions/s" if seconds > 0 else "",
        )

    def summary(self) -> Table:
        """A table of bids met and points, at iterations spread over the run."""
        table = Table(title="self-play", title_justify="left")
        for heading in ("decisions", "seconds", "bids met", "points per round"):
            table.add_column(heading, justify="right", no_wrap=True)
        last = len(self._iterations) - 1
        shown = {round(last * part / (self.SHOWN - 1)) for part in range(self.SHOWN)} if last >= 0 else set()
        for number in sorted(shown):
            iteration = self._iterations[number]
            table.add_row(
                f"{iteration.decisions:,}",
                f"{iteration.seconds:.0f}",
                f"{iteration.bid_accuracy:.3f}",
                f"{iteration.points:+.1f}",
            )
        return table


@contextmanager
def training_bar(console: Console) -> Iterator[TrainingBar]:
    """Show a progress bar while the block runs."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[accuracy]}"),
        TextColumn("{task.fields[speed]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        yield TrainingBar(progress)


def with_progress(spread: "Map") -> "Map":
    """Show a progress bar of the tasks done, if stderr is a terminal."""
    console = Console(stderr=True)

    def shown(function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterator[Result]:
        todo = list(tasks)
        results = spread(function, todo)
        hidden = not console.is_terminal
        yield from track(results, "playing", len(todo), console=console, transient=True, disable=hidden)

    return shown
