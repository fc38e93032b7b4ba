"""The loop of a learner of our own: iterate, log, and write checkpoints on the way."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from stable_baselines3.common.logger import Logger

from wizard_env.train.selfplay.progress import DECISIONS, Progress, Tally


class IterativeLearner(ABC):
    """A learner that learns a piece at a time.

    decisions: how many it has learned from.
    tally: counts the rounds of the seats that learn.
    """

    def __init__(self, decisions: int, checkpoint_seconds: float) -> None:
        """decisions: to learn from. checkpoint_seconds: between checkpoints."""
        self.decisions = 0
        self.tally = Tally(decisions)
        self._until = decisions
        self._checkpoint_seconds = checkpoint_seconds

    @abstractmethod
    def iterate(self) -> dict[str, float]:
        """Play and learn; returns what is worth a curve, by the names that it is logged under."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent; each file is replaced at once or not at all."""

    def learn(self, folder: Path, logger: Logger, report: Callable[[Progress], None] | None) -> None:
        """Iterate until enough decisions are learned from; the last checkpoint is the result."""
        saved = time.monotonic()
        while self.decisions < self._until:
            if time.monotonic() - saved >= self._checkpoint_seconds:
                self.save(folder)
                saved = time.monotonic()
            measures = self.iterate()
            progress = self.tally.tell(self.decisions, logger)
            for name, value in measures.items():
                logger.record(name, value)
            logger.record(DECISIONS, self.decisions)
            logger.dump(self.decisions)
            if report is not None:
                report(progress)
        self.save(folder)
