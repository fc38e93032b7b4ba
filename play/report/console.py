"""What the command line prints: the results of evaluations, leagues and exploits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wizard_env.play.report.grids import (
    Grid,
    breakdown_grids,
    exploit_grid,
    league_grids,
    scorecard_grids,
    size_grid,
    summary_grids,
)

if TYPE_CHECKING:
    from wizard_env.train.arena.league import League
    from wizard_env.train.evaluate import Evaluation
    from wizard_env.train.exploit import Exploit
    from wizard_env.train.scorecard.card import Card

console = Console()


def say(line: str) -> None:
    """Print a line unchanged, however long."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def show_evaluation(console: Console, evaluation: "Evaluation", title: str, details: bool = False) -> None:
    """Print the agents' standings, bids and leads; with `details`, also bids by hand size and position."""
    for grid in [*summary_grids(evaluation, title), *(breakdown_grids(evaluation) if details else [])]:
        show_grid(console, grid)


def show_sizes(console: Console, evaluations: Sequence["Evaluation"]) -> None:
    """Print the agents' results by number of players, if there are several."""
    if len(evaluations) > 1:
        show_grid(console, size_grid(evaluations))


def show_league(console: Console, league: "League") -> None:
    """Print the ratings and the cross table."""
    for grid in league_grids(league):
        show_grid(console, grid)


def show_exploit(console: Console, exploit: "Exploit") -> None:
    """Print the gain of a learned response."""
    show_grid(console, exploit_grid(exploit))


def show_scorecard(console: Console, card: "Card") -> None:
    """Print the score, what it is made of, and the time for a decision."""
    from wizard_env.play.report.verdict import scorecard_verdict

    for grid in scorecard_grids(card):
        show_grid(console, grid)
    say(scorecard_verdict(card))


def show_grid(console: Console, grid: Grid) -> None:
    """Print a grid as a table."""
    table = Table(title=escape(grid.title), title_justify="left")
    first, *others = grid.headings
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*map(escape, row))
    console.print(table)
