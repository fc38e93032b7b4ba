"""Where the command line leaves what it has found: JSON, a page, pictures, records."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard_env.records.files import check_folder, write_atomically
from wizard_env.records.game_record import write_records
from wizard_env.records.transcript import Transcript

if TYPE_CHECKING:
    from wizard_env.train.analysis import Analysis
    from wizard_env.train.arena.league import League
    from wizard_env.train.evaluate import Evaluation
    from wizard_env.train.exploit import Exploit

STDOUT = Path("-")


@dataclass(frozen=True)
class Outputs:
    """What is to be written, each None if it is not; checked before anything is played.

    Raises:
        FileNotFoundError: the folder of a file is missing; it may be misspelled.
        ModuleNotFoundError: a page or pictures are asked for, and matplotlib is not installed.
    """

    json: Path | None = None
    """JSON; `-` prints it."""
    report: Path | None = None
    """An HTML page."""
    plots: Path | None = None
    """A folder of PNG files."""
    records: Path | None = None
    """Records of some of the games."""

    def __post_init__(self) -> None:
        for path in (self.json, self.report, self.plots, self.records):
            if path and path != STDOUT:
                check_folder(path)
        if (self.report or self.plots) and not find_spec("matplotlib"):
            raise ModuleNotFoundError("plots need the module 'matplotlib': pip install 'wizard-env[report]'")

    @property
    def prints_json(self) -> bool:
        return self.json == STDOUT

    def write_evaluations(self, evaluations: "Sequence[Evaluation]", title: str) -> None:
        """Write evaluations of the same agents, one for each table size."""
        if self.records:
            write_records(self.records, [game for found in evaluations for game in found.records])
        self._write_json([evaluation.to_dict() for evaluation in evaluations])
        if self.report or self.plots:
            from wizard_env.play.report.html import evaluation_page
            from wizard_env.play.report.plots import evaluation_plots, png

            pictures = {name: png(figure) for name, figure in evaluation_plots(evaluations).items()}
            self._write_pictures(pictures)
            self._write_page(evaluation_page(evaluations, pictures, title))

    def write_league(self, league: "League", title: str) -> None:
        """Write how the agents of a league stand."""
        if self.records:
            write_records(self.records, league.records)
        self._write_json(league.to_dict())
        if self.report or self.plots:
            from wizard_env.play.report.html import league_page
            from wizard_env.play.report.plots import league_plots, png

            pictures = {name: png(figure) for name, figure in league_plots(league).items()}
            self._write_pictures(pictures)
            self._write_page(league_page(league, pictures, title))

    def write_exploit(self, exploit: "Exploit") -> None:
        """Write what a learned response gains."""
        self._write_json(asdict(exploit))

    def write_analyses(self, analyses: "Sequence[Analysis]") -> None:
        """Write what was thought of some games."""
        self._write_json([analysis.to_dict() for analysis in analyses])

    def write_transcripts(self, transcripts: Sequence[Transcript]) -> None:
        """Write some games, told trick by trick."""
        self._write_json([transcript.to_dict() for transcript in transcripts])

    def _write_json(self, found: Any) -> None:
        if not self.json:
            return
        text = json.dumps(found, indent=2) + "\n"
        if self.prints_json:
            sys.stdout.write(text)
        else:
            write_atomically(self.json, lambda path: path.write_text(text, encoding="utf-8"))

    def _write_page(self, text: str) -> None:
        if self.report:
            write_atomically(self.report, lambda path: path.write_text(text, encoding="utf-8"))

    def _write_pictures(self, pictures: dict[str, bytes]) -> None:
        if self.plots:
            for name, picture in pictures.items():
                write_atomically(self.plots / f"{name}.png", _writer(picture))


def _writer(picture: bytes) -> Callable[[Path], int]:
    return lambda path: path.write_bytes(picture)
