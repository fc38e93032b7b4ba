"""Running commands of `wizard` in tests, and reading what they print."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

COMMAND = Path(sys.executable).with_name("wizard")


class Outcome(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Wizard: TypeAlias = Callable[..., Outcome]


def run_installed(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the installed command in its own process."""
    return subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


def error_line(outcome: Outcome) -> str:
    """The one line on stderr of an error that the user can fix."""
    assert outcome.code == 2
    lines = outcome.err.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    return lines[0]


def table_cells(printed: str) -> list[list[list[str]]]:
    """The cells of the printed tables, without their headings."""
    tables: list[list[list[str]]] = []
    for line in printed.splitlines():
        if line.startswith("┏"):
            tables.append([])
        elif line.startswith("│"):
            tables[-1].append([cell.strip() for cell in line.strip("│").split("│")])
    return tables
