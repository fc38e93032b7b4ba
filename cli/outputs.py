"""The files that commands write: JSON, HTML reports, plots and game records."""

import json
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard_env.extras import extra

if TYPE_CHECKING:
    from wizard_env.evaluation.report.html import Origin, Report

_STDOUT = Path("-")


@dataclass(frozen=True)
class Outputs:
    """The paths to write to, each None if not wanted. They are checked before anything is played.

    Raises:
        OSError: a file cannot be written, for example because its folder is missing.
        ModuleNotFoundError: a report or plots are wanted, and matplotlib is not installed.
        ValueError: two of them are the same file, or one is a file that is read.
    """

    json: Path | None = None
    """A JSON file; `-` prints it."""
    report: Path | None = None
    """An HTML file."""
    plots: Path | None = None
    """A folder for PNG files."""
    records: Path | None = None
    """A file of game records."""
    inputs: tuple[Path, ...] = ()
    """Files that are read, and so must not be overwritten."""

    def __post_init__(self) -> None:
        from wizard_env.files.writing import check_distinct, check_file, check_folder

        files = [path for path in (self.json, self.report, self.records) if path and path != _STDOUT]
        for number, path in enumerate(files):
            check_file(path)
            check_distinct(path, (*self.inputs, *files[:number]))
        if self.plots:
            check_folder(self.plots)
        if self.wants_report:
            with extra():
                import matplotlib  # noqa: F401 - fails now rather than after the games

    @property
    def wants_report(self) -> bool:
        return bool(self.report or self.plots)

    @property
    def prints_json(self) -> bool:
        return self.json == _STDOUT

    def write_json(self, values: Any) -> None:
        """Write plain values as JSON, if it is wanted."""
        text = json.dumps(values, indent=2) + "\n"
        if self.prints_json:
            sys.stdout.write(text)
        elif self.json:
            _write(self.json, text.encode())

    def write_report(self, report: "Report") -> None:
        """Write the page of a report, and its plots, as far as they are wanted."""
        if self.report:
            _write(self.report, report.page.encode())
        if self.plots:
            for name, content in report.plots.items():
                _write(self.plots / f"{name}.png", content)


def files_of(agents: Iterable[str]) -> tuple[Path, ...]:
    """Return the files that agents are read from."""
    from wizard_env.agents.network import find_agent
    from wizard_env.loading import place_of

    return tuple(find_agent(place) for place in map(place_of, agents) if place is not None)


def get_origin() -> "Origin":
    """Return the command that runs now, with today's date (UTC) and the version of the project."""
    from wizard_env.evaluation.report.html import Origin

    command = shlex.join(["wizard", *sys.argv[1:]])
    return Origin(command, datetime.now(UTC).date().isoformat(), version("wizard-env"))


def _write(path: Path, content: bytes) -> None:
    from wizard_env.files.writing import write_atomically

    write_atomically(path, lambda temporary: temporary.write_bytes(content))
