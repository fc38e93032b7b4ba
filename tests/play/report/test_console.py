"""Results in the terminal: whatever a table says can be read at 80 columns."""

from io import StringIO

import pytest
from rich.console import Console

from tests.play.report.results import evaluation, league
from wizard_env.play.report.console import show_evaluation, show_exploit, show_grid
from wizard_env.play.report.grids import league_grids
from wizard_env.train.exploit import Exploit

COLUMNS = 80


@pytest.fixture
def console() -> Console:
    return Console(file=StringIO(), width=COLUMNS)


def printed(console: Console) -> str:
    """What the console has shown."""
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_an_exploit_fits(console: Console) -> None:
    """Its gains, their intervals and both totals stand in full."""
    found = Exploit("rival", "champion", 16.9, 12.7, 21.4, -22.2, -27.4, -17.1, 412.9, 396.0, 400, 10_000_000)
    show_exploit(console, found)
    for words in ("alone against rival, 400 deals", "10,000,000 decisions", "412.9", "champion", "396.0"):
        assert words in printed(console)
    for words in ("gain, a lower bound", "+16.9", "+12.7 to +21.4", "-22.2", "-27.4 to -17.1"):
        assert words in printed(console)
    assert "…" not in printed(console)


def test_an_evaluation_and_a_league_fit(console: Console) -> None:
    leads = {("champion", "rule_based"): (233.1, 228.2, 238.3)}
    show_evaluation(console, evaluation({"champion": 533.1, "rule_based": 300.0}, leads), "1,000 deals")
    for grid in league_grids(league(["champion", "rule_based"], leads)):
        show_grid(console, grid)
    assert "+228.2 to +238.3" in printed(console)
    assert "…" not in printed(console)
