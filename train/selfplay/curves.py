"""The curves of a run: its metrics by iteration, in a CSV file and for TensorBoard."""

import csv
import io
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wizard_env.checks import quoted, shortened
from wizard_env.extras import extra
from wizard_env.files import check_kept, write_atomically

with extra("train"):
    from torch.utils.tensorboard import SummaryWriter

CURVES = "progress.csv"
DECISIONS = "time/total_timesteps"
"""The metric that counts the decisions that a run has learned from."""
_MAX_BYTES = 1 << 27
"""The largest CSV file that is read; runs of ten thousand iterations write a hundredth of it."""


class Curves:
    """Writes the metrics of every iteration; a resumed run continues its curves."""

    def __init__(self, folder: Path, decisions: int) -> None:
        """Open the curves in a run's folder; drop points beyond the `decisions` that the run resumes from.

        Raises ValueError if the CSV file is damaged.
        """
        self._path = folder / CURVES
        self._lines: list[Mapping[str, str | float]] = []
        if decisions and self._path.exists():
            self._lines += [line for line in read_curves(self._path) if int(line[DECISIONS]) <= decisions]
        self._format_lines()
        self._tensorboard = SummaryWriter(str(folder), purge_step=decisions + 1)

    def _format_lines(self) -> None:
        names = sorted({name for line in self._lines for name in line})
        self._text = io.StringIO(newline="")
        self._writer = csv.DictWriter(self._text, names)
        self._writer.writeheader()
        self._writer.writerows(self._lines)

    def add(self, metrics: Mapping[str, float], decisions: int, csv_only: Collection[str] = ()) -> None:
        """Write the metrics of an iteration.

        metrics: by name, DECISIONS among them.
        csv_only: the names that TensorBoard does not show.
        """
        self._lines.append(dict(metrics))
        if metrics.keys() <= set(self._writer.fieldnames):
            self._writer.writerow(metrics)
        else:
            self._format_lines()
        write_atomically(self._path, lambda path: path.write_bytes(self._text.getvalue().encode()))
        for name in sorted(metrics.keys() - set(csv_only)):
            self._tensorboard.add_scalar(name, metrics[name], decisions)
        self._tensorboard.flush()

    def close(self) -> None:
        self._tensorboard.close()


def read_curves(path: Path) -> list[dict[str, str]]:
    """Read a CSV file of curves, whose values are numbers or empty. Raises ValueError if it is damaged."""
    check_kept(path, _MAX_BYTES)
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            if DECISIONS not in (reader.fieldnames or ()):
                raise ValueError(f"it has no column {DECISIONS}")
            lines = list(reader)
            if any(None in line or None in line.values() for line in lines):
                raise ValueError("its lines are not equally long")
            for line in lines:
                int(line[DECISIONS])
                for value in filter(None, line.values()):
                    float(value)
        except (ValueError, csv.Error) as error:
            reason = shortened(error)
            raise ValueError(f"{path}, line {reader.line_num}: not the curves of a run: {reason}") from None
    return lines


def read_metric(path: Path, metric: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read one metric of a CSV file of curves: its decisions and its values, each float64 [points].

    Raises ValueError if the file is damaged or has no such metric.
    """
    lines = [line for line in read_curves(path) if line.get(metric)]
    if not lines:
        known = sorted({name for line in read_curves(path) for name in line})
        raise ValueError(f"{path} has no metric {quoted(metric)}; there are {', '.join(known)}")
    points = np.array([[float(line[DECISIONS]), float(line[metric])] for line in lines])
    return points[:, 0], points[:, 1]
