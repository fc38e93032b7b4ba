"""Building networks of fully connected layers: a policy with a value, and a critic that sees all hands."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.agents.network import find_encoding, input_scale
from wizard_env.evaluation.workers import torch_on_one_thread
from wizard_env.observation.fields import FULL_HIGHS, OBS_SIZE
from wizard_env.sampling import best_legal
from wizard_env.train.networks.growth import grown
from wizard_env.train.networks.sparse import linear, skips_zeros, with_table
from wizard_env.view import Actions, View, printed_actions

KINDS = ("weight", "bias")
"""The parameters of a layer."""
MAX_GRADIENT_NORM = 0.5
"""What the gradient of a network is clipped to."""
Layer: TypeAlias = tuple[torch.Tensor, torch.Tensor]
"""The weights [outputs, inputs] and biases [outputs] of a fully connected layer."""


class DivergedError(ValueError):
    """Training has led to weights that are not finite."""


def check_finite(parameters: Iterable[torch.Tensor], decisions: int) -> None:
    """Raise DivergedError if weights are infinite or not numbers, before they are saved or act.

    decisions: how many have been learned from, for the message.
    """
    if not all(torch.isfinite(values).all() for values in parameters):
        raise DivergedError(
            f"training diverged: after {decisions} decisions the network has weights that are not finite; "
            "the last checkpoint is from before; try a lower learning_rate"
        )


def linear_layers(widths: Sequence[int]) -> list[torch.nn.Linear]:
    """Fully connected layers, one after another; `widths` runs from the inputs to the outputs."""
    return [torch.nn.Linear(*sizes) for sizes in pairwise(widths)]


def fully_connected(widths: Sequence[int]) -> torch.nn.Sequential:
    """The layers of `linear_layers` as one module, with ReLU between them."""
    modules = [module for linear in linear_layers(widths) for module in (linear, torch.nn.ReLU())]
    return torch.nn.Sequential(*modules[:-1])


def layers_of(module: torch.nn.Module) -> list[Layer]:
    """The fully connected layers of a module, in order."""
    return [
        (linear.weight, linear.bias) for linear in module.modules() if isinstance(linear, torch.nn.Linear)
    ]


def agent_weights(layers: Iterable[Layer]) -> dict[str, torch.Tensor]:
    """The layers of a policy, named as `wizard_env.agents.network.save_agent` takes them."""
    return {
        f"layer.{number}.{kind}": values.detach().cpu().contiguous()
        for number, layer in enumerate(layers)
        for kind, values in zip(KINDS, layer, strict=True)
    }


class Mlp(torch.nn.Module):
    """Scaled inputs, fully connected layers with ReLU, and a last layer without."""

    def __init__(
        self, scale: NDArray[np.float32], layers: Sequence[int], gains: Sequence[float], seed: int
    ) -> None:
        """Draw orthogonal weights (Saxe et al. 2014).

        Args:
            scale: float32 [inputs], what the inputs are multiplied by.
            layers: widths of the hidden layers.
            gains: the gain of each output's weights.
            seed: of the weights.
        """
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)
        *trunk, head = map(with_table, linear_layers([len(scale), *layers, len(gains)]))
        self.trunk = torch.nn.ModuleList(trunk)
        self.head = head
        with torch.no_grad(), torch_on_one_thread():  # the decomposition depends on the number of threads
            for layer in (*trunk, head):
                layer.bias.zero_()
            for layer in trunk:
                torch.nn.init.orthogonal_(layer.weight, 2**0.5, generator=generator)
            start = 0
            for gain in dict.fromkeys(gains):  # outputs of the same gain are orthogonal to each other
                stop = start + list(gains).count(gain)
                torch.nn.init.orthogonal_(head.weight[start:stop], gain, generator=generator)
                start = stop

    def hold_in(self, precision: str) -> None:
        """Convert the weights to a precision, as in "bfloat16": once, where autocast would at every call."""
        for part in (self.trunk, self.head):
            part.to(getattr(torch, precision))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """uint8 [n, inputs] to [n, outputs]."""
        hidden = (inputs.float() * self.scale).to(self.head.weight.dtype)
        if skips_zeros(hidden):
            for weight, bias in layers_of(self.trunk):
                hidden = linear(hidden, weight, bias, relu=True)
            return linear(hidden, self.head.weight, self.head.bias)
        for layer in self.trunk:
            hidden = torch.relu(layer(hidden))
        outputs: torch.Tensor = self.head(hidden)
        return outputs


class PolicyValueNetwork(Mlp):
    """From observations, uint8 [n, OBS_SIZE], to [n, NUM_ACTIONS + 1]: logits, and the value last."""

    def __init__(self, layers: Sequence[int], seed: int, encoding: str = "") -> None:
        """Draw the weights; those of the policy's outputs are small.

        encoding: where to import an encoding of one's own, see `wizard_env.agents.network.find_encoding`.
        """
        encode, scale = None, input_scale()
        if encoding:
            encode, inputs = find_encoding(encoding)
            scale = np.ones(inputs, np.float32)
        super().__init__(scale, layers, [0.01] * NUM_ACTIONS + [1.0], seed)
        self._encode = encode

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """uint8 [n, OBS_SIZE] to [n, NUM_ACTIONS + 1]."""
        return super().forward(inputs if self._encode is None else self._encode(inputs))

    def agent(self, value_unit: float | None = None) -> dict[str, torch.Tensor]:
        """The weights as `wizard_env.agents.network.save_agent` takes them.

        value_unit: the points that a value of 1 stands for; None leaves the value out.
        """
        weights = agent_weights(self._policy_layers())
        if value_unit is not None:
            for kind, values in zip(KINDS, self._value_layer(), strict=True):
                weights[f"value.{kind}"] = (values.detach() * value_unit).cpu().contiguous()
        return weights

    def begin_as(self, weights: Mapping[str, NDArray[np.float32]], value_unit: float | None = None) -> None:
        """Take over what `agent` returned for a network of these layers or smaller ones.

        A value that is missing is kept.

        Raises:
            ValueError: it has more or wider layers.
        """
        small = {name: torch.from_numpy(values) for name, values in weights.items()}
        with torch.no_grad():
            large = grown(small, self.agent(value_unit))
            for number, layer in enumerate(self._policy_layers()):
                for kind, values in zip(KINDS, layer, strict=True):
                    values.copy_(large[f"layer.{number}.{kind}"])
            if value_unit is not None:
                for kind, values in zip(KINDS, self._value_layer(), strict=True):
                    values.copy_(large[f"value.{kind}"] / value_unit)

    def _policy_layers(self) -> list[Layer]:
        """The layers from observations to logits; views of the parameters."""
        return [*layers_of(self.trunk), (self.head.weight[:NUM_ACTIONS], self.head.bias[:NUM_ACTIONS])]

    def _value_layer(self) -> Layer:
        """The last layer of the value, over the same trunk; a view of the parameters."""
        return self.head.weight[NUM_ACTIONS:], self.head.bias[NUM_ACTIONS:]


class GreedyAgent:
    """An agent that takes the likeliest action of a network that is in memory."""

    def __init__(self, network: PolicyValueNetwork) -> None:
        self.network = network

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        observations = torch.from_numpy(encoding.observation).to(self.network.scale.device)
        with torch.inference_mode():
            logits = self.network(observations)[:, :NUM_ACTIONS].float().cpu().numpy()
        return printed_actions(best_legal(logits, encoding.mask), encoding.order)


class Critic(Mlp):
    """From full states, uint8 [n, FULL_SIZE], hidden cards included, to values [n, 1]."""

    def __init__(self, layers: Sequence[int], seed: int) -> None:
        hidden = np.float32(1) / np.sqrt(FULL_HIGHS[OBS_SIZE:].astype(np.float32))
        super().__init__(np.concatenate([input_scale(), hidden]), layers, [1.0], seed)


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Compute in bfloat16 where `precision` asks for it; leave float32 alone."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")
