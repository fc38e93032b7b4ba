"""The loop of the learners written here: iterate, write the curves, and save checkpoints on the way."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

import numpy as np

from wizard_env.train.config.run import Config
from wizard_env.train.parallel.peers import Peers
from wizard_env.train.selfplay.checkpoints import restoring
from wizard_env.train.selfplay.curves import DECISIONS, Curves
from wizard_env.train.selfplay.games import deal_games
from wizard_env.train.selfplay.progress import Progress, StopLearning, Tally


class IterativeLearner(ABC):
    """A learner that learns one iteration at a time.

    decisions: how many it has learned from.
    tally: counts the rounds of the seats that learn.
    """

    def __init__(self, decisions: int, checkpoint_seconds: float, peers: Peers | None = None) -> None:
        """Begin at no decisions.

        Args:
            decisions: how many to learn from.
            checkpoint_seconds: the time between checkpoints.
            peers: the workers that learn together; by default this process is alone.
        """
        self.decisions = 0
        self.peers = peers or Peers()
        self.tally = Tally(decisions, self.peers)
        self._until = decisions
        self._checkpoint_seconds = checkpoint_seconds

    @abstractmethod
    def iterate(self) -> dict[str, float]:
        """Play and learn; returns the metrics to log, by name."""

    def keep_past(self, folder: Path) -> None:  # noqa: B027 - most learners keep none
        """After an iteration: write the agent as a past self, if one is due."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent; each file is replaced atomically."""

    def learn(self, folder: Path, curves: Curves, report: Callable[[Progress], None] | None) -> None:
        """Iterate until enough decisions are learned from; the last checkpoint is the result.

        Raises StopLearning if `report` does, after a checkpoint.
        """
        saved = time.monotonic()
        while self.decisions < self._until:
            due = time.monotonic() - saved >= self._checkpoint_seconds
            if self.peers.sum(np.array([float(due)]))[0]:  # by the clock of any worker
                self.save(folder)
                saved = time.monotonic()
            metrics = self.iterate()
            self.keep_past(folder)
            progress = self.tally.progress(self.decisions)
            curves.add(progress.metrics() | metrics | {DECISIONS: self.decisions}, self.decisions)
            if report is not None:
                try:
                    report(progress)
                except StopLearning:
                    self.save(folder)
                    raise
        self.save(folder)


class NewDealsLearner(IterativeLearner):
    """A learner whose runs resume with new deals."""

    def _begin(self, config: Config, checkpoint: Path | None) -> None:
        """Restore the checkpoint, if there is one, and deal games as the config says."""
        if checkpoint is not None:
            with restoring(checkpoint):
                self._restore(checkpoint)
        seed = config.seed + self.decisions  # other deals than those that the run began with
        self._rng = np.random.default_rng(seed)
        self._self_play = deal_games(config, seed)

    @abstractmethod
    def _restore(self, checkpoint: Path) -> None:
        """Take over the networks, the optimiser and the number of decisions of a checkpoint."""
