"""Fully connected layers: building them, naming their weights, and checking that they stay finite."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import torch

from wizard_env.agents.layers import Layer
from wizard_env.checks import check_memory, shortened

MAX_GRADIENT_NORM = 0.5
"""The norm that the gradient of a network is clipped to."""


_WEIGHT_BYTES = 4 * 4
"""Of a weight, its gradient, and its two moments in Adam."""


class DivergedError(ValueError):
    """Training has led to weights that are not finite."""


def check_finite(parameters: Iterable[torch.Tensor], decisions: int) -> None:
    """Raise DivergedError, which names the decisions so far, if weights are infinite or not numbers."""
    if not all(torch.isfinite(values).all() for values in parameters):
        raise DivergedError(
            f"training diverged: after {decisions} decisions the network has weights that are not finite; "
            "a checkpoint, if there is one, is from before; try a lower learning_rate, and see that a reward "
            "of your own is never nan"
        )


def as_stored(tensor: torch.Tensor) -> torch.Tensor:
    """Return a view of a tensor that is contiguous: a matrix that is stored by columns is transposed."""
    return tensor.t() if tensor.dim() == 2 and not tensor.is_contiguous() else tensor


def linear_layers(widths: Sequence[int]) -> list[torch.nn.Linear]:
    """Return fully connected layers, one after another; `widths` runs from the inputs to the outputs.

    Raises ValueError if this machine lacks the memory to train them.
    """
    weights = sum((inputs + 1) * outputs for inputs, outputs in pairwise(widths))
    check_memory(f"a network with layers of {shortened(' '.join(map(str, widths)))}", weights * _WEIGHT_BYTES)
    return [torch.nn.Linear(*sizes) for sizes in pairwise(widths)]


def fully_connected(widths: Sequence[int]) -> torch.nn.Sequential:
    """Return the layers of `linear_layers` as one module, with ReLU between them."""
    modules = [module for linear in linear_layers(widths) for module in (linear, torch.nn.ReLU())]
    return torch.nn.Sequential(*modules[:-1])


def layers_of(module: torch.nn.Module) -> list[Layer]:
    """Return the fully connected layers of a module, in order; their weights are views."""
    return [
        Layer(linear.weight.t(), linear.bias)
        for linear in module.modules()
        if isinstance(linear, torch.nn.Linear)
    ]


def agent_weights(layers: Iterable[Layer]) -> dict[str, torch.Tensor]:
    """Return the weights of a policy, named as `wizard_env.agents.network.save_agent` takes them."""
    named: dict[str, torch.Tensor] = {}
    for number, (weights, biases) in enumerate(layers):
        named[f"layer.{number}.weight"] = weights.t().detach().cpu().contiguous()
        named[f"layer.{number}.bias"] = biases.detach().cpu().contiguous()
    return named
