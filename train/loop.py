"""The loop of a learner of our own: iterate, log, and write checkpoints on the way."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from stable_baselines3.common.logger import Logger

from train.curves import DECISIONS, Progress, Tally


class Iterative(Protocol):
    """A learner that learns a piece at a time."""

    @property
    def decisions(self) -> int:
        """How many it has learned from."""
        ...

    def iterate(self) -> dict[str, float]:
        """Play and learn; returns what is worth a curve, by the names that it is logged under."""
        ...

    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent."""
        ...


def learn_until(
    decisions: int,
    learner: Iterative,
    tally: Tally,
    folder: Path,
    logger: Logger,
    report: Callable[[Progress], None] | None,
    checkpoint_seconds: float,
) -> None:
    """Iterate until enough decisions are learned from; the last checkpoint is the result."""
    saved = time.monotonic()
    while learner.decisions < decisions:
        if time.monotonic() - saved >= checkpoint_seconds:
            learner.save(folder)
            saved = time.monotonic()
        measures = learner.iterate()
        progress = tally.tell(learner.decisions, logger)
        for name, value in measures.items():
            logger.record(name, value)
        logger.record(DECISIONS, learner.decisions)
        logger.dump(learner.decisions)
        if report is not None:
            report(progress)
    learner.save(folder)
