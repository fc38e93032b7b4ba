"""Proximal policy optimisation with masked actions, lean: one trunk, one pass, every seat's decisions.

The method is that of Schulman et al. 2017 as stable-baselines3 has it (clipped surrogate, advantages
normalised in each minibatch, orthogonal initialisation), and learns the same from the same decisions as
sb3-contrib's MaskablePPO with a shared trunk. It is faster because policy and value come out of one
product, because the gradient of the loss with respect to the network's outputs is written down (over
legal actions alone) instead of being traced through distribution objects, and because the network may
compute in bfloat16.
"""

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file
from stable_baselines3.common.logger import Logger

from agents.network import FILE_NAME, input_scale, save_agent
from train.advantages import seat_advantages
from train.config import Config, LearningConfig
from train.curves import DECISIONS, Progress, Tally
from train.tables import REWARD_SCALE, Mixture, deal_tables
from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.files import write_atomically
from wizard_env.jit import kernel
from wizard_env.observation import OBS_SIZE
from wizard_env.rules import MAX_PLAYERS

CHECKPOINT = "checkpoint.safetensors"
VALUE_WEIGHT = 0.5
MAX_GRADIENT_NORM = 0.5
ADAM_EPSILON = 1e-5
_ARRAYS = ("states", "observations", "masks", "results")
_MEASURES = ("policy_gradient_loss", "value_loss", "entropy_loss", "clip_fraction", "approx_kl")
_SUMS = len(_MEASURES)


class Network(torch.nn.Module):
    """Scaled observations, fully connected layers with ReLU, and a last one for policy and value."""

    def __init__(self, layers: list[int], seed: int) -> None:
        """Draw orthogonal weights (Saxe et al. 2014), small ones for the policy."""
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(input_scale()), persistent=False)
        trunk = [torch.nn.Linear(*sizes) for sizes in pairwise([OBS_SIZE, *layers])]
        self.trunk = torch.nn.ModuleList(trunk)
        self.head = torch.nn.Linear(layers[-1], NUM_ACTIONS + 1)
        with torch.no_grad():
            for linear in (*trunk, self.head):
                linear.bias.zero_()
            for linear in trunk:
                torch.nn.init.orthogonal_(linear.weight, 2**0.5, generator=generator)
            torch.nn.init.orthogonal_(self.head.weight[:NUM_ACTIONS], 0.01, generator=generator)
            torch.nn.init.orthogonal_(self.head.weight[NUM_ACTIONS:], 1.0, generator=generator)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """uint8 [n, OBS_SIZE] to [n, NUM_ACTIONS + 1]: logits, and the value last."""
        hidden = observations * self.scale
        for linear in self.trunk:
            hidden = torch.relu(linear(hidden))
        outputs: torch.Tensor = self.head(hidden)
        return outputs

    def policy(self) -> dict[str, torch.Tensor]:
        """The weights that choose actions, named for `agents.network`."""
        weights: dict[str, torch.Tensor] = {}
        for number, linear in enumerate((*self.trunk, self.head)):
            outputs = NUM_ACTIONS if linear is self.head else None
            for name, values in (("weight", linear.weight), ("bias", linear.bias)):
                weights[f"layer.{number}.{name}"] = values.detach()[:outputs].cpu().contiguous()
        return weights


