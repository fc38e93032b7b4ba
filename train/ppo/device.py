"""The device on which PPO's network acts and learns: this processor, or a GPU with a memory of its own.

Both do the same to a rollout. A GPU gets the observations once, when they are acted on, in one copy that does
not hold up the processor; it samples the actions, and the loss and its gradient stay in its memory. While it
works for one half of the games, the engine plays the other half.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.networks.layers import autocast
from wizard_env.train.networks.policy_value import Critic, PolicyValueNetwork
from wizard_env.train.parallel.threads import TorchThreads
from wizard_env.train.ppo.loss import METRICS, Batch, LossWeights, device_loss_gradient, loss_gradient
from wizard_env.train.ppo.rollout import GpuRollout, Rollout
from wizard_env.train.selfplay.games import SelfPlayGames

VALUE_WEIGHT = 0.5
"""The weight of the squared error of values in the loss."""
_CRITIC_BATCH = 8192
"""Rows per batch when the critic values a rollout."""


class Device(ABC):
    """The device where the network acts and learns.

    groups: the games, as slices, in the order in which they are played within a step.
    """

    groups: list[slice]

    def __init__(
        self, network: PolicyValueNetwork, critic: Critic | None, rollout: Rollout, learning: PpoConfig
    ) -> None:
        self._network = network
        self._critic = critic
        self._rollout = rollout
        self._learning = learning
        self._torch_device = network.scale.device

    @abstractmethod
    def start_acting(
        self, step: int, group: slice, self_play: SelfPlayGames, rng: np.random.Generator
    ) -> None:
        """Store what the acting seats of a group see, and start to sample their actions."""

    @abstractmethod
    def finish_acting(self, step: int, group: slice) -> NDArray[np.int64]:
        """Return the actions of the group that started last, int64 [games]; they are also in the rollout."""

    @abstractmethod
    def store_full_states(self, step: int, full_states: NDArray[np.uint8]) -> None:
        """Store the full states of all games in a step for the critic: uint8 [games, FULL_SIZE + beliefs]."""

    @abstractmethod
    def value_rollout(self) -> NDArray[np.float32]:
        """Return the critic's values of the rollout, float32 [steps, games]."""

    def value_states(self, full_states: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the critic's values, float32 [n], of full states, uint8 [n, FULL_SIZE + beliefs]."""
        return self._value_states(torch.from_numpy(full_states).to(self._torch_device)).cpu().numpy()

    def value_observations(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the network's values, float32 [n], of observations, uint8 [n, OBS_SIZE + beliefs]."""
        with torch.inference_mode(), self._autocast():
            outputs = self._network(torch.from_numpy(observations).to(self._torch_device))
        values: NDArray[np.float32] = outputs.float()[:, NUM_ACTIONS].contiguous().cpu().numpy()
        return values

    @abstractmethod
    def start_update(self) -> None:
        """Get ready to learn from the rollout, whose returns are written, and reset the metrics."""

    @abstractmethod
    def add_gradient(
        self, rows: NDArray[np.int64], advantages: NDArray[np.float32], entropy_bonus: float
    ) -> None:
        """Add the gradient of PPO's loss of some decisions to that of the network.

        rows: int64 [n], numbers of decisions of the rollout, counted through its steps.
        advantages: float32 [n], normalised.
        """

    @abstractmethod
    def add_critic_gradient(self, rows: NDArray[np.int64], returns: NDArray[np.float32]) -> None:
        """Add the gradient of the critic's mean squared error in decisions.

        rows: as for `add_gradient`. returns: float32 [n].
        """

    @abstractmethod
    def sum_metrics(self) -> NDArray[np.float64]:
        """Return the sums of METRICS and of the critic's squared errors since `start_update`, float64 [6]."""

    def state(self) -> dict[str, NDArray[np.uint8]]:
        """Return the state of the device's generator of actions, if it has one."""
        return {}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:  # noqa: B027
        """Continue from a `state`; that of another kind of device is ignored."""

    def _autocast(self) -> torch.autocast:
        return autocast(self._torch_device, self._learning.precision)

    def _loss_weights(self, entropy_bonus: float) -> LossWeights:
        return LossWeights(self._learning.clip_range, entropy_bonus, VALUE_WEIGHT)

    def _value_states(self, full_states: torch.Tensor) -> torch.Tensor:
        """Return the critic's values, [n], of full states, [n, FULL_SIZE + beliefs], on the device."""
        assert self._critic is not None
        with torch.inference_mode(), self._autocast():
            batches = torch.split(full_states, _CRITIC_BATCH)
            return torch.cat([self._critic(batch)[:, 0].float() for batch in batches])

    def _backpropagate_critic(self, full_states: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Add the critic's gradient; returns the sum of the squared errors, in the device's memory."""
        assert self._critic is not None
        with self._autocast():
            values = self._critic(full_states)[:, 0]
        squares = (values.float() - returns) ** 2
        squares.mean().mul(VALUE_WEIGHT).backward()
        return squares.detach().sum()


class CpuDevice(Device):
    """The processor: nothing is copied, and compiled kernels sample actions and differentiate the loss."""

    def __init__(
        self, network: PolicyValueNetwork, critic: Critic | None, rollout: Rollout, learning: PpoConfig
    ) -> None:
        super().__init__(network, critic, rollout, learning)
        self.groups = [slice(0, rollout.actions.shape[1])]
        self._threads = TorchThreads()
        self._sums = np.zeros(len(METRICS))
        self._squares = 0.0

    def start_acting(
        self, step: int, group: slice, self_play: SelfPlayGames, rng: np.random.Generator
    ) -> None:
        self._threads.start()
        observations, mask = self_play.observe(), self_play.games.mask
        with torch.inference_mode(), self._autocast():
            outputs = self._network(torch.from_numpy(observations)).float().numpy()
        self._threads.stop(len(outputs))
        rollout = self._rollout
        rollout.observations[step] = observations
        rollout.masks[step] = mask
        rollout.values[step] = outputs[:, NUM_ACTIONS]
        rollout.actions[step], rollout.log_probabilities[step] = sample_softmax(
            outputs[:, :NUM_ACTIONS], mask, rng
        )

    def finish_acting(self, step: int, group: slice) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = self._rollout.actions[step, group]
        return actions

    def store_full_states(self, step: int, full_states: NDArray[np.uint8]) -> None:
        self._rollout.full_states[step] = full_states

    def value_rollout(self) -> NDArray[np.float32]:
        rollout = self._rollout
        return self.value_states(_flat(rollout.full_states)).reshape(rollout.values.shape)

    def start_update(self) -> None:
        self._sums[:] = 0
        self._squares = 0.0

    def add_gradient(
        self, rows: NDArray[np.int64], advantages: NDArray[np.float32], entropy_bonus: float
    ) -> None:
        rollout = self._rollout
        batch = Batch(
            rollout.masks.reshape(-1, NUM_ACTIONS)[rows],
            rollout.actions.reshape(-1)[rows],
            rollout.log_probabilities.reshape(-1)[rows],
            advantages,
            rollout.returns.reshape(-1)[rows],
        )
        with self._autocast():
            outputs = self._network(torch.from_numpy(_flat(rollout.observations)[rows]))
        logits_and_values = outputs.detach().float().numpy()
        gradient = loss_gradient(logits_and_values, batch, self._loss_weights(entropy_bonus), self._sums)
        outputs.backward(torch.from_numpy(gradient).to(outputs))

    def add_critic_gradient(self, rows: NDArray[np.int64], returns: NDArray[np.float32]) -> None:
        states = torch.from_numpy(_flat(self._rollout.full_states)[rows])
        self._squares += float(self._backpropagate_critic(states, torch.from_numpy(returns)))

    def sum_metrics(self) -> NDArray[np.float64]:
        return np.append(self._sums, self._squares)


class GpuDevice(Device):
    """A device with a memory of its own.

    stored: the rollout as it is in that memory.
    """

    def __init__(
        self,
        network: PolicyValueNetwork,
        critic: Critic | None,
        rollout: Rollout,
        learning: PpoConfig,
        seed: int,
    ) -> None:
        """seed: of the actions that the device samples."""
        super().__init__(network, critic, rollout, learning)
        shape = rollout.actions.shape
        half = (shape[1] + 1) // 2
        self.groups = [group for group in (slice(0, half), slice(half, shape[1])) if group.start < group.stop]
        beliefs = rollout.observations.shape[2] - OBS_SIZE
        self.stored = GpuRollout(
            shape, self._torch_device, with_full_states=critic is not None, beliefs=beliefs
        )
        self._generator = torch.Generator(device=self._torch_device).manual_seed(seed)
        self._sums = torch.zeros(len(METRICS) + 1, dtype=torch.float64, device=self._torch_device)
        has_streams = self._torch_device.type == "cuda"
        new_event: Any = torch.cuda.Event
        self._sampled = [new_event() if has_streams else None for _ in self.groups]
        self._copied = new_event() if has_streams else None
        host: Any = {"pin_memory": has_streams}  # staged in memory that is copied from and to the device
        self._observed = rollout.observations.shape[2]
        self._staged = torch.zeros((shape[1], self._observed + NUM_ACTIONS), dtype=torch.uint8, **host)
        self._staged_hidden = torch.zeros(self.stored.hidden.shape[1:], dtype=torch.uint8, **host)
        self._staged_actions = torch.zeros(shape[1], dtype=torch.int64, **host)

    def start_acting(
        self, step: int, group: slice, self_play: SelfPlayGames, rng: np.random.Generator
    ) -> None:
        staged = self._staged[group]
        observed = self._observed
        staged[:, :observed] = torch.from_numpy(self_play.observe(group))
        staged[:, observed:] = torch.from_numpy(self_play.games.mask[group])
        copied = staged.to(self._torch_device, non_blocking=True)
        observations, masks = copied[:, :observed], copied[:, observed:].bool()
        with torch.inference_mode(), self._autocast():
            outputs = self._network(observations).float()
        logits = outputs[:, :NUM_ACTIONS].masked_fill(~masks, -torch.inf)
        log_probabilities = logits.log_softmax(dim=1)
        actions = self.sample(log_probabilities, masks)
        stored = self.stored
        stored.observations[step, group] = observations
        stored.masks[step, group] = masks
        stored.actions[step, group] = actions[:, 0]
        stored.log_probabilities[step, group] = log_probabilities.gather(1, actions)[:, 0]
        stored.values[step, group] = outputs[:, NUM_ACTIONS]
        self._staged_actions[group].copy_(actions[:, 0], non_blocking=True)
        if event := self._sampled[self.groups.index(group)]:
            event.record()

    def sample(self, log_probabilities: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Draw an action for each row, int64 [n, 1]; torch.multinomial would make the processor wait."""
        delays = torch.empty_like(log_probabilities).exponential_(generator=self._generator)
        rates = (log_probabilities.exp() / delays).masked_fill_(~masks, -1)
        return rates.argmax(dim=1, keepdim=True)

    def finish_acting(self, step: int, group: slice) -> NDArray[np.int64]:
        if event := self._sampled[self.groups.index(group)]:
            event.synchronize()
        actions: NDArray[np.int64] = self._staged_actions[group].numpy()
        self._rollout.actions[step, group] = actions
        if step == len(self._rollout.actions) - 1 and group == self.groups[-1]:
            self._rollout.values[:] = self.stored.values.cpu().numpy()
        return actions

    def store_full_states(self, step: int, full_states: NDArray[np.uint8]) -> None:
        if event := self._copied:
            event.synchronize()  # the states before have been copied
        self._staged_hidden[:] = torch.from_numpy(full_states[:, self._observed :])
        self.stored.hidden[step].copy_(self._staged_hidden, non_blocking=True)
        if event:
            event.record()

    def value_rollout(self) -> NDArray[np.float32]:
        steps = zip(self.stored.observations, self.stored.hidden, strict=True)
        values = [self._value_states(torch.cat(step, dim=1)) for step in steps]
        return torch.stack(values).cpu().numpy()

    def start_update(self) -> None:
        self.stored.returns.copy_(torch.from_numpy(self._rollout.returns))
        self._sums.zero_()

    def _send(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array).to(self._torch_device, non_blocking=True)

    def add_gradient(
        self, rows: NDArray[np.int64], advantages: NDArray[np.float32], entropy_bonus: float
    ) -> None:
        stored, chosen = self.stored, self._send(rows)
        batch = Batch(
            stored.masks.view(-1, NUM_ACTIONS)[chosen],
            stored.actions.view(-1)[chosen],
            stored.log_probabilities.view(-1)[chosen],
            self._send(advantages),
            stored.returns.view(-1)[chosen],
        )
        with self._autocast():
            outputs = self._network(stored.observations.flatten(0, 1)[chosen])
        weights = self._loss_weights(entropy_bonus)
        gradient = device_loss_gradient(outputs.detach().float(), batch, weights, self._sums[:-1])
        outputs.backward(gradient.to(outputs))

    def add_critic_gradient(self, rows: NDArray[np.int64], returns: NDArray[np.float32]) -> None:
        chosen = self._send(rows)
        states = [each.flatten(0, 1)[chosen] for each in (self.stored.observations, self.stored.hidden)]
        self._sums[-1] += self._backpropagate_critic(torch.cat(states, dim=1), self._send(returns))

    def sum_metrics(self) -> NDArray[np.float64]:
        sums: NDArray[np.float64] = self._sums.cpu().numpy()
        return sums

    def state(self) -> dict[str, NDArray[np.uint8]]:
        return {"generator": self._generator.get_state().numpy()}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        if "generator" in state:
            self._generator.set_state(torch.from_numpy(state["generator"].copy()))


def _flat(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Number the rows of a rollout through its steps: uint8 [steps * games, bytes]."""
    return rows.reshape(-1, rows.shape[2])
