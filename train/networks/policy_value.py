"""The networks of policy and value: a policy with a value, and a critic that sees all hands."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.memory import Memory
from wizard_env.agents.layers import Layer
from wizard_env.agents.network import find_encoding, input_scale
from wizard_env.evaluation.workers import torch_on_one_thread
from wizard_env.observation.fields import FULL_HIGHS, OBS_SIZE, USED_SIZE
from wizard_env.sampling import best_legal
from wizard_env.train.networks.growth import VALUE, grow
from wizard_env.train.networks.layers import agent_weights, layers_of, linear_layers
from wizard_env.train.networks.sparse import linear, order_by_input, skips_zeros
from wizard_env.view import Actions, View, printed_actions


class Mlp(torch.nn.Module):
    """Scaled inputs, fully connected layers with ReLU, and a last layer without."""

    def __init__(
        self, scale: NDArray[np.float32], layers: Sequence[int], gains: Mapping[float, int], seed: int
    ) -> None:
        """Draw orthogonal weights (Saxe et al. 2014).

        scale: float32 [inputs], the factors on the inputs.
        gains: of the outputs' weights, each with its number of outputs.
        """
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)
        *trunk, head = map(order_by_input, linear_layers([len(scale), *layers, sum(gains.values())]))
        self.trunk = torch.nn.ModuleList(trunk)
        self.head = head
        with torch.no_grad(), torch_on_one_thread():  # the decomposition depends on the number of threads
            for layer in (*trunk, head):
                layer.bias.zero_()
            for layer in trunk:
                torch.nn.init.orthogonal_(layer.weight, 2**0.5, generator=generator)
            for rows, gain in zip(torch.split(head.weight, list(gains.values())), gains, strict=True):
                torch.nn.init.orthogonal_(rows, gain, generator=generator)

    def hold_in(self, precision: str) -> None:
        """Convert the weights to a precision once, where autocast would at every call."""
        for part in (self.trunk, self.head):
            part.to(getattr(torch, precision))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Compute outputs, [n, outputs], from inputs, uint8 [n, inputs]."""
        if skips_zeros(self.head.weight):
            first, *others = layers_of(self.trunk)
            if inputs.dtype == torch.uint8:
                hidden = linear(inputs, *first, relu=True, scale=self.scale)
            else:  # of a custom encoding
                hidden = linear(inputs.float() * self.scale, *first, relu=True)
            for other in others:
                hidden = linear(hidden, *other, relu=True)
            return linear(hidden, self.head.weight.t(), self.head.bias)
        hidden = (inputs.float() * self.scale).to(self.head.weight.dtype)
        for layer in self.trunk:
            hidden = torch.relu(layer(hidden))
        outputs: torch.Tensor = self.head(hidden)
        return outputs


