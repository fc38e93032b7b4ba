"""Growing a network: more units and layers that change nothing until they learn.

As in Net2Net (Chen et al. 2016, "Accelerating Learning via Knowledge Transfer"), the larger network begins
as the same function. A new layer begins as the identity, which ReLU leaves alone. A new unit is no copy of
an old one: it keeps the random weights that it was drawn with, and nothing old reads it yet.
"""

from collections.abc import Mapping

import torch

VALUE = "value"
"""The layer that reads the same units as the last one."""


def grown(small: Mapping[str, torch.Tensor], large: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of a large network that plays like a small one.

    Args:
        small: an agent's weights, named as `wizard_env.agents.network.save_agent` takes them.
        large: a fresh agent's, with as many units in each layer or more, and as many layers or more. Where
            `small` has no value, its own is kept.

    Raises:
        ValueError: `large` has fewer layers, narrower ones, or other inputs or outputs.
    """
    *old, outputs = _names(small)
    *new, last = _names(large)
    widths = [_width(small, name) for name in old]
    wanted = [_width(large, name) for name in new]
    least = widths + widths[-1:] * (len(wanted) - len(widths))
    inputs = {len(weights[f"{_names(weights)[0]}.weight"][0]) for weights in (small, large)}
    if (
        len(wanted) < len(widths)
        or any(have < need for have, need in zip(wanted, least, strict=True))
        or len(inputs) > 1
        or _width(small, outputs) != _width(large, last)
    ):
        raise ValueError(
            f"a network of layers {[*wanted, _width(large, last)]} cannot start from one of layers "
            f"{[*widths, _width(small, outputs)]} (outputs included): allowed are as many layers or more, "
            "as wide or wider"
        )
    weights = {name: values.detach().clone() for name, values in large.items()}
    for name in new:
        if name in old:
            _place(small[f"{name}.weight"], small[f"{name}.bias"], weights, name)
        else:
            _place(torch.eye(widths[-1]), torch.zeros(widths[-1]), weights, name)
    _place(small[f"{outputs}.weight"], small[f"{outputs}.bias"], weights, last)
    if f"{VALUE}.weight" in small and f"{VALUE}.weight" in large:
        _place(small[f"{VALUE}.weight"], small[f"{VALUE}.bias"], weights, VALUE)
    return weights


def _names(weights: Mapping[str, torch.Tensor]) -> list[str]:
    """The layers of the policy, from the observation to the logits."""
    return [
        f"layer.{number}"
        for number in range(sum(f"layer.{at}.bias" in weights for at in range(len(weights))))
    ]


def _width(weights: Mapping[str, torch.Tensor], name: str) -> int:
    return len(weights[f"{name}.bias"])


def _place(weight: torch.Tensor, bias: torch.Tensor, weights: dict[str, torch.Tensor], name: str) -> None:
    """Write a layer into a larger one; its outputs read its own inputs and nothing else."""
    outputs, inputs = weight.shape
    weights[f"{name}.weight"][:outputs] = 0
    weights[f"{name}.weight"][:outputs, :inputs] = weight
    weights[f"{name}.bias"][:outputs] = bias
