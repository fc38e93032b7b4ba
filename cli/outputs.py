"""The files that commands write: JSON, HTML reports, plots and game records."""

import json
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard_env.extras import missing_module

if TYPE_CHECKING:
    from wizard_env.evaluation.analysis import Analysis
    from wizard_env.evaluation.evaluate import Evaluation
    from wizard_env.evaluation.exploitability import Exploit
    from wizard_env.evaluation.league import League
    from wizard_env.evaluation.report.html import Origin
    from wizard_env.evaluation.scorecard.card import Card
    from wizard_env.records.transcripts import Transcript

STDOUT = Path("-")


@dataclass(frozen=True)
class Outputs:
    """The paths to write to, each None if not wanted. They are checked before anything is played.

    Raises:
        OSError: a file cannot be written, as if its folder does not exist.
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
        from wizard_env.files.writing import check_distinct, check_file, check_folder, check_is_folder

        files = [path for path in (self.json, self.report, self.records) if path and path != STDOUT]
        for number, path in enumerate(files):
            check_file(path)
            check_distinct(path, (*self.inputs, *files[:number]))
        if self.plots:
            check_folder(self.plots)
            check_is_folder(self.plots)
        if (self.report or self.plots) and not find_spec("matplotlib"):
            raise missing_module("matplotlib")

    @property
    def prints_json(self) -> bool:
        return self.json == STDOUT

    def write_evaluations(self, evaluations: "Sequence[Evaluation]", title: str) -> None:
        """Write evaluations of the same agents, one per number of players."""
        from wizard_env.records.game_records import write_records

        if self.records:
            write_records(self.records, [game for found in evaluations for game in found.records])
        self._write_json([evaluation.to_dict() for evaluation in evaluations])
        if self.report or self.plots:
            from wizard_env.evaluation.report.html import evaluation_page
            from wizard_env.evaluation.report.plots import evaluation_plots, png

            plots = {name: png(figure) for name, figure in evaluation_plots(evaluations).items()}
            self._write_plots(plots)
            self._write_report(evaluation_page(evaluations, plots, title, _origin()))

    def write_league(self, league: "League", title: str) -> None:
        """Write the standings of a league."""
        from wizard_env.records.game_records import write_records

        if self.records:
            write_records(self.records, league.records)
        self._write_json(league.to_dict())
        if self.report or self.plots:
            from wizard_env.evaluation.report.html import league_page
            from wizard_env.evaluation.report.plots import league_plots, png

            plots = {name: png(figure) for name, figure in league_plots(league).items()}
            self._write_plots(plots)
            self._write_report(league_page(league, plots, title, _origin()))

    def write_exploit(self, exploit: "Exploit") -> None:
        """Write the gain of a learned response."""
        self._write_json(asdict(exploit))

    def write_scorecard(self, card: "Card") -> None:
        """Write a score card, with its plot in the page."""
        self._write_json(card.to_dict())
        if self.report:
            from wizard_env.evaluation.report.html import scorecard_page

            self._write_report(scorecard_page(card, _origin()))

    def write_analyses(self, analyses: "Sequence[Analysis]") -> None:
        """Write the analyses of games."""
        self._write_json([analysis.to_dict() for analysis in analyses])

    def write_transcripts(self, transcripts: "Sequence[Transcript]") -> None:
        """Write games with every trick spelled out."""
        self._write_json([transcript.to_dict() for transcript in transcripts])

    def _write_json(self, found: Any) -> None:
        if not self.json:
            return
        text = json.dumps(found, indent=2) + "\n"
        if self.prints_json:
            sys.stdout.write(text)
        else:
            _write(self.json, text.encode())

    def _write_report(self, text: str) -> None:
        if self.report:
            _write(self.report, text.encode())

    def _write_plots(self, plots: dict[str, bytes]) -> None:
        if self.plots:
            for name, content in plots.items():
                _write(self.plots / f"{name}.png", content)


def files_of(agents: Iterable[str]) -> tuple[Path, ...]:
    """The files that agents are read from."""
    from wizard_env.agents.network import find_agent
    from wizard_env.loading import place_of

    return tuple(find_agent(place) for place in map(place_of, agents) if place is not None)


def _origin() -> "Origin":
    """The command that runs now, today's date (UTC), and the version of the project."""
    from wizard_env.evaluation.report.html import Origin

    command = shlex.join(["wizard", *sys.argv[1:]])
    return Origin(command, datetime.now(UTC).date().isoformat(), version("wizard-env"))


def _write(path: Path, content: bytes) -> None:
    from wizard_env.files.writing import write_atomically

    write_atomically(path, lambda place: place.write_bytes(content))