class PolicyValueNetwork(Mlp):
    """A policy and its value; the outputs are logits, and the value last."""

    def __init__(self, layers: Sequence[int], seed: int, encoding: str = "", beliefs: int = 0) -> None:
        """Draw the weights.

        encoding: a custom one to import, see `wizard_env.agents.network.find_encoding`.
        beliefs: the number of inputs for beliefs, after the observation.
        """
        encode, scale = None, input_scale(beliefs)
        if encoding:
            encode, inputs = find_encoding(encoding)
            scale = np.ones(inputs, np.float32)
        super().__init__(scale, layers, {0.01: NUM_ACTIONS, 1.0: 1}, seed)
        self._encode = encode
        self.beliefs = beliefs

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Compute logits and values, [n, NUM_ACTIONS + 1], from uint8 [n, OBS_SIZE + beliefs]."""
        return super().forward(inputs if self._encode is None else self._encode(inputs))

    def agent(self, value_unit: float | None = None) -> dict[str, torch.Tensor]:
        """Return the weights as `wizard_env.agents.network.save_agent` takes them.

        value_unit: the points that a value of 1 stands for; None leaves the value out.
        """
        weights = agent_weights(self._policy_layers())
        if value_unit is not None:
            value = agent_weights([self._value_layer()])
            for kind in ("weight", "bias"):
                weights[f"{VALUE}.{kind}"] = value[f"layer.0.{kind}"] * value_unit
        return weights

    def start_from(self, weights: Mapping[str, NDArray[np.float32]], value_unit: float | None = None) -> None:
        """Take over the weights of `agent`, of a network of these layers or smaller ones.

        If they hold no value, this network keeps its own. Raises ValueError for more or wider layers.
        """
        small = {name: torch.from_numpy(values) for name, values in weights.items()}
        with torch.no_grad():
            large = grow(small, self.agent(value_unit))
            for number, (layer_weights, biases) in enumerate(self._policy_layers()):
                layer_weights.copy_(large[f"layer.{number}.weight"].t())
                biases.copy_(large[f"layer.{number}.bias"])
            if value_unit is not None:
                value_weights, biases = self._value_layer()
                value_weights.copy_(large[f"{VALUE}.weight"].t() / value_unit)
                biases.copy_(large[f"{VALUE}.bias"] / value_unit)

    def _policy_layers(self) -> list[Layer]:
        """Return the layers from observations to logits; views of the parameters."""
        head = Layer(self.head.weight[:NUM_ACTIONS].t(), self.head.bias[:NUM_ACTIONS])
        return [*layers_of(self.trunk), head]

    def _value_layer(self) -> Layer:
        """Return the last layer of the value, over the same trunk; a view of the parameters."""
        return Layer(self.head.weight[NUM_ACTIONS:].t(), self.head.bias[NUM_ACTIONS:])


def kinds_beside(network: PolicyValueNetwork) -> Kinds | None:
    """Return the kinds of players that a network tells apart; None if it reads no beliefs."""
    return Kinds(GreedyPolicy(network)) if network.beliefs else None


class GreedyPolicy:
    """A network in memory, as `Kinds` asks it."""

    def __init__(self, network: PolicyValueNetwork) -> None:
        self._network = network

    def logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], from uint8 [n, OBS_SIZE + beliefs], in canonical suits."""
        with torch.inference_mode():
            outputs = self._network(torch.from_numpy(observations).to(self._network.scale.device))
        logits: NDArray[np.float32] = outputs[:, :NUM_ACTIONS].float().cpu().numpy()
        return logits


class GreedyAgent:
    """An agent that takes the likeliest action of a network in memory."""

    def __init__(self, network: PolicyValueNetwork) -> None:
        self.network = network
        kinds = kinds_beside(network)
        self._memory = Memory(kinds) if kinds else None

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        seen = encoding.observation
        if self._memory:
            seen = np.concatenate([seen, self._memory.inputs(view)], axis=1)
        logits = GreedyPolicy(self.network).logits(seen)
        return printed_actions(best_legal(logits, encoding.mask), encoding.order)


class Critic(Mlp):
    """The value, [n, 1], of full states, uint8 [n, FULL_SIZE + beliefs].

    A full state is an observation, beliefs, and what is hidden.
    """

    def __init__(self, layers: Sequence[int], seed: int, beliefs: int = 0) -> None:
        hidden = np.float32(1) / np.sqrt(FULL_HIGHS[OBS_SIZE:].astype(np.float32))
        super().__init__(np.concatenate([input_scale(beliefs), hidden]), layers, {1.0: 1}, seed)

    def portable_state(self) -> dict[str, torch.Tensor]:
        """Return its state for a file, without the weights of entries that are spare."""
        state = {name: values.cpu() for name, values in self.state_dict().items()}
        first = state["trunk.0.weight"]
        state["trunk.0.weight"] = torch.cat([first[:, :USED_SIZE], first[:, OBS_SIZE:]], dim=1)
        return state

    def start_from(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Take over the `portable_state` of a critic of these layers, which may read no beliefs.

        Raises RuntimeError for other layers.
        """
        first = weights["trunk.0.weight"]
        observed, hidden = first[:, :USED_SIZE], first[:, USED_SIZE:]
        more = max(len(self.scale) - first.shape[1], 0)
        grown = torch.cat([observed, first.new_zeros(len(first), more), hidden], dim=1)
        self.load_state_dict({**weights, "trunk.0.weight": grown})
