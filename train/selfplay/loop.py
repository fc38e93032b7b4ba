"""The loop of the learners written here: iterate, write the curves, and save checkpoints on the way."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.checks import check_integer
from wizard_env.files import write_atomically
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.config.run import Config
from wizard_env.train.networks.layers import check_finite
from wizard_env.train.parallel.devices import with_precision
from wizard_env.train.parallel.peers import ALONE, Peers
from wizard_env.train.selfplay.checkpoints import (
    CHECKPOINT,
    Tensors,
    moments,
    read_checkpoint,
    restoring,
    set_moments,
    write_checkpoint,
)
from wizard_env.train.selfplay.curves import DECISIONS, Curves
from wizard_env.train.selfplay.games import deal_games
from wizard_env.train.selfplay.progress import Report, StopLearning, Tally

_MAX_DECISIONS = 2**63


class IterativeLearner(ABC):
    """A learner that learns one iteration at a time.

    decisions: the number that it has learned from.
    tally: counts the rounds of the seats that learn.
    """

    def __init__(self, decisions: int, checkpoint_seconds: float, peers: Peers = ALONE) -> None:
        """decisions: to learn from. peers: the workers that learn together."""
        self.decisions = 0
        self.peers = peers
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
        """Write a checkpoint and the agent."""

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


class NetworkLearner(IterativeLearner):
    """A learner whose checkpoints hold networks and their optimiser."""

    def __init__(
        self,
        config: Config,
        networks: Mapping[str, torch.nn.Module],
        optimizer: torch.optim.Optimizer,
        peers: Peers = ALONE,
    ) -> None:
        """networks: by their names in checkpoints."""
        super().__init__(config.learning.decisions, config.learning.checkpoint_seconds, peers)
        self._precision = config.learning.precision
        self._networks = networks
        self._optimizer = optimizer

    def _checkpoint(self) -> tuple[dict[str, Tensors], dict[str, Any]]:
        """Return the parts and the plain values of a checkpoint."""
        parts = {name: network.state_dict() for name, network in self._networks.items()}
        parts["optimizer"] = moments(self._optimizer)
        return parts, {"decisions": self.decisions, "precision": self._precision}

    def _restore_networks(self, parts: dict[str, Tensors], plain: dict[str, Any]) -> None:
        self.decisions = check_integer("decisions", plain["decisions"], 0, _MAX_DECISIONS)
        for name, network in self._networks.items():
            network.load_state_dict(parts[name])
            check_finite(network.parameters(), self.decisions)
        set_moments(self._optimizer, parts.get("optimizer", {}))


class NewDealsLearner(NetworkLearner):
    """A learner whose runs resume with new deals.

    self_play: the games that it learns from.
    """

    def __init__(
        self, config: Config, device: str, networks: Mapping[str, torch.nn.Module], checkpoint: Path | None
    ) -> None:
        """Restore the checkpoint, if there is one, and deal games.

        networks: by their names in checkpoints; the first one learns.
        """
        config = with_precision(config, device)
        learner, *_ = networks.values()
        optimizer = torch.optim.Adam(learner.parameters(), config.learning.learning_rate, fused=True)
        super().__init__(config, networks, optimizer)
        if checkpoint is not None:
            with restoring(checkpoint):
                self._restore_networks(*read_checkpoint(checkpoint))
        seed = config.seed + self.decisions  # other deals than those that the run started with
        self._rng = np.random.default_rng(seed)
        self.self_play = deal_games(config, seed, kinds=self._kinds())

    def _kinds(self) -> Kinds | None:
        """Return the kinds of players that seats are compared with, for a network that reads beliefs."""
        return None

    @abstractmethod
    def _agent_weights(self) -> dict[str, torch.Tensor]:
        """Return the weights of the agent, as `wizard_env.agents.network.save_agent` takes them."""

    def save(self, folder: Path) -> None:
        agent, beliefs = self._agent_weights(), self.self_play.observation_size - OBS_SIZE
        write_atomically(folder / FILE_NAME, lambda path: save_agent(agent, path, beliefs=beliefs))
        write_checkpoint(folder / CHECKPOINT, *self._checkpoint())
