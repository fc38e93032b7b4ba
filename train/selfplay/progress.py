"""The progress of a run: the rounds of the seats that learn, counted over an iteration."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env.train.selfplay.workers import ALONE, Peers

SELF_PLAY = "selfplay/"
"""The beginning of the names of metrics that are measured in self-play."""
BID_ACCURACY = f"{SELF_PLAY}bid_accuracy"
POINTS = f"{SELF_PLAY}points_per_round"


class StopLearning(Exception):  # noqa: N818 - no error
    """Raised by a run's `report` to end the run; a checkpoint is written first."""


@dataclass(frozen=True)
class Progress:
    """The progress of a run after an iteration."""

    decisions: int
    """Learned from so far."""
    total: int
    """To learn from in the whole run."""
    bid_accuracy: float
    """Share of bids met by the seats that learn, in the games of the iteration."""
    points: float
    """Their mean points per round."""
    seconds: float
    """Since the run was started or resumed."""

    def metrics(self) -> dict[str, float]:
        return {BID_ACCURACY: self.bid_accuracy, POINTS: self.points}


Report: TypeAlias = Callable[[Progress], None] | None
"""A function that is called after every iteration, or None; it may raise StopLearning."""


class Tally:
    """Counts the rounds of the seats that learn, iteration by iteration."""

    def __init__(self, total: int, peers: Peers = ALONE) -> None:
        """total: decisions to learn from in the whole run. peers: the workers whose rounds are counted."""
        self._total = total
        self._peers = peers
        self._start = time.monotonic()
        self._counts = np.zeros(3)

    def add(self, points: NDArray[np.int16]) -> None:
        """Count finished rounds. points: int16 [k], one seat's points for one round each."""
        self._counts += points.size, (points > 0).sum(), points.sum()

    def progress(self, decisions: int) -> Progress:
        """Sum up the iteration and start counting the next one. decisions: learned from so far."""
        rounds, met, points = self._peers.sum(self._counts).tolist()
        self._counts = np.zeros(3)
        return Progress(
            decisions=decisions,
            total=self._total,
            bid_accuracy=met / max(rounds, 1),
            points=points / max(rounds, 1),
            seconds=time.monotonic() - self._start,
        )
