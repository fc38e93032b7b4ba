"""The benchmarks run and report; no test depends on how fast anything is."""

import math
from io import StringIO

import pytest
from rich.console import Console

from benchmarks import gpu
from benchmarks.batch import spread_games
from benchmarks.display import render
from benchmarks.report import SECONDS, Row, check_limit, compare
from benchmarks.run import main
from benchmarks.startup import PROGRAMS, time_to_first_step
from benchmarks.timing import QUICK, Sample, alternate


def test_every_row_is_measured_and_shown() -> None:
    """Targets: steps, playouts and environments as ratios to peers; starts with a warm cache in seconds."""
    report = main(quick=True)
    assert len({(row.name, row.peer_name) for row in report.rows}) == len(report.rows)
    assert all(math.isfinite(row.ours.best) and row.ours.best > 0 for row in report.rows)
    assert all(row.ratio is None or row.ratio > 0 for row in report.rows)
    targets = [row.target for row in report.rows if row.target is not None]
    assert {40, 25, 100, 2, 20} < set(targets)
    assert sum(row.unit == SECONDS for row in report.rows) == len(PROGRAMS)
    paper = StringIO()
    Console(file=paper, width=240).print(render(report))
    shown = paper.getvalue()
    for words in (report.machine.cpu, report.machine.packages["numba"], *(row.name for row in report.rows)):
        assert words in shown


def test_a_device_is_compared_with_the_processor() -> None:
    """Here with the processor itself."""
    small = ["learning.num_games=128", "learning.decisions_per_game=8", "learning.batch_size=256"]
    games = {"small": [*small, "learning.layers=[8]", "learning.critic=[8]"]}
    (rate,) = gpu.measure("cpu", QUICK, games)
    assert rate.ratio is not None
    assert rate.ratio > 0


@pytest.mark.parametrize(
    ("row", "reached"),
    [
        (compare("step", Sample(best=400.0, median=100.0), "peer", Sample(best=10.0, median=5.0), 40), True),
        (compare("step", Sample(best=390.0, median=380.0), "peer", Sample(best=10.0, median=5.0), 40), False),
        (check_limit("start", Sample(best=1.4, median=1.6), 1.5), True),
        (check_limit("start", Sample(best=1.5, median=1.6), 1.5), False),
    ],
)
def test_targets_are_judged_by_the_best_runs(row: Row, reached: bool) -> None:
    assert row.reached == reached


def test_contestants_take_turns() -> None:
    turns: list[str] = []

    def contestant(name: str, decisions: int) -> tuple[int, float]:
        turns.append(name)
        return decisions, 2.0

    rates = alternate({"a": lambda _: contestant("a", 6), "b": lambda _: contestant("b", 2)}, QUICK)
    assert rates == {"a": Sample(3.0, 3.0), "b": Sample(1.0, 1.0)}
    assert turns == ["a", "b"] * (1 + QUICK.repetitions)


def test_games_are_spread_over_all_rounds() -> None:
    games = spread_games(256)
    assert set(games.states["round_index"].tolist()) == set(range(len(games.rules.rounds)))
    assert len(set(games.states["phase"].tolist())) > 1


def test_the_error_of_a_failing_program_is_shown() -> None:
    with pytest.raises(RuntimeError, match="no such luck"):
        time_to_first_step("raise SystemExit('no such luck')")
