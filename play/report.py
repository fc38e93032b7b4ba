"""What the command line shows: the progress of training, and the outcome of evaluations."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn, track
from rich.table import Table

from play.sheets import Sheet, breakdown_sheets, league_sheets, size_sheet, summary_sheets

if TYPE_CHECKING:
    from train.curves import Progress as Iteration
    from train.evaluate import Evaluation
    from train.exploit import Exploit
    from train.league import League
    from train.workers import Map

console = Console()
Task = TypeVar("Task")
Result = TypeVar("Result")


def say(line: str) -> None:
    """Print a line as it is, however long."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


class TrainingBar:
    """A progress bar, and a summary of how play improved over the run."""

    SHOWN = 6
    """How many moments of the run the summary shows."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("learning", total=None, accuracy="", speed="")
        self._iterations: list[Iteration] = []

    def update(self, iteration: "Iteration") -> None:
        """Note an iteration."""
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
        """Bids met and points at some moments of the run."""
        table = Table(title="self-play", title_justify="left")
        for heading in ("decisions", "seconds", "bids met", "points a round"):
            table.add_column(heading, justify="right", no_wrap=True)
        last = len(self._iterations) - 1
        moments = (
            {round(last * part / (self.SHOWN - 1)) for part in range(self.SHOWN)} if last >= 0 else set()
        )
        for moment in sorted(moments):
            iteration = self._iterations[moment]
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
    """Show on the terminal how many tasks are done."""
    console = Console(stderr=True)

    def shown(function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterator[Result]:
        todo = list(tasks)
        results = spread(function, todo)
        hidden = not console.is_terminal
        yield from track(results, "playing", len(todo), console=console, transient=True, disable=hidden)

    return shown


def show_evaluation(console: Console, evaluation: "Evaluation", title: str, details: bool = False) -> None:
    """Print how the agents stand, bid and differ; details: also by hand size and position."""
    sheets = summary_sheets(evaluation, title)
    for sheet in [*sheets, *(breakdown_sheets(evaluation) if details else [])]:
        show_sheet(console, sheet)


def show_sizes(console: Console, evaluations: Sequence["Evaluation"]) -> None:
    """Print a table of the agents by table size, if there are several."""
    if len(evaluations) > 1:
        show_sheet(console, size_sheet(evaluations))


def show_league(console: Console, league: "League") -> None:
    """Print the ratings and the cross table."""
    for sheet in league_sheets(league):
        show_sheet(console, sheet)


def show_exploit(console: Console, exploit: "Exploit") -> None:
    """Print what a learned response gains."""
    table = Table(
        title=f"a response to {escape(exploit.agent)}, after {exploit.decisions:,} decisions",
        title_justify="left",
    )
    for heading in ("gain, a lower bound", "95% interval", "response", "agent", "games"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_row(
        f"{exploit.gain:+.1f}",
        f"{exploit.gain_low:+.1f} to {exploit.gain_high:+.1f}",
        f"{exploit.response_points:.1f}",
        f"{exploit.agent_points:.1f}",
        f"{exploit.games:,}",
    )
    console.print(table)


def show_sheet(console: Console, sheet: Sheet) -> None:
    """Print a table."""
    table = Table(title=escape(sheet.title), title_justify="left")
    first, *others = sheet.headings
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in sheet.rows:
        table.add_row(*map(escape, row))
    console.print(table)
