"""Fully connected layers that skip the zeros in what they read.

About 90 of a network's 704 inputs differ from 0, and after ReLU most units of a trained layer are 0: 80% of
them after a million decisions, 94% in the champion. A product then needs only the weights behind the other
units. So do its gradients: that of the weights skips the same zeros, and that of the inputs the zeros in the
gradient that comes back. The results are those of a dense layer, up to rounding.

The products are those of `embedding_bag`, for which FBGEMM has vector instructions (Khudia et al. 2021,
"FBGEMM: Enabling High-Performance Low-Precision Deep Learning Inference").
"""

import platform
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import embedding_bag

from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import at, kernel
from wizard_env.compiled.packing import WORD_BITS, pack_bits

_HAS_KERNELS = platform.machine().lower() in ("x86_64", "amd64")
"""FBGEMM has kernels for this processor."""
_DENSE = 0.4
"""The share of entries other than 0 from which a dense product is faster."""
_SAMPLE = 16
"""The rows that this share is estimated by."""
_NARROW, _BLOCK = 256, 128
"""The columns of a matrix that stays in the second-level cache, and those of the blocks of a wider one."""


class NonZeros(NamedTuple):
    """The entries of a matrix that differ from 0, row by row."""

    starts: torch.Tensor
    """int32 [rows + 1], the first entry of each row; last, the number of entries."""
    columns: torch.Tensor
    """int32 [entries]."""
    values: torch.Tensor
    """float32 [entries]."""

    @classmethod
    def of(cls, matrix: torch.Tensor) -> "NonZeros":
        """Find the entries. matrix: float32 [rows, columns] on the processor."""
        dense = matrix.detach().contiguous().numpy()
        starts = np.empty(len(dense) + 1, np.int32)
        columns, values = np.empty(dense.size, np.int32), np.empty(dense.size, np.float32)
        count = _find_entries(dense, starts, columns, values)
        return cls(*map(torch.from_numpy, (starts, columns[:count], values[:count])))

    def transposed(self, width: int) -> "NonZeros":
        """Return the entries of the transposed matrix. width: the number of columns of this one."""
        starts = np.zeros(width + 1, np.int32)
        rows, values = np.empty(len(self.columns), np.int32), np.empty(len(self.columns), np.float32)
        _transpose(self.starts.numpy(), self.columns.numpy(), self.values.numpy(), starts, rows, values)
        return NonZeros(*map(torch.from_numpy, (starts, rows, values)))

    def times(self, matrix: torch.Tensor) -> torch.Tensor:
        """Return the product with a dense matrix, float32 [columns, k]: float32 [rows, k]."""
        if matrix.shape[1] > _NARROW:
            blocks = torch.split(matrix, _BLOCK, dim=1)
            return torch.cat([self.times(block.contiguous()) for block in blocks], dim=1)
        return embedding_bag(
            self.columns,
            matrix,
            self.starts,
            mode="sum",
            per_sample_weights=self.values,
            include_last_offset=True,
        )


def skips_zeros(inputs: torch.Tensor) -> bool:
    """Return whether `linear` can compute a layer of these inputs: float32, on an x86 processor."""
    on_processor = _HAS_KERNELS and inputs.device.type == "cpu" and not torch.is_autocast_enabled("cpu")
    return on_processor and inputs.dtype == torch.float32 and inputs.dim() == 2


def linear(
    inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, *, relu: bool = False
) -> torch.Tensor:
    """Compute a fully connected layer, [n, outputs], and ReLU behind it if asked for.

    Args:
        inputs: float32 [n, inputs], see `skips_zeros`.
        weight: float32 [outputs, inputs], of a layer that `order_by_input` has returned.
        bias: float32 [outputs].
        relu: whether ReLU follows.
    """
    result: torch.Tensor = _Linear.apply(inputs, weight, bias, relu)  # type: ignore[no-untyped-call]
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
    def forward(ctx: Any, inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, relu: bool) -> Any:
        by_input = weight.detach().t()
        ctx.entries = _entries(inputs)
        if ctx.entries is None:
            outputs = torch.addmm(bias, inputs, by_input)
        else:
            outputs = ctx.entries.times(by_input).add_(bias)
        if relu:
            outputs.relu_()
        ctx.relu = relu
        ctx.save_for_backward(inputs, weight, outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        inputs, weight, outputs = (tensor.detach() for tensor in ctx.saved_tensors)
        if ctx.relu:
            gradient = torch.ops.aten.threshold_backward(gradient, outputs, 0)
        read, returned = ctx.entries, _entries(gradient)
        of_inputs = None
        if ctx.needs_input_grad[0]:
            of_inputs = gradient @ weight if returned is None else returned.times(weight.contiguous())
        if read is not None and (returned is None or len(read.values) < len(returned.values)):
            of_weight = read.transposed(inputs.shape[1]).times(gradient).t()
        elif returned is not None:
            of_weight = returned.transposed(gradient.shape[1]).times(inputs)
        else:
            of_weight = (inputs.t() @ gradient).t()
        return of_inputs, of_weight, gradient.sum(dim=0), None


def _entries(matrix: torch.Tensor) -> NonZeros | None:
    """Return the entries of a matrix, or None where a dense product is faster."""
    sample = matrix[:_SAMPLE]
    if int(sample.count_nonzero()) > _DENSE * sample.numel():
        return None
    return NonZeros.of(matrix)


@kernel([[np.float32]], [np.int32], [np.int32], [np.float32])
def _find_entries(matrix: Any, starts: Any, columns: Any, values: Any) -> int:
    """Write the entries other than 0, and return how many there are."""
    width = matrix.shape[1]
    flat = matrix.reshape(-1)
    count = 0
    for row in range(matrix.shape[0]):
        starts[row] = count
        first = row * width
        if width < WORD_BITS:
            for column in range(width):
                if flat[first + column] != 0:
                    columns[count] = column
                    values[count] = flat[first + column]
                    count += 1
            continue
        for block in range(0, width, WORD_BITS):
            start = min(block, width - WORD_BITS)  # the last block overlaps the one before
            left = pack_bits(flat, first + start) & (-1 << (block - start))
            while left:
                column = start + lowest_bit(left)
                left &= left - 1
                columns[at(count)] = column
                values[at(count)] = flat[at(first + column)]
                count += 1
    starts[matrix.shape[0]] = count
    return count


@kernel([np.int32], [np.int32], [np.float32], [np.int32], [np.int32], [np.float32])
def _transpose(starts: Any, columns: Any, values: Any, new_starts: Any, rows: Any, new_values: Any) -> None:
    """Write the entries column by column. new_starts: zeros."""
    for entry in range(len(columns)):
        new_starts[columns[entry] + 1] += 1
    for column in range(1, len(new_starts)):
        new_starts[column] += new_starts[column - 1]
    free = new_starts.copy()
    for row in range(len(starts) - 1):
        for entry in range(starts[row], starts[row + 1]):
            to = free[columns[entry]]
            free[columns[entry]] += 1
            rows[to] = row
            new_values[to] = values[entry]
