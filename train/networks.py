"""The networks that `train.ppo` learns: a policy with a value, and a critic that sees all hands."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from agents.network import input_scale
from wizard_env import NUM_ACTIONS
from wizard_env.observation import FULL_HIGHS, OBS_SIZE
from wizard_env.view import Actions, View, print_actions


class Mlp(torch.nn.Module):
    """Scaled inputs, fully connected layers with ReLU, and a last one without."""

    def __init__(
        self, scale: NDArray[np.float32], layers: Sequence[int], gains: Sequence[float], seed: int
    ) -> None:
        """Draw orthogonal weights (Saxe et al. 2014).

        Args:
            scale: float32 [inputs], what the inputs are multiplied with.
            layers: widths of the hidden layers.
            gains: of each output's weights.
            seed: of the weights.
        """
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)
        trunk = [torch.nn.Linear(*sizes) for sizes in pairwise([len(scale), *layers])]
        self.trunk = torch.nn.ModuleList(trunk)
        self.head = torch.nn.Linear(layers[-1], len(gains))
        with torch.no_grad():
            for linear in (*trunk, self.head):
                linear.bias.zero_()
            for linear in trunk:
                torch.nn.init.orthogonal_(linear.weight, 2**0.5, generator=generator)
            start = 0
            for gain in dict.fromkeys(gains):  # outputs of one gain are orthogonal to each other
                stop = start + list(gains).count(gain)
                torch.nn.init.orthogonal_(self.head.weight[start:stop], gain, generator=generator)
                start = stop

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """uint8 [n, inputs] to [n, outputs]."""
        hidden = inputs * self.scale
        for linear in self.trunk:
            hidden = torch.relu(linear(hidden))
        outputs: torch.Tensor = self.head(hidden)
        return outputs


class Network(Mlp):
    """From observations, uint8 [n, OBS_SIZE], to [n, NUM_ACTIONS + 1]: logits, and the value last."""

    def __init__(self, layers: Sequence[int], seed: int) -> None:
        """Draw weights, small ones for the policy."""
        super().__init__(input_scale(), layers, [0.01] * NUM_ACTIONS + [1.0], seed)

    def agent(self) -> dict[str, torch.Tensor]:
        """The weights that choose actions, named for `agents.network`."""
        weights: dict[str, torch.Tensor] = {}
        for number, linear in enumerate((*self.trunk, self.head)):
            outputs = NUM_ACTIONS if linear is self.head else None
            for name, values in (("weight", linear.weight), ("bias", linear.bias)):
                weights[f"layer.{number}.{name}"] = values.detach()[:outputs].cpu().contiguous()
        return weights

    def begin_as(self, weights: dict[str, torch.Tensor]) -> None:
        """Take over what `agent` returned, of a network of the same layers; the value keeps its own.

        Raises:
            ValueError: the layers are others.
        """
        own = self.agent()
        if {name: value.shape for name, value in own.items()} != {
            name: value.shape for name, value in weights.items()
        }:
            widths = [len(value) for name, value in weights.items() if name.endswith("bias")]
            raise ValueError(f"a network of layers {widths[:-1]}: those of this one are other")
        with torch.no_grad():
            for number, linear in enumerate((*self.trunk, self.head)):
                outputs = NUM_ACTIONS if linear is self.head else None
                linear.weight[:outputs] = weights[f"layer.{number}.weight"]
                linear.bias[:outputs] = weights[f"layer.{number}.bias"]


class Greedy:
    """An agent that takes the likeliest action of a network in memory."""

    def __init__(self, network: Network, precision: str = "float32") -> None:
        """precision: what it computes in, float32 or bfloat16."""
        self.network = network
        self._autocast = precision == "bfloat16"

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        device = self.network.scale.device
        observations = torch.from_numpy(encoding.observation).to(device)
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=self._autocast):
            logits = self.network(observations)[:, :NUM_ACTIONS].float().cpu().numpy()
        return print_actions(np.where(encoding.mask, logits, -np.inf).argmax(axis=1), encoding.order)


class Critic(Mlp):
    """From full states, uint8 [n, FULL_SIZE], hidden cards included, to values [n, 1]."""

    def __init__(self, layers: Sequence[int], seed: int) -> None:
        hidden = np.float32(1) / np.sqrt(FULL_HIGHS[OBS_SIZE:].astype(np.float32))
        super().__init__(np.concatenate([input_scale(), hidden]), layers, [1.0], seed)
