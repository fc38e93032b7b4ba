"""Fully connected layers that skip the zeros in what they read.

About 90 of a network's 704 inputs differ from 0, and after ReLU most units of a trained layer are 0: 80% of
them after a million decisions, 94% in the champion. A product then needs only the weights behind the other
units. So do its gradients: that of the weights skips the same zeros, and that of the inputs the zeros in the
gradient that comes back. The results are those of a dense layer, up to rounding.

The entries are found, and their rows of weights added up, as for agents (`wizard_env.agents.layers`).
"""

from typing import Any

import torch

from wizard_env.agents.layers import Entries, Layer

_DENSE = 0.4
"""The share of entries other than 0 from which a dense product is faster."""
_SAMPLE = 16
"""The rows that this share is estimated by."""


def skips_zeros(parameter: torch.Tensor) -> bool:
    """Return whether `linear` can compute a layer with this parameter: in float32, on a processor."""
    on_processor = parameter.device.type == "cpu" and not torch.is_autocast_enabled("cpu")
    return on_processor and parameter.dtype == torch.float32


def linear(
    inputs: torch.Tensor,
    weights: torch.Tensor,
    biases: torch.Tensor,
    *,
    relu: bool = False,
    scale: torch.Tensor | None = None,
) -> torch.Tensor:
    """Compute a fully connected layer, [n, outputs], and ReLU behind it if asked for.

    Args:
        inputs: float32 [n, inputs]; or uint8 with a scale.
        weights: float32 [inputs, outputs], contiguous: those of a layer that `order_by_input` has returned.
        biases: float32 [outputs].
        relu: whether ReLU follows.
        scale: float32 [inputs], the factors on inputs of bytes.
    """
    result: torch.Tensor = _Linear.apply(inputs, weights, biases, relu, scale)  # type: ignore[no-untyped-call]
    return result


def order_by_input(layer: torch.nn.Linear) -> torch.nn.Linear:
    """Reorder the memory of a layer, so that the weights behind an input are adjacent; returns the layer."""
    layer.weight = torch.nn.Parameter(layer.weight.detach().t().contiguous().t())
    return layer


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        inputs: torch.Tensor,
        weights: torch.Tensor,
        biases: torch.Tensor,
        relu: bool,
        scale: torch.Tensor | None,
    ) -> Any:
        if scale is not None:
            ctx.entries = Entries.of_bytes(inputs.numpy(), scale.numpy())
        else:
            ctx.entries = _entries(inputs)
        if ctx.entries is None:
            outputs = torch.addmm(biases, inputs, weights)
            if relu:
                outputs.relu_()
        else:
            outputs = _times(ctx.entries, weights, biases, relu)
        ctx.relu = relu
        ctx.save_for_backward(inputs, weights, outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        inputs, weights, outputs = (tensor.detach() for tensor in ctx.saved_tensors)
        if ctx.relu:
            gradient = torch.ops.aten.threshold_backward(gradient, outputs, 0)
        read: Entries | None = ctx.entries
        num_inputs, num_outputs = weights.shape
        returned = _entries(gradient) if inputs.dtype == torch.float32 else None
        of_inputs = None
        if ctx.needs_input_grad[0]:
            of_inputs = gradient @ weights.t() if returned is None else _times(returned, weights.t())
        if returned and not (read and len(read.values) * num_outputs <= len(returned.values) * num_inputs):
            of_weights = _times(returned.transposed(num_outputs), inputs).t()
        elif read:
            of_weights = _times(read.transposed(num_inputs), gradient)
        else:
            of_weights = inputs.t() @ gradient
        return of_inputs, of_weights, gradient.sum(dim=0), None, None


def _entries(matrix: torch.Tensor) -> Entries | None:
    """Return the entries of a matrix, or None where a dense product is faster."""
    sample = matrix[:_SAMPLE]
    if int(sample.count_nonzero()) > _DENSE * sample.numel():
        return None
    return Entries.of(matrix.detach().numpy())


def _times(
    entries: Entries, matrix: torch.Tensor, added: torch.Tensor | None = None, relu: bool = False
) -> torch.Tensor:
    """Return the product with a dense matrix, float32 [columns, k]: float32 [rows, k].

    added: float32 [k], to each row. relu: whether ReLU follows.
    """
    if added is None:
        added = torch.zeros(matrix.shape[1])
    layer = Layer(matrix.detach().contiguous().numpy(), added.detach().numpy())  # numpy transposes slowly
    return torch.from_numpy(entries.times(layer, relu=relu))
