"""Printing lines and grids to the terminal."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from wizard_env.checks import visible
from wizard_env.evaluation.report.grids import Grid

console = Console()
_NARROW_NAME = 20
"""Columns that a name is folded to where there is no room, before the figures are divided."""
_LEAST_NAME = 6
"""Columns that a name has at least; a terminal without room for them wraps the lines."""
_PADDING, _BORDER = 3, 1
"""Columns that lines and spaces add to each column of a grid, and to all."""


def say(line: str, console: Console = console) -> None:
    """Print a line, however long."""
    console.print(visible(line), markup=False, highlight=False, soft_wrap=True)


def show_grids(console: Console, grids: Iterable[Grid]) -> None:
    """Print grids one after another."""
    for grid in grids:
        show_grid(console, grid)


def show_grid(console: Console, grid: Grid) -> None:
    """Print a grid that fits the console: names are folded, and columns without room follow below."""
    rows = [[visible(cell) for cell in row] for row in grid.rows]
    grid = grid._replace(title=visible(grid.title), rows=rows)
    columns = range(len(grid.headings))
    needed = [_measure(grid, column, [grid.headings[column]]) for column in columns]
    if sum(needed) + _PADDING * len(needed) + _BORDER > console.width:
        needed = [_measure(grid, column, grid.headings[column].split()) for column in columns]
    for number, figures in enumerate(_divide(needed, grid.names, console.width)):
        shown = [*range(grid.names), *figures]
        widths = _fit([needed[column] for column in shown], grid.names, console.width)
        title = escape(grid.title) if number == 0 else None
        table = Table(title=title, title_justify="left", width=_BORDER + sum(widths) + _PADDING * len(widths))
        for column, width in zip(shown, widths, strict=True):
            side: JustifyMethod = "left" if column < grid.names else "right"
            table.add_column(escape(grid.headings[column]), justify=side, overflow="fold", width=width)
        for row in grid.rows:
            table.add_row(*(escape(row[column]) for column in shown))
        console.print(table, crop=False)


def _measure(grid: Grid, column: int, heading: Sequence[str]) -> int:
    """Return the width that a column needs for its longest cell, or for a line of its heading."""
    return max(map(cell_len, [*heading, *(row[column] for row in grid.rows)]))


def _divide(needed: Sequence[int], names: int, width: int) -> list[list[int]]:
    """Divide the columns after the names into groups that fit beside folded names."""
    room = width - _BORDER - sum(min(one, _NARROW_NAME) + _PADDING for one in needed[:names])
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


def _fit(needed: Sequence[int], names: int, width: int) -> list[int]:
    """Return the widths of columns: names share the room that the others leave, the shorter ones first."""
    room = width - _BORDER - sum(one + _PADDING for one in needed[names:])
    widths = list(needed)
    for left, column in zip(range(names, 0, -1), sorted(range(names), key=needed.__getitem__), strict=True):
        widths[column] = min(needed[column], max(_LEAST_NAME, room // left - _PADDING))
        room -= widths[column] + _PADDING
    return widths
