"""Grids in the terminal: every cell can be read at 80 columns, however long the names are."""

import re
from dataclasses import replace
from io import StringIO
from itertools import combinations

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.evaluation.results import evaluation, exploit, league
from wizard_env.cli.console import say, show_grid, show_grids
from wizard_env.evaluation.report.grids import (
    Grid,
    breakdown_grids,
    evaluation_grids,
    exploit_grid,
    interval_grid,
    league_grids,
)
from wizard_env.evaluation.report.verdict import exploit_verdict

COLUMNS = 80
LONG = "external:command='python somewhere/else/agents/my_bot.py --worlds 64 --seed 1',timeout=30"
OTHER = "variant:of=champion+search:worlds=32,bias=0.25,noise=0.125,greed=-0.333"
NAMES = [LONG, OTHER, "champion", *(f"runs/experiment-{number:02}" for number in range(9))]


@pytest.fixture
def console() -> Console:
    return Console(file=StringIO(), width=COLUMNS)


def printed(console: Console) -> str:
    """Return the output of the console."""
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_names_cannot_write_over_the_screen(console: Console) -> None:
    """Nor can anything else that is printed: control characters are spelled out."""
    show_grid(console, Grid("of \x1b[2J", ["agent", "points"], [["\x1b[31mred\x9b", "1.0"]]))
    say("saved in \x1b]0;title\x07", console)
    shown = printed(console)
    assert "\\x1b[31mred\\x9b" in shown
    assert "of \\x1b[2J" in shown
    assert "saved in \\x1b]0;title\\x07" in shown
    assert shown.replace("\n", "").isprintable()


def check_grids(shown: str, *cells: str) -> None:
    """Check that each grid fits, each column has room, nothing is cut, and these cells are complete.

    Cells may be folded: the parts of a column are joined before they are compared.
    """
    lines = [line for line in shown.splitlines() if line[:1] in "┏┡├└│┃"]
    assert lines
    assert max(map(cell_len, lines)) <= COLUMNS
    assert "…" not in shown
    assert "..." not in "".join(lines)
    assert "┃┃" not in shown
    joined: list[str] = []
    for line in lines:
        parts = [part.strip() for part in re.split("[│┃]", line)[1:-1]]
        whole = line[0] in "│┃" and len(parts) == len(joined)
        joined = [before + part for before, part in zip(joined, parts, strict=True)] if whole else parts
        for cell in list(missing := set(cells)):
            if any(cell.replace(" ", "") in column.replace(" ", "") for column in joined):
                missing.discard(cell)
                cells = tuple(missing)
    assert not cells


def leads(names: list[str]) -> dict[tuple[str, str], tuple[float, float, float]]:
    return dict.fromkeys(combinations(names, 2), (-1233.1, -1228.2, -1238.3))


def test_an_evaluation_fits(console: Console) -> None:
    """Bids by hand size and position, and leads over each other, are included."""
    names = NAMES[:4]
    found = evaluation(dict.fromkeys(names, -1533.1), leads(names))
    show_grids(console, evaluation_grids(found, "1,000,000 deals with 6 players, seed 123456789"))
    show_grids(console, breakdown_grids(found))
    check_grids(printed(console), *names, "-1533.1", "-1228.2 to -1238.3")


def test_a_league_fits(console: Console) -> None:
    """Its leads are divided into several grids, each with the names."""
    found = league(NAMES, leads(NAMES))
    show_grids(console, [*league_grids(found), interval_grid(found)])
    check_grids(printed(console), *NAMES, "+1233.1", "-1233.1", "(12)")


def test_names_are_whole_where_there_is_room(console: Console) -> None:
    """With too little room, only long names are folded."""
    show_grid(console, Grid("", ["agent", "over", "lead"], [["champion", OTHER, "+1.0"]], names=2))
    check_grids(printed(console), "champion", OTHER)
    assert "│ champion │" in printed(console)
    wide = Console(file=StringIO(), width=200)
    show_grid(wide, Grid("", ["agent", "lead"], [[LONG, "+1.0"]]))
    assert f"│ {LONG} │" in printed(wide)


def test_no_name_vanishes_from_a_narrow_grid() -> None:
    """A terminal that is too narrow wraps the lines."""
    narrow = Console(file=StringIO(), width=20)
    show_grid(narrow, Grid("", ["agent", "over", "lead"], [["random", OTHER, "-1.0 to +1.0"]], names=2))
    check_grids(printed(narrow), "random", OTHER, "-1.0 to +1.0")


@pytest.mark.parametrize(
    ("gain", "part"),
    [
        ((16.9, 12.7, 21.4), "gains 16.9 points per game over b (95% interval +12.7 to +21.4)"),
        ((-22.8, -30.0, -15.0), "scores 22.8 points per game less than b (gain: 95% interval -30.0 to"),
        ((1.0, -3.0, 5.0), "and b cannot be told apart: its gain is +1.0 (95% interval -3.0 to +5.0)"),
    ],
)
def test_only_a_gain_is_a_lower_bound(console: Console, gain: tuple[float, float, float], part: str) -> None:
    """Otherwise the verdict says that nothing was found."""
    found = replace(exploit(agent="a", start="b"), gain=gain[0], gain_low=gain[1], gain_high=gain[2])
    show_grid(console, exploit_grid(found))
    verdict, shown = exploit_verdict(found), printed(console)
    assert part in verdict
    assert ("a lower bound" in shown) == ("a lower bound" in verdict) == (gain[1] > 0)
    assert ("nothing was found that exploits a" in verdict) == (gain[1] <= 0)
