"""The networks that learn: a policy with a value, and a critic that sees all hands."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.agents.network import input_scale
from wizard_env.observation.fields import FULL_HIGHS, OBS_SIZE
from wizard_env.sampling import best_legal
from wizard_env.train.arena.workers import torch_on_one_thread
from wizard_env.view import Actions, View, printed_actions


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
        with torch.no_grad(), torch_on_one_thread():  # the decomposition depends on their number
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


class PolicyValueNetwork(Mlp):
    """From observations, uint8 [n, OBS_SIZE], to [n, NUM_ACTIONS + 1]: logits, and the value last."""

    def __init__(self, layers: Sequence[int], seed: int) -> None:
        """Draw weights, small ones for the policy."""
        super().__init__(input_scale(), layers, [0.01] * NUM_ACTIONS + [1.0], seed)

    def agent(self, value_unit: float | None = None) -> dict[str, torch.Tensor]:
        """The weights as `wizard_env.agents.network.save_agent` takes them.

        value_unit: the points that a value of 1 stands for; None leaves the value out.
        """
        weights = self.state_dict()
        agent = {
            name.replace("trunk", "layer"): values for name, values in weights.items() if "trunk" in name
        }
        for kind in ("weight", "bias"):
            outputs = weights[f"head.{kind}"]
            agent[f"layer.{len(self.trunk)}.{kind}"] = outputs[:NUM_ACTIONS]
            if value_unit is not None:
                agent[f"value.{kind}"] = outputs[NUM_ACTIONS:] * value_unit
        return {name: values.cpu().contiguous() for name, values in agent.items()}

    def begin_as(self, weights: Mapping[str, NDArray[np.float32]], value_unit: float | None = None) -> None:
        """Take over what `agent` returned, of a network of the same layers; a value left out stays.

        Raises:
            ValueError: the layers are others.
        """
        own = self.agent(value_unit)
        if any(name not in weights or weights[name].shape != own[name].shape for name in self.agent()):
            widths = [len(values) for name, values in weights.items() if name.endswith("bias")]
            raise ValueError(
                f"a network of layers {widths}, policy and value included, cannot go on as this one"
            )
        for name, values in self.state_dict().items():
            if "trunk" in name:
                values.copy_(torch.from_numpy(weights[name.replace("trunk", "layer")]))
        for kind in ("weight", "bias"):
            outputs = self.state_dict()[f"head.{kind}"]
            outputs[:NUM_ACTIONS] = torch.from_numpy(weights[f"layer.{len(self.trunk)}.{kind}"])
            if value_unit is not None and f"value.{kind}" in weights:
                outputs[NUM_ACTIONS:] = torch.from_numpy(weights[f"value.{kind}"]) / value_unit


class GreedyAgent:
    """An agent that takes the likeliest action of a network in memory."""

    def __init__(self, network: PolicyValueNetwork, precision: str = "float32") -> None:
        """precision: what it computes in, float32 or bfloat16."""
        self.network = network
        self._precision = precision

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        device = self.network.scale.device
        observations = torch.from_numpy(encoding.observation).to(device)
        with torch.inference_mode(), autocast(device, self._precision):
            logits = self.network(observations)[:, :NUM_ACTIONS].float().cpu().numpy()
        return printed_actions(best_legal(logits, encoding.mask), encoding.order)


class Critic(Mlp):
    """From full states, uint8 [n, FULL_SIZE], hidden cards included, to values [n, 1]."""

    def __init__(self, layers: Sequence[int], seed: int) -> None:
        hidden = np.float32(1) / np.sqrt(FULL_HIGHS[OBS_SIZE:].astype(np.float32))
        super().__init__(np.concatenate([input_scale(), hidden]), layers, [1.0], seed)


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Compute in bfloat16 if that is the precision, as it is otherwise."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")
