"""The curves of a run: a CSV file with a line for each iteration, which a resumed run goes on with."""

import csv
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.logger import KVWriter, Logger

from wizard_env.records.files import write_atomically

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


class Tally:
    """Counts the rounds of the seats that learn, and tells of them once an iteration."""

    def __init__(self, total: int) -> None:
        """total: how many decisions the run is to learn from."""
        self._total = total
        self._began = time.monotonic()
        self._forget()

    def _forget(self) -> None:
        self._rounds = self._met = self._points = 0

    def add(self, points: NDArray[np.int16], learns: NDArray[np.bool_]) -> None:
        """Count the rounds that a step has ended. Both [games, seats]: points scored, and who learns."""
        ended = points[learns & (points != 0)]
        self._rounds += ended.size
        self._met += int((ended > 0).sum())
        self._points += int(ended.sum())

    def tell(self, decisions: int, logger: Logger) -> Progress:
        """Log what was counted since the last call, after so many decisions of the run."""
        rounds = max(self._rounds, 1)
        progress = Progress(
            decisions=decisions,
            total=self._total,
            bid_accuracy=self._met / rounds,
            points=self._points / rounds,
            seconds=time.monotonic() - self._began,
        )
        logger.record("selfplay/bid_accuracy", progress.bid_accuracy)
        logger.record("selfplay/points_per_round", progress.points)
        self._forget()
        return progress


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
