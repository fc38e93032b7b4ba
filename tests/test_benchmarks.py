"""The benchmarks run and report; no test depends on how fast anything is."""

import math
from io import StringIO

import pytest
from rich.console import Console

from benchmarks import gpu
from benchmarks.batch import bytes_of, spread_games
from benchmarks.compiling import SMALL
from benchmarks.display import render
from benchmarks.report import RATE, SECONDS, SHARE, STEP_RATE, TIMES, WORLD_RATE, Report, check_limit, compare
from benchmarks.run import main
from benchmarks.startup import PROGRAMS, time_to_first_step
from benchmarks.timing import QUICK, Sample, alternate
from wizard_env import OBS_SIZE


@pytest.fixture(scope="module")
def report() -> Report:
    return main(quick=True)


def test_every_target_is_measured(report: Report) -> None:
    """Steps, playouts, learning, environments, and starts with a warm cache."""
    ratios = [row.target for row in report.rows if row.target is not None and row.unit == RATE]
    assert ratios == [40, 25, 100, 2.5, 2, 2, 20]
    limits = [row.target for row in report.rows if row.unit == SECONDS]
    assert limits == [1.5] * len(PROGRAMS)


def test_rows_are_complete(report: Report) -> None:
    keys = [(row.name, row.peer_name) for row in report.rows]
    assert len(set(keys)) == len(keys)
    for row in report.rows:
        assert row.unit in (RATE, STEP_RATE, WORLD_RATE, SECONDS, SHARE, TIMES)
        assert math.isfinite(row.ours)
        assert (row.target is None) == (row.reached is None)
        if row.unit in (RATE, STEP_RATE, WORLD_RATE):
            assert row.peer_name is not None
            assert row.peer is not None
            assert row.ratio == row.ours / row.peer > 0
            assert row.ours >= row.ours_median > 0


def test_the_curve_covers_all_batch_sizes(report: Report) -> None:
    assert [point.num_games for point in report.curve] == list(QUICK.sizes)
    for point in report.curve:
        assert point.nanoseconds > 0
        assert point.bytes_per_game > OBS_SIZE


def test_the_kernels_compilation_is_measured(report: Report) -> None:
    """A smoke run compiles one of them."""
    assert [cost.name for cost in report.kernels] == [SMALL]
    assert report.kernels[0].seconds > 0
    assert report.kernels[0].bytes > 1000


def test_the_table_names_the_machine_and_every_row(report: Report) -> None:
    paper = StringIO()
    Console(file=paper, width=240).print(render(report))
    text = paper.getvalue()
    for words in (report.machine.cpu, report.machine.packages["numba"], *(row.name for row in report.rows)):
        assert words in text


def test_a_device_is_compared_with_the_processor() -> None:
    """Here with the processor itself."""
    small = ["learning.num_games=128", "learning.decisions_per_game=8", "learning.batch_size=256"]
    games = {"small": [*small, "learning.layers=[8]", "learning.critic=[8]"]}
    (rate,) = gpu.measure("cpu", QUICK, games)
    assert rate.ratio is not None
    assert rate.ratio > 0


def test_targets_are_judged_by_the_best_runs() -> None:
    peer = Sample(best=10.0, median=5.0)
    assert compare("step", Sample(best=400.0, median=100.0), "peer", peer, 40).reached
    assert not compare("step", Sample(best=390.0, median=380.0), "peer", peer, 40).reached
    assert check_limit("start", Sample(best=1.4, median=1.6), 1.5).reached
    assert not check_limit("start", Sample(best=1.5, median=1.6), 1.5).reached


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
    rounds = games.states["round_index"]
    assert set(rounds.tolist()) == set(range(len(games.rules.rounds)))
    assert len(set(games.states["phase"].tolist())) > 1
    assert bytes_of(games) > games.observation.nbytes + games.mask.nbytes + games.states.nbytes


def test_the_error_of_a_failing_program_is_shown() -> None:
    with pytest.raises(RuntimeError, match="no such luck"):
        time_to_first_step("raise SystemExit('no such luck')")
