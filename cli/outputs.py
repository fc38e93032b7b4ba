"""The files that commands write: JSON, HTML reports, plots and game records."""

import csv
import io
import json
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
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

    def write_json(self, values: Any, agents: Mapping[str, str] | None = None) -> None:
        """Write plain values, if JSON is wanted.

        agents: the fingerprints of the agents that results are of, by name; each object then gets its
        `provenance`.
        """
        if agents is not None:
            origin = {"provenance": provenance(agents)}
            values = values | origin if isinstance(values, dict) else [one | origin for one in values]
        text = json.dumps(values, indent=2) + "\n"
        if self.prints_json:
            sys.stdout.write(text)
        elif self.json:
            _write(self.json, text)

    def write_report(self, report: "Report") -> None:
        """Write the page, and the plots and tables, as far as they are wanted."""
        if self.report:
            _write(self.report, report.page)
        if self.plots is None:
            return
        from wizard_env.evaluation.report.grids import latex
        from wizard_env.evaluation.report.plots import FORMATS, draw

        for name, figure in report.plots.items():
            for kind in FORMATS:
                _write(self.plots / f"{name}.{kind}", draw(figure, kind))
        for name, grid in report.tables.items():
            _write(self.plots / f"{name}.tex", latex(grid))
        for name, rows in report.data.items():
            if not rows:
                continue
            text = io.StringIO(newline="")
            table = csv.DictWriter(text, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
            _write(self.plots / f"{name}.csv", text.getvalue())


def files_of(agents: Iterable[str]) -> tuple[Path, ...]:
    """Return the files that agents are read from."""
    from wizard_env.agents.network import find_agent
    from wizard_env.loading import place_of

    return tuple(find_agent(path) for path in map(place_of, agents) if path is not None)


def provenance(agents: Mapping[str, str]) -> dict[str, Any]:
    """Return the provenance of results: the software, the command, and the agents' fingerprints."""
    from wizard_env.evaluation.provenance import describe_software

    return describe_software() | {"command": _command(), "agents": dict(agents)}


def get_origin() -> "Origin":
    """Return the command that is running, today's date in UTC, and the software."""
    from wizard_env.evaluation.provenance import describe_software
    from wizard_env.evaluation.report.html import Origin

    return Origin(_command(), datetime.now(UTC).date().isoformat(), describe_software())


def _command() -> str:
    return shlex.join(["wizard", *sys.argv[1:]])


def _write(path: Path, content: bytes | str) -> None:
    """Write bytes, or text in UTF-8, in which bytes of a path that are no text are spelled out."""
    found = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    write_output(path, lambda temporary: temporary.write_bytes(found))
