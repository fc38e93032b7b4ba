"""The loop of the learners written here: iterate, write the curves, and save checkpoints on the way."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from wizard_env.checks import check_integer
from wizard_env.train.config.run import Config
from wizard_env.train.networks.layers import MAX_GRADIENT_NORM, as_stored, check_finite
from wizard_env.train.selfplay.checkpoints import Tensors, moments, set_moments
from wizard_env.train.selfplay.curves import DECISIONS, Curves
from wizard_env.train.selfplay.progress import Report, StopLearning, Tally
from wizard_env.train.selfplay.workers import ALONE, Peers

_MAX_DECISIONS = 2**63


class IterativeLearner(ABC):
    """A learner that learns one iteration at a time; its checkpoints hold networks and their optimiser.

    decisions: the number that it has learned from.
    tally: counts the rounds of the seats that learn.
    parameters: of all networks, as they are stored: Adam copies matrices that are not contiguous.
    """

    def __init__(
        self,
        config: Config,
        networks: Mapping[str, torch.nn.Module],
        epsilon: float,
        peers: Peers = ALONE,
    ) -> None:
        """networks: by their names in checkpoints. epsilon: of Adam. peers: who learns together."""
        self.decisions = 0
        self.peers = peers
        self.tally = Tally(config.learning.decisions, peers)
        self._config = config
        self._networks = networks
        self._of_networks = [
            [torch.nn.Parameter(as_stored(values.detach())) for values in network.parameters()]
            for network in networks.values()
        ]
        self.parameters = [values for each in self._of_networks for values in each]
        self._optimizer = torch.optim.Adam(self.parameters, eps=epsilon, fused=True)

    @abstractmethod
    def iterate(self) -> dict[str, float]:
        """Play and learn; returns the metrics to log, by name."""

    def save_past_self(self, folder: Path) -> None:  # noqa: B027 - most learners keep none
        """Write the agent as a past self after an iteration, if one is due."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent."""

    def learn(self, folder: Path, curves: Curves | None, report: Report) -> None:
        """Iterate until enough decisions are learned from; the last checkpoint is the result.

        All workers save and stop after the same iteration: one that went on alone would wait for the others.
        Raises StopLearning if the `report` of any worker does, after a checkpoint.
        """
        learning, saved = self._config.learning, time.monotonic()
        while self.decisions < learning.decisions:
            if self.peers.any(time.monotonic() - saved >= learning.checkpoint_seconds):
                self.save(folder)
                saved = time.monotonic()
            metrics = self.iterate()
            self.save_past_self(folder)
            progress = self.tally.progress(self.decisions)
            if curves is not None:
                curves.add(progress.metrics() | metrics | {DECISIONS: self.decisions}, self.decisions)
            stop = False
            if report is not None:
                try:
                    report(progress)
                except StopLearning:
                    stop = True
            if self.peers.any(stop):
                self.save(folder)
                raise StopLearning
        self.save(folder)

    def _take_step(self, rate: float) -> None:
        """Take a step along the networks' gradients, averaged over the workers. rate: the learning rate."""
        for network, parameters in zip(self._networks.values(), self._of_networks, strict=True):
            for own, stored in zip(network.parameters(), parameters, strict=True):
                assert own.grad is not None
                stored.grad, own.grad = as_stored(own.grad), None
        self.peers.average_gradients(self.parameters)
        for parameters in self._of_networks:
            torch.nn.utils.clip_grad_norm_(parameters, MAX_GRADIENT_NORM)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()

    def _checkpoint(self) -> tuple[dict[str, Tensors], dict[str, Any]]:
        """Return the parts and the plain values of a checkpoint."""
        parts = {name: network.state_dict() for name, network in self._networks.items()}
        parts["optimizer"] = moments(self._optimizer)
        return parts, {"decisions": self.decisions}

    def _restore_networks(self, parts: dict[str, Tensors], plain: dict[str, Any]) -> None:
        self.decisions = check_integer("decisions", plain["decisions"], 0, _MAX_DECISIONS)
        for name, network in self._networks.items():
            network.load_state_dict(parts[name])
            check_finite(network.parameters(), self.decisions)
        if self.decisions:
            set_moments(self._optimizer, parts.get("optimizer", {}))
