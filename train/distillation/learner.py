"""The learner "distillation": one network that answers like several, each where it is the expert.

A small network may come to answer like a large one (Hinton et al. 2015), or one network like several experts
(Rusu et al. 2016, "Policy Distillation"). It is not told who else sits at the table: where it cannot tell, it
learns the mean of what the experts would do. It learns their probabilities and values in positions that
either side leads to, so that it also learns what to do after a mistake of its own (Ross et al. 2011).
"""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME, NetworkAgent, find_agent, read_agent, save_agent
from wizard_env.checks import check_integer
from wizard_env.files.writing import write_atomically
from wizard_env.sampling import best_legal
from wizard_env.train.config.distillation import DistillationConfig
from wizard_env.train.config.run import Config
from wizard_env.train.networks.policy_value import (
    MAX_GRADIENT_NORM,
    PolicyValueNetwork,
    autocast,
    check_finite,
)
from wizard_env.train.parallel.devices import with_precision
from wizard_env.train.parallel.threads import TorchPace
from wizard_env.train.selfplay.checkpoints import (
    CHECKPOINT,
    moments,
    read_checkpoint,
    set_moments,
    write_checkpoint,
)
from wizard_env.train.selfplay.games import NO_PARTNER, REWARD_SCALES
from wizard_env.train.selfplay.loop import NewDealsLearner

VALUE_UNIT = 1 / REWARD_SCALES["points"]
"""The points that a value of 1 stands for."""
VALUE_WEIGHT = 0.05
"""Of the squared error of the value, beside the divergence in nats."""


