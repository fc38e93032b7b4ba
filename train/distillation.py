"""The learner "distillation": one network that answers like several, each where it is the expert.

A small network may come to answer like a large one (Hinton et al. 2015), or one network like several experts
(Rusu et al. 2016, "Policy Distillation"). It does not see who else sits at the table: where it cannot tell,
it learns the mean of the experts' answers. It learns their probabilities and values in positions that either
side leads to, so that it also learns to play on after its mistakes (Ross et al. 2011).
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.agents import load
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.network import (
    FILE_NAME,
    NetworkAgent,
    find_agent,
    find_network,
    read_agent,
    save_agent,
)
from wizard_env.checks import quoted
from wizard_env.files import write_atomically
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.sampling import best_legal
from wizard_env.train.config.distillation import DistillationConfig
from wizard_env.train.config.run import Config
from wizard_env.train.networks.devices import autocast
from wizard_env.train.networks.layers import check_finite
from wizard_env.train.networks.policy_value import PolicyValueNetwork, kinds_beside
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint, restoring, write_checkpoint
from wizard_env.train.selfplay.games import NO_PARTNER, VALUE_UNIT, deal_games
from wizard_env.train.selfplay.loop import IterativeLearner

_METRICS = ("divergence", "value_loss", "agreement")
_ADAM_EPSILON = 1e-8
_VALUE_WEIGHT = 0.05
"""The weight of the squared error of the value, beside the divergence in nats."""


class Teacher(NamedTuple):
    """A network to learn from, and the games where it is the expert."""

    network: PolicyValueNetwork
    rows: NDArray[np.int64]


class DistillationLearner(IterativeLearner):
    """A network, its optimiser, its teachers, and the games that it learns from.

    self_play: the games that it learns from.
    teachers: in the order of the config.
    guided: bool [games], the games in which the expert decides.
    """

    def __init__(self, config: Config, device: str, checkpoint: Path | None) -> None:
        """Start, or resume from a checkpoint with new deals.

        Raises ValueError if a teacher has no value or a custom encoding, or `start` has larger layers.
        """
        learning = self._learning = config.learning_as(DistillationConfig)
        self._device = torch.device(device)
        beliefs = NUM_INPUTS if learning.beliefs else 0
        self.network = PolicyValueNetwork(learning.layers, config.seed, beliefs=beliefs).to(self._device)
        if learning.start:
            self.network.start_from(read_agent(find_network(learning.start), beliefs=None), VALUE_UNIT)
        super().__init__(config, {"network": self.network}, _ADAM_EPSILON)
        if checkpoint is not None:
            with restoring(checkpoint):
                self._restore_networks(*read_checkpoint(checkpoint))
        seed = config.seed + self.decisions  # other deals than those that the run started with
        self._rng = np.random.default_rng(seed)
        self.self_play = deal_games(config, seed, kinds=kinds_beside(self.network))
        self.guided = self._rng.random(learning.num_games) < learning.guided
        self.teachers = [
            Teacher(_load_teacher(name, learning.precision).to(self._device), rows)
            for name, rows in zip(learning.teachers, self._rows_of_teachers(), strict=True)
        ]

    def _rows_of_teachers(self) -> list[NDArray[np.int64]]:
        """Return, for each teacher, the games where it is the expert."""
        partners = self._learning.teachers.values()
        owner = np.repeat(np.arange(len(partners)), [len(each) for each in partners])
        alike = [number for number, each in enumerate(partners) if not each]
        experts = np.array([*owner, *alike[:1]])  # NO_PARTNER, which is -1, takes the last
        assert NO_PARTNER == -1
        partner = self.self_play.partner.max(axis=1)  # one takes all seats of partners
        expert = experts[partner]
        return [(expert == number).nonzero()[0] for number in range(len(partners))]

    def iterate(self) -> dict[str, float]:
        learning = self._learning
        sums = np.zeros(len(_METRICS))
        for _ in range(learning.decisions_per_game):
            sums += self._step()
            self.decisions += learning.num_games
        check_finite(self.network.parameters(), self.decisions)
        means = sums / (learning.decisions_per_game * learning.num_games)
        return {f"train/{name}": value for name, value in zip(_METRICS, means.tolist(), strict=True)}

    def _step(self) -> NDArray[np.float64]:
        """Learn from a decision in every game, and take it; returns the sums of _METRICS over the games."""
        games = self.self_play.games
        observation = torch.from_numpy(self.self_play.observe()).to(self._device)
        answers = self.ask_experts(observation)
        illegal = torch.from_numpy(games.mask == 0).to(self._device)
        logits, divergence, error = self._learn(observation, answers, illegal)
        best = best_legal(answers[:, :NUM_ACTIONS].cpu().numpy(), games.mask)
        agreement = (best == best_legal(logits, games.mask)).sum()
        sampled, _ = sample_softmax(logits, games.mask, self._rng)
        self.self_play.step(np.where(self.guided, best, sampled))
        self.tally.add(self.self_play.learners_points())
        return np.array([divergence, error, agreement])

    def ask_experts(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the logits of each game's expert, and its value last: float32 [n, NUM_ACTIONS + 1]."""
        answers = torch.empty(len(observation), NUM_ACTIONS + 1, device=self._device)
        with torch.inference_mode():
            for network, rows in self.teachers:
                if len(rows):
                    at = torch.from_numpy(rows).to(self._device)
                    answers[at] = network(observation[at, :OBS_SIZE]).float()
        return answers

    def _learn(
        self, observation: torch.Tensor, answers: torch.Tensor, illegal: torch.Tensor
    ) -> tuple[NDArray[np.float32], float, float]:
        """Take gradient steps over one step of all games, in random order.

        Returns the network's logits as each was learned from, float32 [n, NUM_ACTIONS], and the sums of the
        divergences and of the squared errors of the values.
        """
        rate = self._learning.learning_rate * max(1 - self.decisions / self._learning.decisions, 0.0)
        logits = np.empty((len(answers), NUM_ACTIONS), np.float32)
        total_divergence = total_error = 0.0
        order = self._rng.permutation(len(answers))
        for start in range(0, len(order), self._learning.batch_size):
            rows = order[start : start + self._learning.batch_size]
            at = torch.from_numpy(rows).to(self._device)
            with autocast(self._device, self._learning.precision):
                outputs = self.network(observation[at])
            outputs = outputs.float()
            logits[rows] = outputs[:, :NUM_ACTIONS].detach().cpu().numpy()
            divergence = divergences(answers[at, :NUM_ACTIONS], outputs[:, :NUM_ACTIONS], illegal[at])
            error = (outputs[:, NUM_ACTIONS] - answers[at, NUM_ACTIONS]) ** 2
            (divergence.mean() + _VALUE_WEIGHT * error.mean()).backward()
            self._take_step(rate)
            total_divergence += float(divergence.detach().sum())
            total_error += float(error.detach().sum())
        return logits, total_divergence, total_error

    def save(self, folder: Path) -> None:
        agent, beliefs = self.network.agent(VALUE_UNIT), self.network.beliefs
        write_atomically(folder / FILE_NAME, lambda path: save_agent(agent, path, beliefs=beliefs))
        write_checkpoint(folder / CHECKPOINT, *self._checkpoint())


def divergences(expert: torch.Tensor, learner: torch.Tensor, illegal: torch.Tensor) -> torch.Tensor:
    """Return the Kullback-Leibler divergences of the learner's probabilities from the expert's, in nats, [n].

    expert, learner: float32 [n, actions], logits.
    illegal: bool [n, actions]; in each row at least one action is legal.
    """
    target = expert.masked_fill(illegal, -torch.inf).log_softmax(dim=1)
    surprise = target - learner.masked_fill(illegal, -torch.inf).log_softmax(dim=1)
    return (target.exp() * surprise.masked_fill(illegal, 0)).sum(dim=1)


def _load_teacher(name: str, precision: str) -> PolicyValueNetwork:
    agent = load(name)
    if not isinstance(agent, NetworkAgent) or agent.value is None or agent.encode is not None:
        raise ValueError(f"teacher {quoted(name)}: a network of observations that has a value is needed")
    network = PolicyValueNetwork([weight.shape[1] for weight, _ in agent.layers[:-1]], seed=0)
    network.start_from(read_agent(find_agent(agent.path)), VALUE_UNIT)
    network.hold_in(precision)
    return network
