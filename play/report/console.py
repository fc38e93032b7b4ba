"""What the command line prints: the outcome of evaluations, leagues and probes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wizard_env.play.report.grids import Grid, breakdown_grids, league_grids, size_grid, summary_grids

if TYPE_CHECKING:
    from wizard_env.train.arena.league import League
    from wizard_env.train.evaluate import Evaluation
    from wizard_env.train.exploit import Exploit

console = Console()


def say(line: str) -> None:
    """Print a line as it is, however long."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def show_evaluation(console: Console, evaluation: "Evaluation", title: str, details: bool = False) -> None:
    """Print how the agents stand, bid and differ; details: also by hand size and position."""
    grids = summary_grids(evaluation, title)
    for grid in [*grids, *(breakdown_grids(evaluation) if details else [])]:
        show_grid(console, grid)


def show_sizes(console: Console, evaluations: Sequence["Evaluation"]) -> None:
    """Print a table of the agents by table size, if there are several."""
    if len(evaluations) > 1:
        show_grid(console, size_grid(evaluations))


def show_league(console: Console, league: "League") -> None:
    """Print the ratings and the cross table."""
    for grid in league_grids(league):
        show_grid(console, grid)


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


def show_grid(console: Console, grid: Grid) -> None:
    """Print a table."""
    table = Table(title=escape(grid.title), title_justify="left")
    first, *others = grid.headings
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*map(escape, row))
    console.print(table)
