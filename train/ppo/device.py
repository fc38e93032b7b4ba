"""Where PPO's network acts and learns: on this processor, or on a device with a memory of its own.

Both do the same to a rollout. On a device, observations go over once, when they are acted on, in one copy
that does not hold up the processor; actions are sampled there, and the loss and its gradient stay there.
While the device works for one half of the games, the engine plays the other half.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Games, sample_softmax
from wizard_env.observation.fields import FULL_SIZE, OBS_SIZE
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.networks.policy_value import Critic, PolicyValueNetwork, autocast
from wizard_env.train.parallel.threads import TorchPace
from wizard_env.train.ppo.loss import MEASURES, device_loss_gradient, loss_gradient
from wizard_env.train.ppo.rollout import Rollout

VALUE_WEIGHT = 0.5
CRITIC_BATCH = 8192
"""Rows per batch when the critic values a rollout."""


class Place(ABC):
    """Where the network acts and learns.

    parts: the games, as slices, in the order in which they are played within a step.
    """

    parts: list[slice]

    def __init__(
        self, network: PolicyValueNetwork, critic: Critic | None, rollout: Rollout, learning: PpoConfig
    ) -> None:
        self._network = network
        self._critic = critic
        self._rollout = rollout
        self._learning = learning
        self._device = network.scale.device

    def _precision(self) -> torch.autocast:
        return autocast(self._device, self._learning.precision)

    @abstractmethod
    def look(self, step: int, part: slice, games: Games, rng: np.random.Generator) -> None:
        """Note what the acting seats of some games see, and begin to choose their actions."""

    @abstractmethod
    def choose(self, step: int, part: slice) -> NDArray[np.int64]:
        """The actions of the games that were looked at last, also noted in the rollout; int64 [games]."""

    @abstractmethod
    def note_full_states(self, step: int, full_states: NDArray[np.uint8]) -> None:
        """Keep what the critic is to see of a step: full states of all games, uint8 [games, FULL_SIZE]."""

    def critic_value(self, full_states: NDArray[np.uint8]) -> NDArray[np.float32]:
        """float32 [n]: the critic's values of full states, uint8 [n, FULL_SIZE]."""
        return self._valued(torch.from_numpy(full_states).to(self._device)).cpu().numpy()

    @abstractmethod
    def critic_values(self) -> NDArray[np.float32]:
        """float32 [steps, games]: the critic's values of the rollout."""

    def _valued(self, full_states: torch.Tensor) -> torch.Tensor:
        """The critic's values, [n], of full states [n, FULL_SIZE] on the device, there."""
        assert self._critic is not None
        with torch.inference_mode(), self._precision():
            parts = [self._critic(part)[:, 0].float() for part in torch.split(full_states, CRITIC_BATCH)]
        return torch.cat(parts)

    @abstractmethod
    def begin_update(self) -> None:
        """Get ready to learn from the rollout, whose returns are written."""

    @abstractmethod
    def descend(self, rows: NDArray[np.int64], advantages: NDArray[np.float32], entropy_bonus: float) -> None:
        """Add the gradient of PPO's loss of some decisions to that of the network.

        Args:
            rows: int64 [n], numbers of decisions of the rollout, counted through its steps.
            advantages: float32 [n], their normalised advantages.
            entropy_bonus: the weight of the entropy.
        """

    @abstractmethod
    def correct(self, rows: NDArray[np.int64], returns: NDArray[np.float32]) -> None:
        """Add the gradient of the critic's mean squared error in some decisions.

        Args:
            rows: as for `descend`.
            returns: float32 [n], what the critic should have found there.
        """

    def _corrected(self, full_states: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """`correct`, given what lies on the device; returns the sum of the squared errors, there."""
        assert self._critic is not None
        with self._precision():
            values = self._critic(full_states)[:, 0]
        squares = (values.float() - returns) ** 2
        squares.mean().mul(VALUE_WEIGHT).backward()
        return squares.detach().sum()

    @abstractmethod
    def measures(self) -> NDArray[np.float64]:
        """float64 [6]: the sums of each of MEASURES, and of the critic's squared errors, since
        `begin_update`."""

    @abstractmethod
    def state(self) -> dict[str, NDArray[np.uint8]]:
        """What the actions still to be drawn depend on, beside the learner's generator."""

    @abstractmethod
    def set_state(self, state: dict[str, NDArray[np.uint8]]) -> None:
        """Continue from what `state` returned; what another kind of place returned is left alone."""


class Processor(Place):
    """The processor itself: nothing travels, and the compiled kernels do the rest."""

    def __init__(
        self, network: PolicyValueNetwork, critic: Critic | None, rollout: Rollout, learning: PpoConfig
    ) -> None:
        super().__init__(network, critic, rollout, learning)
        self.parts = [slice(0, rollout.actions.shape[1])]
        self._pace = TorchPace()
        self._sums = np.zeros(len(MEASURES))
        self._squares = 0.0

    def look(self, step: int, part: slice, games: Games, rng: np.random.Generator) -> None:
        rollout, outputs = self._rollout, self._outputs(games.observation)
        rollout.observations[step] = games.observation
        rollout.masks[step] = games.mask
        rollout.values[step] = outputs[:, NUM_ACTIONS]
        rollout.actions[step], rollout.log_probabilities[step] = sample_softmax(
            outputs[:, :NUM_ACTIONS], games.mask, rng
        )

    def _outputs(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        self._pace.begin()
        with torch.inference_mode(), self._precision():
            outputs: NDArray[np.float32] = self._network(torch.from_numpy(observations)).float().numpy()
        self._pace.end(len(outputs))
        return outputs

    def choose(self, step: int, part: slice) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = self._rollout.actions[step, part]
        return actions

    def note_full_states(self, step: int, full_states: NDArray[np.uint8]) -> None:
        self._rollout.full_states[step] = full_states

    def critic_values(self) -> NDArray[np.float32]:
        rollout = self._rollout
        return self.critic_value(rollout.full_states.reshape(-1, FULL_SIZE)).reshape(rollout.values.shape)

    def begin_update(self) -> None:
        self._sums[:] = 0
        self._squares = 0.0

    def descend(self, rows: NDArray[np.int64], advantages: NDArray[np.float32], entropy_bonus: float) -> None:
        rollout = self._rollout
        masks = rollout.masks.reshape(-1, NUM_ACTIONS)[rows]
        with self._precision():
            outputs = self._network(torch.from_numpy(rollout.observations.reshape(-1, OBS_SIZE)[rows]))
        gradient = np.zeros(outputs.shape, np.float32)
        loss_gradient(
            outputs.detach().float().numpy(),
            masks,
            rollout.actions.reshape(-1)[rows],
            rollout.log_probabilities.reshape(-1)[rows],
            advantages,
            rollout.returns.reshape(-1)[rows],
            self._learning.clip_range,
            entropy_bonus,
            VALUE_WEIGHT,
            gradient,
            self._sums,
        )
        outputs.backward(torch.from_numpy(gradient).to(outputs))

    def correct(self, rows: NDArray[np.int64], returns: NDArray[np.float32]) -> None:
        states = self._rollout.full_states.reshape(-1, FULL_SIZE)[rows]
        self._squares += float(self._corrected(torch.from_numpy(states), torch.from_numpy(returns)))

    def measures(self) -> NDArray[np.float64]:
        return np.append(self._sums, self._squares)

    def state(self) -> dict[str, NDArray[np.uint8]]:
        return {}

    def set_state(self, state: dict[str, NDArray[np.uint8]]) -> None:
        pass


class Accelerator(Place):
    """A device with a memory of its own, such as a GPU."""

    def __init__(
        self,
        network: PolicyValueNetwork,
        critic: Critic | None,
        rollout: Rollout,
        learning: PpoConfig,
        seed: int,
    ) -> None:
        """seed: of the actions that the device draws."""
        super().__init__(network, critic, rollout, learning)
        shape = rollout.actions.shape
        half = (shape[1] + 1) // 2
        self.parts = [part for part in (slice(0, half), slice(half, shape[1])) if part.start < part.stop]
        device: Any = {"device": self._device}
        self._generator = torch.Generator(**device).manual_seed(seed)
        self._observations = torch.zeros((*shape, OBS_SIZE), dtype=torch.uint8, **device)
        self._masks = torch.zeros((*shape, NUM_ACTIONS), dtype=torch.bool, **device)
        self._actions = torch.zeros(shape, dtype=torch.int64, **device)
        self._log_probabilities = torch.zeros(shape, **device)
        self._values = torch.zeros(shape, **device)
        self._returns = torch.zeros(shape, **device)
        self._sums = torch.zeros(len(MEASURES) + 1, dtype=torch.float64, **device)
        hidden = FULL_SIZE - OBS_SIZE if critic else 0
        self._hidden = torch.zeros((*shape, hidden), dtype=torch.uint8, **device)
        has_streams = self._device.type == "cuda"
        host: Any = {"pin_memory": has_streams}
        self._seen = torch.zeros((shape[1], OBS_SIZE + NUM_ACTIONS), dtype=torch.uint8, **host)
        self._arrived = torch.zeros(shape[1], dtype=torch.int64, **host)
        new_event: Any = torch.cuda.Event
        self._events = [new_event() if has_streams else None for _ in self.parts]
        self._shown = torch.zeros((shape[1], hidden), dtype=torch.uint8, **host)
        self._shown_event = new_event() if has_streams else None

    def look(self, step: int, part: slice, games: Games, rng: np.random.Generator) -> None:
        staged = self._seen[part]
        staged[:, :OBS_SIZE] = torch.from_numpy(games.observation[part])
        staged[:, OBS_SIZE:] = torch.from_numpy(games.mask[part])
        seen = staged.to(self._device, non_blocking=True)
        observations, masks = seen[:, :OBS_SIZE], seen[:, OBS_SIZE:].bool()
        with torch.inference_mode(), self._precision():
            outputs = self._network(observations).float()
        logits = outputs[:, :NUM_ACTIONS].masked_fill(~masks, -torch.inf)
        log_probabilities = logits.log_softmax(dim=1)
        actions = self._drawn(log_probabilities, masks)
        self._observations[step, part] = observations
        self._masks[step, part] = masks
        self._actions[step, part] = actions[:, 0]
        self._log_probabilities[step, part] = log_probabilities.gather(1, actions)[:, 0]
        self._values[step, part] = outputs[:, NUM_ACTIONS]
        self._arrived[part].copy_(actions[:, 0], non_blocking=True)
        if event := self._events[self.parts.index(part)]:
            event.record()

    def _drawn(self, log_probabilities: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """int64 [n, 1]: an action for each row, as torch.multinomial draws it.

        That function makes the processor wait for the device, to check the probabilities.
        """
        delays = torch.empty_like(log_probabilities).exponential_(generator=self._generator)
        rates = (log_probabilities.exp() / delays).masked_fill_(~masks, -1)
        return rates.argmax(dim=1, keepdim=True)

    def choose(self, step: int, part: slice) -> NDArray[np.int64]:
        if event := self._events[self.parts.index(part)]:
            event.synchronize()
        actions: NDArray[np.int64] = self._arrived[part].numpy()
        self._rollout.actions[step, part] = actions
        if step == len(self._rollout.actions) - 1 and part == self.parts[-1]:
            self._rollout.values[:] = self._values.cpu().numpy()
        return actions

    def note_full_states(self, step: int, full_states: NDArray[np.uint8]) -> None:
        if event := self._shown_event:
            event.synchronize()  # what was shown before has been copied
        self._shown[:] = torch.from_numpy(full_states[:, OBS_SIZE:])
        self._hidden[step].copy_(self._shown, non_blocking=True)
        if event:
            event.record()

    def critic_values(self) -> NDArray[np.float32]:
        states = zip(self._observations, self._hidden, strict=True)
        values = [self._valued(torch.cat(seen_and_hidden, dim=1)) for seen_and_hidden in states]
        return torch.stack(values).cpu().numpy()

    def begin_update(self) -> None:
        self._returns.copy_(torch.from_numpy(self._rollout.returns))
        self._sums.zero_()

    def descend(self, rows: NDArray[np.int64], advantages: NDArray[np.float32], entropy_bonus: float) -> None:
        chosen = torch.from_numpy(rows).to(self._device, non_blocking=True)
        with self._precision():
            outputs = self._network(self._observations.view(-1, OBS_SIZE)[chosen])
        gradient, sums = device_loss_gradient(
            outputs.detach().float(),
            self._masks.view(-1, NUM_ACTIONS)[chosen],
            self._actions.view(-1)[chosen],
            self._log_probabilities.view(-1)[chosen],
            torch.from_numpy(advantages).to(self._device, non_blocking=True),
            self._returns.view(-1)[chosen],
            self._learning.clip_range,
            entropy_bonus,
            VALUE_WEIGHT,
        )
        self._sums[:-1] += sums
        outputs.backward(gradient.to(outputs))

    def correct(self, rows: NDArray[np.int64], returns: NDArray[np.float32]) -> None:
        chosen = torch.from_numpy(rows).to(self._device, non_blocking=True)
        states = [each.flatten(0, 1)[chosen] for each in (self._observations, self._hidden)]
        wanted = torch.from_numpy(returns).to(self._device, non_blocking=True)
        self._sums[-1] += self._corrected(torch.cat(states, dim=1), wanted)

    def measures(self) -> NDArray[np.float64]:
        sums: NDArray[np.float64] = self._sums.cpu().numpy()
        return sums

    def state(self) -> dict[str, NDArray[np.uint8]]:
        return {"generator": self._generator.get_state().numpy()}

    def set_state(self, state: dict[str, NDArray[np.uint8]]) -> None:
        if "generator" in state:
            self._generator.set_state(torch.from_numpy(state["generator"].copy()))
