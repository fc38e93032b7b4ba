"""Progress: the time left, the bar on a terminal, and the lines elsewhere."""

import time
from io import StringIO

import pytest
from rich.console import Console

from wizard_env.cli.progress import TaskProgress, TrainingProgress, show_progress
from wizard_env.cli.stopping import Stop
from wizard_env.train.selfplay.progress import Progress

TOTAL = 1_000_000
ITERATION = 10_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Set the clock by the first number of a list."""
    now = [100.0]
    monkeypatch.setattr("wizard_env.cli.progress.monotonic", lambda: now[0])
    return now


def iterate(bar: TrainingProgress, clock: list[float], begin: int, warm_up: float, iterations: int) -> None:
    """Show a run from a number of decisions on: a slow iteration, then others that take a second each."""
    seconds = 0.0
    for number in range(1, iterations + 1):
        taken = warm_up if number == 1 else 1.0
        seconds += taken
        clock[0] += taken
        bar.update(Progress(begin + number * ITERATION, TOTAL, 0.5, 10.0, seconds))


@pytest.mark.parametrize("begin", [0, 500_000])
@pytest.mark.parametrize("warm_up", [1.0, 20.0])
def test_the_time_left_is_right_from_the_first_half_minute(
    clock: list[float], begin: int, warm_up: float
) -> None:
    """This holds if the first iteration compiled kernels, and in a resumed run."""
    bar = TrainingProgress(TOTAL, "the evaluation", Stop(), [])
    iterate(bar, clock, begin, warm_up, iterations=10)
    left = (TOTAL - begin - 10 * ITERATION) // ITERATION
    minutes, seconds = divmod(left, 60)
    assert bar.details()[:2] == [
        f"0:{minutes:02}:{seconds:02} left, then the evaluation",
        "10,000 decisions/s",
    ]
    clock[0] += 5.0  # an iteration that takes longer
    minutes, seconds = divmod(left - 5, 60)
    assert bar.details()[0] == f"0:{minutes:02}:{seconds:02} left, then the evaluation"
    clock[0] += 1000.0
    assert bar.details()[0] == "0:00:00 left, then the evaluation"


def printed(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_bar_takes_one_line_of_a_terminal(clock: list[float], width: int) -> None:
    console = Console(file=StringIO(), width=width, force_terminal=True, _environ={"TERM": "xterm"})
    bar = TrainingProgress(TOTAL, "the evaluation", Stop(), [])
    iterate(bar, clock, 0, 1.0, iterations=20)
    with console.capture() as captured:
        console.print(bar)
    (line,) = captured.get().splitlines()
    assert "learning" in line
    assert "20%" in line
    assert ("0:01:20 left, then the evaluation" in line) == (width > 40)
    with show_progress(bar, console):
        pass
    assert "learning" in printed(console)


def test_lines_where_there_is_no_terminal(frequent_lines: None) -> None:
    """They are printed during a task too."""
    console = Console(file=StringIO(), width=20)
    counted = TaskProgress("playing", 3)
    with show_progress(counted, console):
        while printed(console).count("\n") < 2:
            time.sleep(0.01)
        counted.done = 2
        while "left" not in printed(console):
            time.sleep(0.01)
    first, *_, last = printed(console).splitlines()
    assert first == "playing        0%  0 of 3"
    assert last == "playing       67%  2 of 3, 0:00:00 left"