class Learner:
    """A network, its optimiser, and the tables at which it learns.

    decisions: how many it has learned from.
    network: what has learned.
    """

    def __init__(self, config: Config, device: str, checkpoint: Path | None) -> None:
        """Begin, or go on exactly where a checkpoint was written."""
        learning = config.learning
        assert isinstance(learning, LearningConfig)
        self._learning = learning
        self._device = torch.device(device)
        self.network = Network(list(learning.layers), config.seed).to(self._device)
        self._optimizer = torch.optim.Adam(
            self.network.parameters(), learning.learning_rate, eps=ADAM_EPSILON, fused=True
        )
        self._rng = np.random.default_rng(config.seed)
        self._tables = Mixture(deal_tables(config, config.seed))
        self._tally = Tally(learning.decisions)
        self._rollout = Rollout(learning.decisions_per_game, learning.num_games)
        self.decisions = 0
        if checkpoint is not None:
            self._restore(checkpoint)

    def learn(self, folder: Path, logger: Logger, report: Callable[[Progress], None] | None) -> None:
        """Iterate until enough decisions are learned from, writing checkpoints on the way."""
        learning = self._learning
        saved = time.monotonic()
        while self.decisions < learning.decisions:
            if time.monotonic() - saved >= learning.checkpoint_seconds:
                self.save(folder)
                saved = time.monotonic()
            measures = self.iterate()
            progress = self._tally.tell(self.decisions, logger)
            for name, value in measures.items():
                logger.record(f"train/{name}", value)
            logger.record(DECISIONS, self.decisions)
            logger.dump(self.decisions)
            if report is not None:
                report(progress)
        self.save(folder)

    def iterate(self) -> dict[str, float]:
        """Play, and learn from what was played; returns means of what is worth a curve."""
        self._collect()
        self.decisions += self._rollout.actions.size
        return self._update()

    def _collect(self) -> None:
        """Play, noting every decision, and credit each seat with its own points of the round."""
        rollout, tables, learning = self._rollout, self._tables, self._learning
        for step in range(len(rollout.actions)):
            observation, mask = tables.observation, tables.mask
            outputs = self._outputs(observation)
            rollout.observations[step] = observation
            rollout.masks[step] = mask
            rollout.seats[step] = tables.seat
            rollout.values[step] = outputs[:, NUM_ACTIONS]
            actions, rollout.log_probabilities[step] = sample_softmax(
                outputs[:, :NUM_ACTIONS], mask, self._rng
            )
            rollout.actions[step] = actions
            tables.step(actions)
            rollout.points[step] = tables.points
            self._tally.add(tables.points, tables.learns)
        seat_advantages(
            rollout.seats,
            rollout.points * np.float32(REWARD_SCALE),
            rollout.values,
            self._outputs(tables.observation)[:, NUM_ACTIONS],
            tables.seat,
            learning.discount,
            learning.gae_lambda,
            rollout.advantages,
        )

    def _outputs(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        with torch.inference_mode(), self._precision():
            outputs = self.network(torch.from_numpy(observations).to(self._device))
            array: NDArray[np.float32] = outputs.float().cpu().numpy()
            return array

    def _precision(self) -> Any:
        return torch.autocast(
            self._device.type, torch.bfloat16, enabled=self._learning.precision == "bfloat16"
        )

    def _update(self) -> dict[str, float]:
        """Take the gradient steps of an iteration; returns means of what is worth a curve."""
        learning, rollout = self._learning, self._rollout
        remaining = 1 - self.decisions / learning.decisions
        first, last = learning.learning_rate, learning.final_learning_rate
        rate = last + (first - last) * remaining
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        count, size = rollout.actions.size, learning.batch_size
        observations = rollout.observations.reshape(count, OBS_SIZE)
        masks = rollout.masks.reshape(count, NUM_ACTIONS)
        actions, log_probabilities = rollout.actions.reshape(count), rollout.log_probabilities.reshape(count)
        advantages, values = rollout.advantages.reshape(count), rollout.values.reshape(count)
        returns = advantages + values
        sums, seen = np.zeros(_SUMS), 0
        for _ in range(learning.epochs):
            order = self._rng.permutation(count)
            for start in range(0, count, size):
                rows = order[start : start + size]
                with self._precision():
                    outputs = self.network(torch.from_numpy(observations[rows]).to(self._device))
                gradient = np.zeros(outputs.shape, np.float32)
                loss_gradient(
                    outputs.detach().float().cpu().numpy(),
                    masks[rows],
                    actions[rows],
                    log_probabilities[rows],
                    normalised(advantages[rows]),
                    returns[rows],
                    learning.clip_range,
                    learning.entropy_bonus,
                    VALUE_WEIGHT,
                    gradient,
                    sums,
                )
                seen += len(rows)
                self._optimizer.zero_grad()
                outputs.backward(torch.from_numpy(gradient).to(outputs))
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT_NORM)
                self._optimizer.step()
        means = dict(zip(_MEASURES, (sums / seen).tolist(), strict=True))
        return means | {"learning_rate": rate, "explained_variance": explained(values, returns)}

    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent; each file is replaced at once or not at all."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        for number, moments in self._optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": value for name, value in moments.items()}
        chance = []
        for number, kind in enumerate(self._tables.kinds):
            state = kind.state()
            for name, array in zip(_ARRAYS, state["games"], strict=True):
                tensors[f"tables.{number}.{name}"] = torch.from_numpy(array.view(np.uint8))
            for name in ("learns", "partner"):
                tensors[f"tables.{number}.{name}"] = torch.from_numpy(state[name])
            chance.append(state["rng"])
        plain = {
            "decisions": self.decisions,
            "rng": self._rng.bit_generator.state,
            "tables": chance,
        }
        about = {"state": json.dumps(plain)}
        contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        write_atomically(folder / CHECKPOINT, lambda path: save_file(contiguous, path, about))
        write_atomically(folder / FILE_NAME, lambda path: save_agent(self.network.policy(), path))

    def _restore(self, checkpoint: Path) -> None:
        with safe_open(checkpoint, framework="pt") as file:
            plain = json.loads(file.metadata()["state"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        self.decisions = plain["decisions"]
        self._rng.bit_generator.state = plain["rng"]
        self.network.load_state_dict(_below("network.", tensors))
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in _below("optimizer.", tensors).items():
            number, moment = name.split(".")
            moments.setdefault(int(number), {})[moment] = tensor
        self._optimizer.load_state_dict(self._optimizer.state_dict() | {"state": moments})
        for place, kind in enumerate(self._tables.kinds):
            kept = {name: tensor.numpy() for name, tensor in _below(f"tables.{place}.", tensors).items()}
            arrays = kind.state()["games"]
            games = [kept[name].view(own.dtype) for name, own in zip(_ARRAYS, arrays, strict=True)]
            kind.set_state(kept | {"games": games, "rng": plain["tables"][place]})


def _below(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


class Rollout:
    """The decisions of an iteration and what came of them, [steps, games, ...]."""

    def __init__(self, steps: int, num_games: int) -> None:
        shape = (steps, num_games)
        self.observations = np.zeros((*shape, OBS_SIZE), np.uint8)
        self.masks = np.zeros((*shape, NUM_ACTIONS), np.uint8)
        self.seats = np.zeros(shape, np.int64)
        self.actions = np.zeros(shape, np.int64)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.points = np.zeros((*shape, MAX_PLAYERS), np.float32)
        self.advantages = np.zeros(shape, np.float32)


def normalised(advantages: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of mean 0 and deviation 1, as stable-baselines3 does it."""
    if len(advantages) < 2:
        return advantages
    result: NDArray[np.float32] = (advantages - advantages.mean()) / (advantages.std(ddof=1) + 1e-8)
    return result


def explained(values: NDArray[np.float32], returns: NDArray[np.float32]) -> float:
    """The share of the variance of the returns that the values account for."""
    variance = float(returns.var())
    return 1 - float((returns - values).var()) / variance if variance else 0.0


@kernel
def loss_gradient(
    outputs: Any,
    masks: Any,
    actions: Any,
    old_log_probabilities: Any,
    advantages: Any,
    returns: Any,
    clip_range: float,
    entropy_bonus: float,
    value_weight: float,
    gradient: Any,
    sums: Any,
) -> None:
    """The gradient of PPO's mean loss with respect to the network's outputs.

    The loss of a decision is -min(r A, clip(r) A) - entropy_bonus * entropy + value_weight * (v - R)^2,
    where r is the new probability of the action over the old one.

    Args:
        outputs: float32 [n, NUM_ACTIONS + 1], logits and value.
        masks: uint8 [n, NUM_ACTIONS], the legal actions; at least one in each row.
        actions: int64 [n].
        old_log_probabilities: float32 [n].
        advantages: float32 [n].
        returns: float32 [n].
        clip_range: how far r may leave 1.
        entropy_bonus: weight of the entropy.
        value_weight: weight of the squared error of the value.
        gradient: float32 [n, NUM_ACTIONS + 1], zeros; written.
        sums: float64 [5], to which the sums over the rows of _MEASURES are added.
    """
    count = len(actions)
    legal = np.empty(NUM_ACTIONS, np.int64)
    log_probabilities = np.empty(NUM_ACTIONS)
    for row in range(count):
        choices = 0
        highest = -np.inf
        for action in range(NUM_ACTIONS):
            if masks[row, action]:
                legal[choices] = action
                choices += 1
                highest = max(highest, outputs[row, action])
        total = 0.0
        for choice in range(choices):
            total += np.exp(outputs[row, legal[choice]] - highest)
        normaliser = highest + np.log(total)
        entropy = 0.0
        for choice in range(choices):
            log_probabilities[choice] = outputs[row, legal[choice]] - normaliser
            entropy -= np.exp(log_probabilities[choice]) * log_probabilities[choice]
        change = outputs[row, actions[row]] - normaliser - old_log_probabilities[row]
        ratio = np.exp(change)
        advantage = advantages[row]
        clipped = min(max(ratio, 1 - clip_range), 1 + clip_range)
        held = clipped * advantage < ratio * advantage  # the clipped term is the smaller: no gradient
        slope = 0.0 if held else -advantage * ratio
        for choice in range(choices):
            action = legal[choice]
            probability = np.exp(log_probabilities[choice])
            chosen = 1.0 if action == actions[row] else 0.0
            by_entropy = entropy_bonus * probability * (log_probabilities[choice] + entropy)
            gradient[row, action] = (slope * (chosen - probability) + by_entropy) / count
        error = outputs[row, NUM_ACTIONS] - returns[row]
        gradient[row, NUM_ACTIONS] = 2 * value_weight * error / count
        sums[0] -= min(ratio * advantage, clipped * advantage)
        sums[1] += error * error
        sums[2] -= entropy
        sums[3] += abs(ratio - 1) > clip_range
        sums[4] += ratio - 1 - change
