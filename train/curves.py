"""The curves of a run: a CSV file with a line for each iteration, which a resumed run goes on with."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from wizard_env.files import write_atomically

CURVES = "progress.csv"
DECISIONS = "time/total_timesteps"


@dataclass(frozen=True)
class Progress:
    """How a run stands after an iteration."""

    decisions: int
    total: int
    bid_accuracy: float
    """Share of bids met by the seats that learn, in the games of the iteration."""
    points: float
    """Mean points of a seat per round."""
    seconds: float


class CurveWriter(KVWriter):
    """Appends what is logged; stable-baselines3's own writer begins the file anew."""

    def __init__(self, path: Path, decisions: int) -> None:
        """Go on with a file, without the lines beyond the `decisions` that the run resumes from."""
        self._path = path
        self._lines: list[dict[str, Any]] = []
        if decisions and path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                self._lines = [line for line in csv.DictReader(file) if int(line[DECISIONS]) <= decisions]

    def write(self, key_values: dict[str, Any], key_excluded: Any, step: int = 0) -> None:
        self._lines.append(dict(key_values))
        write_atomically(self._path, self._write)

    def _write(self, path: Path) -> None:
        names = sorted({name for line in self._lines for name in line})
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(self._lines)

    def close(self) -> None:
        """Nothing is open between writes."""
