"""What the command line prints: the results of evaluations, leagues and exploits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from wizard_env.evaluation.report.grids import (
    Grid,
    breakdown_grids,
    exploit_grid,
    league_grids,
    scorecard_grids,
    size_grid,
    summary_grids,
)

if TYPE_CHECKING:
    from wizard_env.evaluation.evaluate import Evaluation
    from wizard_env.evaluation.exploitability import Exploit
    from wizard_env.evaluation.league import League
    from wizard_env.evaluation.scorecard.card import Card

console = Console()
NARROW_NAME = 20
"""Columns that a name is folded to, where there is no room, before figures go on in another table."""
_PADDING, _BORDER = 3, 1
"""Columns that a table adds to each of its columns, and to all."""


def say(line: str, console: Console = console) -> None:
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
    from wizard_env.evaluation.report.verdict import exploit_verdict

    show_grid(console, exploit_grid(exploit))
    say(exploit_verdict(exploit), console)


def show_scorecard(console: Console, card: "Card") -> None:
    """Print the score, what it is made of, and the time for a decision."""
    from wizard_env.evaluation.report.verdict import scorecard_verdict

    for grid in scorecard_grids(card):
        show_grid(console, grid)
    say(scorecard_verdict(card), console)


def show_grid(console: Console, grid: Grid) -> None:
    """Print a grid as a table that fits the console: names are folded, and columns go on in more tables."""
    columns = range(len(grid.headings))
    needed = [_needed(grid, column, [grid.headings[column]]) for column in columns]
    if sum(needed) + _PADDING * len(needed) + _BORDER > console.width:
        needed = [_needed(grid, column, grid.headings[column].split()) for column in columns]
    for number, figures in enumerate(_groups(needed, grid.names, console.width)):
        table = Table(title=escape(grid.title) if number == 0 else None, title_justify="left")
        shown = [*range(grid.names), *figures]
        widths = _widths([needed[column] for column in shown], grid.names, console.width)
        for column, width in zip(shown, widths, strict=True):
            side: JustifyMethod = "left" if column < grid.names else "right"
            table.add_column(escape(grid.headings[column]), justify=side, overflow="fold", width=width)
        for row in grid.rows:
            table.add_row(*(escape(row[column]) for column in shown))
        console.print(table)


def _needed(grid: Grid, column: int, heading: Sequence[str]) -> int:
    """The width of a column: that of its longest cell, or of a line of its heading."""
    return max(map(cell_len, [*heading, *(row[column] for row in grid.rows)]))


def _groups(needed: Sequence[int], names: int, width: int) -> list[list[int]]:
    """The columns after the names, divided so that each group fits beside names that are folded."""
    room = width - _BORDER - sum(min(one, NARROW_NAME) + _PADDING for one in needed[:names])
    groups: list[list[int]] = [[]]
    left = room
    for column in range(names, len(needed)):
        taken = needed[column] + _PADDING
        if taken > left and groups[-1]:
            groups.append([])
            left = room
        groups[-1].append(column)
        left -= taken
    return groups


def _widths(needed: Sequence[int], names: int, width: int) -> list[int]:
    """The widths of columns: names share the room that the others leave, the shorter ones first."""
    room = width - _BORDER - sum(one + _PADDING for one in needed[names:])
    widths = list(needed)
    for left, column in zip(range(names, 0, -1), sorted(range(names), key=needed.__getitem__), strict=True):
        widths[column] = max(1, min(needed[column], room // left - _PADDING))
        room -= widths[column] + _PADDING
    return widths
