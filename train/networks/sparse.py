"""Fully connected layers that skip the zeros in what they read.

About 90 of a network's 704 inputs differ from 0, and after ReLU most units of a trained layer are 0: 80% of
them after a million decisions, 94% in the champion. A product then needs only the weights behind the other
units. So do its gradients: that of the weights skips the same zeros, and that of the inputs the zeros in the
gradient that comes back. The results are those of a dense layer, up to rounding.

The entries are found as for agents (`wizard_env.agents.layers`). The products are those of `embedding_bag`,
which is up to a tenth faster than `add_rows` in the shapes of learning: FBGEMM has vector instructions for it
(Khudia et al. 2021, "FBGEMM: Enabling High-Performance Low-Precision Deep Learning Inference").
"""

import platform
from typing import Any

import torch
from torch.nn.functional import embedding_bag

from wizard_env.agents.layers import Entries

_HAS_KERNELS = platform.machine().lower() in ("x86_64", "amd64")
"""FBGEMM has kernels for this processor."""
_DENSE = 0.4
"""The share of entries other than 0 from which a dense product is faster."""
_SAMPLE = 16
"""The rows that this share is estimated by."""
_NARROW, _BLOCK = 256, 128
"""The columns of a matrix that stays in the second-level cache, and those of the blocks of a wider one."""


def skips_zeros(inputs: torch.Tensor) -> bool:
    """Return whether `linear` can compute a layer of these inputs: float32, on an x86 processor."""
    on_processor = _HAS_KERNELS and inputs.device.type == "cpu" and not torch.is_autocast_enabled("cpu")
    return on_processor and inputs.dtype == torch.float32 and inputs.dim() == 2


def linear(
    inputs: torch.Tensor, weights: torch.Tensor, biases: torch.Tensor, *, relu: bool = False
) -> torch.Tensor:
    """Compute a fully connected layer, [n, outputs], and ReLU behind it if asked for.

    Args:
        inputs: float32 [n, inputs], see `skips_zeros`.
        weights: float32 [inputs, outputs], contiguous: those of a layer that `order_by_input` has returned.
        biases: float32 [outputs].
        relu: whether ReLU follows.
    """
    result: torch.Tensor = _Linear.apply(inputs, weights, biases, relu)  # type: ignore[no-untyped-call]
    return result


def order_by_input(layer: torch.nn.Linear) -> torch.nn.Linear:
    """Reorder the memory of a layer, so that the weights behind an input are adjacent; returns the layer.

    A fused optimiser takes gradients to be in the order of their parameter. Those of autograd are; code that
    changes one must write into it.
    """
    layer.weight = torch.nn.Parameter(layer.weight.detach().t().contiguous().t())
    return layer


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, weights: torch.Tensor, biases: torch.Tensor, relu: bool
    ) -> Any:
        ctx.entries = _entries(inputs)
        if ctx.entries is None:
            outputs = torch.addmm(biases, inputs, weights)
        else:
            outputs = _times(ctx.entries, weights).add_(biases)
        if relu:
            outputs.relu_()
        ctx.relu = relu
        ctx.save_for_backward(inputs, weights, outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        inputs, weights, outputs = (tensor.detach() for tensor in ctx.saved_tensors)
        if ctx.relu:
            gradient = torch.ops.aten.threshold_backward(gradient, outputs, 0)
        read, returned = ctx.entries, _entries(gradient)
        of_inputs = None
        if ctx.needs_input_grad[0]:
            of_inputs = (
                gradient @ weights.t() if returned is None else _times(returned, weights.t().contiguous())
            )
        if read is not None and (returned is None or len(read.values) < len(returned.values)):
            of_weights = _times(read.transposed(inputs.shape[1]), gradient)
        elif returned is not None:
            of_weights = _times(returned.transposed(gradient.shape[1]), inputs).t()
        else:
            of_weights = inputs.t() @ gradient
        return of_inputs, of_weights, gradient.sum(dim=0), None


def _entries(matrix: torch.Tensor) -> Entries | None:
    """Return the entries of a matrix, or None where a dense product is faster."""
    sample = matrix[:_SAMPLE]
    if int(sample.count_nonzero()) > _DENSE * sample.numel():
        return None
    return Entries.of(matrix.detach().numpy())


def _times(entries: Entries, matrix: torch.Tensor) -> torch.Tensor:
    """Return the product with a dense matrix, float32 [columns, k]: float32 [rows, k]."""
    if matrix.shape[1] > _NARROW:
        blocks = torch.split(matrix, _BLOCK, dim=1)
        return torch.cat([_times(entries, block.contiguous()) for block in blocks], dim=1)
    starts, columns, values = map(torch.from_numpy, entries)
    return embedding_bag(
        columns, matrix, starts, mode="sum", per_sample_weights=values, include_last_offset=True
    )
