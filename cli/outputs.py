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
from wizard_env.files import check_distinct, check_file, check_folder_with_parent, write_output

if TYPE_CHECKING:
    from wizard_env.evaluation.report.html import Origin, Report

_STDOUT = Path("-")


@dataclass(frozen=True)
class Outputs:
    """The paths to write to, checked before anything is played: files, and a folder for the plots.

    json: `-` prints it.
    inputs: files that are read, and so must not be overwritten.
    """

    json: Path | None = None
    report: Path | None = None
    plots: Path | None = None
    records: Path | None = None
    inputs: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        files = [path for path in (self.json, self.report, self.records) if path and path != _STDOUT]
        for number, path in enumerate(files):
            check_file(path)
            check_distinct(path, (*self.inputs, *files[:number]))
        if self.plots:
            check_folder_with_parent(self.plots)
        if self.wants_report:
            with extra():
                import wizard_env.evaluation.report.html  # noqa: F401 - fails now rather than after the games

    @property
    def wants_report(self) -> bool:
        return bool(self.report or self.plots)

    @property
    def prints_json(self) -> bool:
        return self.json == _STDOUT

    def write_json(self, values: Any) -> None:
        """Write plain values, if JSON is wanted."""
        text = json.dumps(values, indent=2) + "\n"
        if self.prints_json:
            sys.stdout.write(text)
        elif self.json:
            _write(self.json, text.encode())

    def write_report(self, report: "Report") -> None:
        """Write the page and the plots, as far as they are wanted."""
        if self.report:
            _write(self.report, report.page.encode())
        if self.plots:
            for name, content in report.plots.items():
                _write(self.plots / f"{name}.png", content)


def files_of(agents: Iterable[str]) -> tuple[Path, ...]:
    """Return the files that agents are read from."""
    from wizard_env.agents.network import find_agent
    from wizard_env.loading import place_of

    return tuple(find_agent(path) for path in map(place_of, agents) if path is not None)


def get_origin() -> "Origin":
    """Return the command that is running, today's date in UTC, and the version."""
    from wizard_env.evaluation.report.html import Origin

    command = shlex.join(["wizard", *sys.argv[1:]])
    return Origin(command, datetime.now(UTC).date().isoformat(), version("wizard-env"))


def _write(path: Path, content: bytes) -> None:
    write_output(path, lambda temporary: temporary.write_bytes(content))
