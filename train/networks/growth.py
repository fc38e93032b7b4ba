"""Growing a network: more units and layers that change nothing until they learn.

As in Net2Net (Chen et al. 2016, "Accelerating Learning via Knowledge Transfer"), the larger network begins
as the same function. A new layer begins as the identity, which ReLU leaves alone. A new unit is no copy of
an old one: it keeps the random weights that it was drawn with, and nothing old reads it yet.
"""

from collections.abc import Mapping

import torch

VALUE = "value"
"""The name of the value's layer, which reads the same units as the last one."""


def grow(small: Mapping[str, torch.Tensor], large: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the weights of a large network that plays like a small one.

    Args:
        small: an agent's weights, named as `wizard_env.agents.network.save_agent` takes them.
        large: a fresh agent's, with as many units in each layer or more, and as many layers or more. Where
            `small` has no value, its own is kept.

    Raises:
        ValueError: `large` has fewer layers, narrower ones, fewer inputs, or other outputs.
    """
    *old, outputs = _names(small)
    *new, last = _names(large)
    *widths, num_outputs = _widths(small)
    *wider, most_outputs = _widths(large)
    least = widths + widths[-1:] * (len(wider) - len(widths))
    inputs, more_inputs = (weights["layer.0.weight"].shape[1] for weights in (small, large))
    if (
        len(wider) < len(widths)
        or any(have < need for have, need in zip(wider, least, strict=True))
        or inputs > more_inputs
        or num_outputs != most_outputs
    ):
        raise ValueError(
            f"a network of layers {_widths(large)} cannot start from one of layers {_widths(small)} "
            "(outputs included): allowed are as many layers or more, as wide or wider"
        )
    weights = {name: values.detach().clone() for name, values in large.items()}
    for name in new:
        if name in old:
            _insert(small[f"{name}.weight"], small[f"{name}.bias"], weights, name)
        else:
            _insert(torch.eye(widths[-1]), torch.zeros(widths[-1]), weights, name)
    _insert(small[f"{outputs}.weight"], small[f"{outputs}.bias"], weights, last)
    if f"{VALUE}.weight" in small and f"{VALUE}.weight" in large:
        _insert(small[f"{VALUE}.weight"], small[f"{VALUE}.bias"], weights, VALUE)
    return weights


def _names(weights: Mapping[str, torch.Tensor]) -> list[str]:
    """Return the names of the policy's layers, from the observation to the logits."""
    names = [f"layer.{number}" for number in range(len(weights))]
    return [name for name in names if f"{name}.bias" in weights]


def _widths(weights: Mapping[str, torch.Tensor]) -> list[int]:
    return [len(weights[f"{name}.bias"]) for name in _names(weights)]


def _insert(weight: torch.Tensor, bias: torch.Tensor, weights: dict[str, torch.Tensor], name: str) -> None:
    """Write a layer into a larger one; its outputs read its own inputs and nothing else."""
    outputs, inputs = weight.shape
    weights[f"{name}.weight"][:outputs] = 0
    weights[f"{name}.weight"][:outputs, :inputs] = weight
    weights[f"{name}.bias"][:outputs] = bias
