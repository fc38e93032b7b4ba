"""Running commands of `wizard` in tests, and reading what they print."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytest

if TYPE_CHECKING:
    from wizard_env.train.selfplay.progress import Progress

COMMAND = Path(sys.executable).with_name("wizard")


class Outcome(NamedTuple):
    """The end of a command."""

    code: int
    out: str
    err: str


Wizard: TypeAlias = Callable[..., Outcome]


def run_installed(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the installed command in its own process."""
    return subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


def interrupt(monkeypatch: pytest.MonkeyPatch, number: signal.Signals = signal.SIGINT) -> None:
    """Send a signal to the process while its first iteration is shown."""
    from wizard_env.cli.progress import TrainingProgress

    update, left = TrainingProgress.update, [number]

    def interrupted(self: TrainingProgress, iteration: "Progress") -> None:
        if left:
            os.kill(os.getpid(), left.pop())
        update(self, iteration)

    monkeypatch.setattr(TrainingProgress, "update", interrupted)


def resume(wizard: Wizard, outcome: Outcome) -> Outcome:
    """Run the command that a stopped command printed."""
    ((program, *arguments),) = next_steps(outcome.out)
    assert program == "wizard"
    return wizard(*arguments)


def hide(monkeypatch: pytest.MonkeyPatch, module: str, *importers: str) -> None:
    """Make a module look as if it were not installed, to modules that have imported it too."""
    for loaded in list(sys.modules):
        if f"{loaded}.".startswith(f"{module}.") or loaded in importers:
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)


def error_line(outcome: Outcome) -> str:
    """Return the one line on stderr of an error that the user can fix."""
    assert outcome.code == 2
    lines = outcome.err.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    return lines[0]


def next_steps(printed: str) -> list[list[str]]:
    """Return the words of the commands to paste, which are the indented lines."""
    return [shlex.split(line) for line in printed.splitlines() if re.match("  \\S", line)]


def grid_cells(printed: str) -> list[list[list[str]]]:
    """Return the cells of the printed grids, without their headings."""
    grids: list[list[list[str]]] = []
    for line in printed.splitlines():
        if line.startswith("┏"):
            grids.append([])
        elif line.startswith("│"):
            grids[-1].append([cell.strip() for cell in line.strip("│").split("│")])
    return grids