class Learner(NewDealsLearner):
    """A network, its optimiser, its teachers, and the games that it learns from.

    network: policy and value.
    """

    def __init__(self, config: Config, device: str, checkpoint: Path | None) -> None:
        """Begin, or resume from a checkpoint with new deals.

        Raises:
            FileNotFoundError: there is no such teacher.
            ValueError: a teacher has no value, or is not a network that reads observations; or `start` has
                larger layers.
        """
        config = with_precision(config, device)
        learning = config.learning
        assert isinstance(learning, DistillationConfig)
        super().__init__(learning.decisions, learning.checkpoint_seconds)
        self._learning = learning
        self._device = torch.device(device)
        self._descending = TorchPace()
        self.network = PolicyValueNetwork(learning.layers, config.seed).to(self._device)
        if learning.start:
            self.network.begin_as(read_agent(find_agent(Path(learning.start))), VALUE_UNIT)
        self._optimizer = torch.optim.Adam(self.network.parameters(), learning.learning_rate, fused=True)
        self._begin(config, checkpoint)
        self._guided = self._rng.random(learning.num_games) < learning.guided
        self._teachers = [
            (_teacher(name, learning.precision).to(self._device), rows)
            for name, rows in zip(learning.teachers, self._rows_of_teachers(), strict=True)
        ]

    def _rows_of_teachers(self) -> list[NDArray[np.int64]]:
        """For each teacher, the games where it is the expert."""
        partners = self._learning.teachers.values()
        owner = np.repeat(np.arange(len(partners)), [len(each) for each in partners])
        alike = [number for number, each in enumerate(partners) if not each]
        experts = np.array([*owner, *alike[:1]])  # NO_PARTNER, which is -1, takes the last
        assert NO_PARTNER == -1
        expert = experts[self._self_play.partner]
        return [(expert == number).nonzero()[0] for number in range(len(partners))]

    def iterate(self) -> dict[str, float]:
        """Play and learn by turns; returns the metrics to log, by name."""
        learning = self._learning
        sums = np.zeros(3)
        for _ in range(learning.decisions_per_game):
            rate = learning.learning_rate * max(1 - self.decisions / learning.decisions, 0.0)
            for group in self._optimizer.param_groups:
                group["lr"] = rate
            sums += self._step()
            self.decisions += learning.num_games
        check_finite(self.network.parameters(), self.decisions)
        names = ("divergence", "value_loss", "agreement")
        means = sums / (learning.decisions_per_game * learning.num_games)
        return {f"train/{name}": value for name, value in zip(names, means.tolist(), strict=True)}

    def _step(self) -> NDArray[np.float64]:
        """Learn from a decision in every game, and take it.

        Returns float64 [3], summed over the games: the divergence, the squared error of the value, and
        whether the network would do what the expert would.
        """
        games = self._self_play.games
        observation = torch.from_numpy(games.observation).to(self._device)
        wanted = self._experts(observation)
        illegal = torch.from_numpy(games.mask == 0).to(self._device)
        found, divergence, error = self._learn(observation, wanted, illegal)
        best = best_legal(wanted[:, :NUM_ACTIONS].cpu().numpy(), games.mask)
        agreement = (best == best_legal(found, games.mask)).sum()
        sampled, _ = sample_softmax(found, games.mask, self._rng)
        self._self_play.step(np.where(self._guided, best, sampled))
        self.tally.add(self._self_play.learners_points())
        return np.array([divergence, error, agreement])

    def _experts(self, observation: torch.Tensor) -> torch.Tensor:
        """float32 [n, NUM_ACTIONS + 1]: the logits of each game's expert, and its value last."""
        wanted = torch.empty(len(observation), NUM_ACTIONS + 1, device=self._device)
        with torch.inference_mode():
            for teacher, rows in self._teachers:
                if len(rows):
                    at = torch.from_numpy(rows).to(self._device)
                    wanted[at] = teacher(observation[at]).float()
        return wanted

    def _learn(
        self, observation: torch.Tensor, wanted: torch.Tensor, illegal: torch.Tensor
    ) -> tuple[NDArray[np.float32], float, float]:
        """One pass over a step of all games, in random order.

        Returns:
            float32 [n, NUM_ACTIONS], the network's logits as they were when each was learned from; the sums
            of the divergences and of the squared errors of the values.
        """
        logits = np.empty((len(wanted), NUM_ACTIONS), np.float32)
        divergence = error = 0.0
        order = self._rng.permutation(len(wanted))
        for start in range(0, len(order), self._learning.batch_size):
            self._descending.begin()
            rows = order[start : start + self._learning.batch_size]
            at = torch.from_numpy(rows).to(self._device)
            with autocast(self._device, self._learning.precision):
                outputs = self.network(observation[at])
            outputs = outputs.float()
            logits[rows] = outputs[:, :NUM_ACTIONS].detach().cpu().numpy()
            apart = divergences(wanted[at, :NUM_ACTIONS], outputs[:, :NUM_ACTIONS], illegal[at])
            errors = (outputs[:, NUM_ACTIONS] - wanted[at, NUM_ACTIONS]) ** 2
            self._optimizer.zero_grad()
            (apart.mean() + VALUE_WEIGHT * errors.mean()).backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT_NORM)
            self._optimizer.step()
            self._descending.end(len(rows))
            divergence += float(apart.detach().sum())
            error += float(errors.detach().sum())
        return logits, divergence, error

    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent; each file is replaced atomically."""
        parts = {"network": self.network.state_dict(), "optimizer": moments(self._optimizer)}
        agent = self.network.agent(VALUE_UNIT)
        write_atomically(folder / FILE_NAME, lambda path: save_agent(agent, path))
        plain = {"decisions": self.decisions, "precision": self._learning.precision}
        write_checkpoint(folder / CHECKPOINT, parts, plain)

    def _restore(self, checkpoint: Path) -> None:
        parts, plain = read_checkpoint(checkpoint)
        self.decisions = check_integer("decisions", plain["decisions"], 0, 2**63)
        self.network.load_state_dict(parts["network"])
        set_moments(self._optimizer, parts.get("optimizer", {}))
        check_finite(self.network.parameters(), self.decisions)


def divergences(wanted: torch.Tensor, found: torch.Tensor, illegal: torch.Tensor) -> torch.Tensor:
    """The Kullback-Leibler divergence of the found probabilities from the wanted ones, in nats.

    Args:
        wanted, found: float32 [n, actions], logits.
        illegal: bool [n, actions]; in each row at least one action is legal.

    Returns:
        float32 [n].
    """
    target = wanted.masked_fill(illegal, -torch.inf).log_softmax(dim=1)
    surprise = target - found.masked_fill(illegal, -torch.inf).log_softmax(dim=1)
    return (target.exp() * surprise.masked_fill(illegal, 0)).sum(dim=1)


def _teacher(name: str, precision: str) -> PolicyValueNetwork:
    """A network that an agent's name stands for. Raises ValueError unless it has a value and no encoding."""
    agent = load(name)
    if not isinstance(agent, NetworkAgent) or agent.value is None or agent.encode is not None:
        raise ValueError(f"teacher {name!r}: a network of observations that has a value is needed")
    network = PolicyValueNetwork([weight.shape[1] for weight, _ in agent.layers[:-1]], seed=0)
    network.begin_as(read_agent(find_agent(agent.path)), VALUE_UNIT)
    network.hold_in(precision)
    return network
