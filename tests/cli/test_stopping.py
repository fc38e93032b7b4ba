"""Commands that learn and are stopped by Ctrl-C: the command that they print continues the run."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.commands import Wizard, interrupt, next_steps, resume
from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves
from wizard_env.train.selfplay.progress import Progress


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="a signal of POSIX")
def test_distill(wizard: Wizard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its terminal is closed, unless it runs under `nohup`."""
    folder = Path("a small one")
    command = ("distill", "champion", folder, "--games", "smoke", "--layers", "8", "--decisions", 70_000)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    interrupt(monkeypatch, signal.SIGHUP)
    stopped = wizard(*command)
    signal.signal(signal.SIGHUP, before)
    assert stopped.code == 129
    assert len(read_curves(folder / CURVES)) == 1
    assert "of actions agree" in resume(wizard, stopped).out
    assert len(read_curves(folder / CURVES)) == 2
    assert "of actions agree" in wizard(*command).out  # it is finished
    assert len(read_curves(folder / CURVES)) == 2


def test_exploit(wizard: Wizard, monkeypatch: pytest.MonkeyPatch, frequent_lines: None) -> None:
    """Progress goes to stderr, so that printed JSON can be parsed."""
    command = ("exploit", "random", "--decisions", 16_384, "--games", 2, "--hand-sizes", "1", "--json", "-")
    interrupt(monkeypatch)
    stopped = wizard(*command)
    assert stopped.code == 130
    (curves,) = Path("runs").glob(f"exploit-random-*/{CURVES}")
    assert [int(line[DECISIONS]) for line in read_curves(curves)] == [8192]
    finished = resume(wizard, stopped)
    assert json.loads(finished.out)["decisions"] == 16_384
    assert "learning " in finished.err
    assert [int(line[DECISIONS]) for line in read_curves(curves)] == [8192, 16_384]


def test_a_second_signal_ends_a_command_at_once(wizard: Wizard, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends within the iteration, and keeps what was saved before."""
    from wizard_env.cli.progress import TrainingProgress

    def twice(self: TrainingProgress, iteration: Progress) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("it continued")

    monkeypatch.setattr(TrainingProgress, "update", twice)
    command = ["wizard", "train", "smoke", "--workers", "1"]
    stopped = wizard(*command[1:])
    assert stopped.code == 130
    assert next_steps(stopped.out) == [command]
    assert not list(Path("runs", "smoke").glob("checkpoint*"))
