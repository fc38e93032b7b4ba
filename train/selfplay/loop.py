"""The loop of the learners written here: iterate, write the curves, and save checkpoints on the way."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.checks import check_integer
from wizard_env.files.writing import write_atomically
from wizard_env.train.config.run import Config
from wizard_env.train.networks.layers import check_finite
from wizard_env.train.parallel.peers import Peers
from wizard_env.train.selfplay.checkpoints import (
    CHECKPOINT,
    moments,
    read_checkpoint,
    restoring,
    set_moments,
    write_checkpoint,
)
from wizard_env.train.selfplay.curves import DECISIONS, Curves
from wizard_env.train.selfplay.games import SelfPlayGames, deal_games
from wizard_env.train.selfplay.progress import Report, StopLearning, Tally

MAX_DECISIONS = 2**63


class IterativeLearner(ABC):
    """A learner that learns one iteration at a time.

    decisions: how many it has learned from.
    tally: counts the rounds of the seats that learn.
    """

    def __init__(self, decisions: int, checkpoint_seconds: float, peers: Peers | None = None) -> None:
        """Start at no decisions.

        Args:
            decisions: how many to learn from.
            checkpoint_seconds: the time between checkpoints.
            peers: the workers that learn together; by default this process is alone.
        """
        self.decisions = 0
        self.peers = peers or Peers()
        self.tally = Tally(decisions, self.peers)
        self._total = decisions
        self._checkpoint_seconds = checkpoint_seconds

    @abstractmethod
    def iterate(self) -> dict[str, float]:
        """Play and learn; returns the metrics to log, by name."""

    def save_past_self(self, folder: Path) -> None:  # noqa: B027 - most learners keep none
        """Write the agent as a past self after an iteration, if one is due."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent; each file is replaced atomically."""

    def learn(self, folder: Path, curves: Curves, report: Report) -> None:
        """Iterate until enough decisions are learned from; the last checkpoint is the result.

        Raises StopLearning if `report` does, after a checkpoint.
        """
        saved = time.monotonic()
        while self.decisions < self._total:
            due = time.monotonic() - saved >= self._checkpoint_seconds
            if self.peers.sum(np.array([float(due)]))[0]:  # by the clock of any worker
                self.save(folder)
                saved = time.monotonic()
            metrics = self.iterate()
            self.save_past_self(folder)
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
    """A learner whose checkpoints hold networks and their optimiser; its runs resume with new deals.

    self_play: the games that it learns from.
    """

    _rng: np.random.Generator
    self_play: SelfPlayGames

    def __init__(
        self, config: Config, precision: str, networks: Mapping[str, torch.nn.Module], learning_rate: float
    ) -> None:
        """Start at no decisions.

        Args:
            config: the run.
            precision: of the networks, noted in checkpoints.
            networks: by their names in checkpoints; the first one learns.
            learning_rate: of the optimiser.
        """
        super().__init__(config.learning.decisions, config.learning.checkpoint_seconds)
        self._config = config
        self._precision = precision
        self._networks = networks
        learning, *_ = networks.values()
        self._optimizer = torch.optim.Adam(learning.parameters(), learning_rate, fused=True)

    @abstractmethod
    def _agent_weights(self) -> dict[str, torch.Tensor]:
        """Return the weights of the agent, as `wizard_env.agents.network.save_agent` takes them."""

    def save(self, folder: Path) -> None:
        agent = self._agent_weights()
        write_atomically(folder / FILE_NAME, lambda path: save_agent(agent, path))
        parts = {name: network.state_dict() for name, network in self._networks.items()}
        plain = {"decisions": self.decisions, "precision": self._precision}
        parts["optimizer"] = moments(self._optimizer)
        write_checkpoint(folder / CHECKPOINT, parts, plain)

    def _start(self, checkpoint: Path | None) -> None:
        """Restore the checkpoint, if there is one, and deal games as the config says."""
        if checkpoint is not None:
            with restoring(checkpoint):
                self._restore(checkpoint)
        seed = self._config.seed + self.decisions  # other deals than those that the run started with
        self._rng = np.random.default_rng(seed)
        self.self_play = deal_games(self._config, seed)

    def _restore(self, checkpoint: Path) -> None:
        parts, plain = read_checkpoint(checkpoint)
        self.decisions = check_integer("decisions", plain["decisions"], 0, MAX_DECISIONS)
        for name, network in self._networks.items():
            network.load_state_dict(parts[name])
            check_finite(network.parameters(), self.decisions)
        set_moments(self._optimizer, parts.get("optimizer", {}))
