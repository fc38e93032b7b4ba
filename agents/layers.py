"""Fully connected layers, computed by compiled code that skips zeros.

About 90 of a network's 704 inputs differ from 0, and 5 to 20% of the units of a trained layer do (ReLU): only
the weights behind those are read. Agents, searches and learners all compute their networks with `add_rows`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import at, compiled, kernel
from wizard_env.compiled.packing import WORD_BITS, pack_bits
from wizard_env.compiled.patience import runs_plain

_ROWS = 1024
"""Rows computed at a time."""


class Layer(NamedTuple):
    """The parameters of a fully connected layer: arrays of numpy, or tensors of torch."""

    weights: Any
    """float32 [inputs, outputs]"""
    biases: Any
    """float32 [outputs]"""


class Entries(NamedTuple):
    """The entries of a matrix that differ from 0, row by row."""

    starts: NDArray[np.int32]
    """[rows + 1], the first entry of each row; last, the number of entries."""
    columns: NDArray[np.int32]
    """[entries]"""
    values: NDArray[np.float32]
    """[entries]"""

    @classmethod
    def of(cls, matrix: NDArray[np.float32]) -> "Entries":
        """Find the entries. matrix: float32 [rows, columns]."""
        found = cls._room_for(matrix)
        return found._first(_find_entries(np.ascontiguousarray(matrix), *found))

    @classmethod
    def of_bytes(cls, matrix: NDArray[np.uint8], scale: NDArray[np.float32]) -> "Entries":
        """Find the entries of scaled bytes. matrix: uint8 [rows, columns]. scale: float32 [columns]."""
        found = cls._room_for(matrix)
        return found._first(_find_scaled(np.ascontiguousarray(matrix), scale, *found))

    @classmethod
    def _room_for(cls, matrix: NDArray[Any]) -> "Entries":
        size = matrix.size
        return cls(np.empty(len(matrix) + 1, np.int32), np.empty(size, np.int32), np.empty(size, np.float32))

    def _first(self, count: int) -> "Entries":
        return Entries(self.starts, self.columns[:count], self.values[:count])

    def transposed(self, width: int) -> "Entries":
        """Return the entries of the transposed matrix. width: the number of columns of this one."""
        starts = np.zeros(width + 1, np.int32)
        rows, values = np.empty_like(self.columns), np.empty_like(self.values)
        _transpose(*self, starts, rows, values)
        return Entries(starts, rows, values)

    def times(self, layer: Layer, *, relu: bool = False) -> NDArray[np.float32]:
        """Return the outputs of a layer, and of ReLU behind it if asked for: float32 [rows, outputs]."""
        weights, biases = layer
        outputs = np.empty((len(self.starts) - 1, len(biases)), np.float32)
        _multiply(*self, np.ascontiguousarray(weights).reshape(-1), biases, relu, outputs)
        return outputs


def compute(layers: Sequence[Layer], inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the outputs of layers with ReLU between them: float32 [n, outputs].

    inputs: float32 [n, inputs].
    """
    if runs_plain(_multiply):
        return _compute_densely(layers, inputs)
    outputs = np.empty((len(inputs), len(layers[-1].biases)), np.float32)
    for start in range(0, len(inputs), _ROWS):
        hidden = inputs[start : start + _ROWS]
        for number, layer in enumerate(layers):
            hidden = Entries.of(hidden).times(layer, relu=number < len(layers) - 1)
        outputs[start : start + _ROWS] = hidden
    return outputs


def _compute_densely(layers: Sequence[Layer], inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """`compute`, by numpy's products, until there is machine code."""
    *trunk, head = layers
    for layer in trunk:
        inputs = np.maximum(inputs @ layer.weights + layer.biases, 0)
    outputs: NDArray[np.float32] = inputs @ head.weights + head.biases
    return outputs


@compiled
def find_nonzeros(row: Any, first: int, width: int, columns: Any, values: Any, count: int) -> int:
    """Append the entries other than 0 of a row of numbers, and return how many entries there are then.

    Args:
        row: uint8 or float32 [any], which holds the row from `first` on.
        first: its first index.
        width: its length.
        columns: int32, written from `count` on.
        values: float32, written from `count` on.
        count: the number of entries before.
    """
    if width < WORD_BITS:
        for column in range(width):
            if row[first + column] != 0:
                columns[count] = column
                values[count] = row[first + column]
                count += 1
        return count
    for block in range(0, width, WORD_BITS):
        start = min(block, width - WORD_BITS)  # the last block overlaps the one before
        left = pack_bits(row, first + start) & (-1 << (block - start))
        while left:
            column = start + lowest_bit(left)
            left &= left - 1
            columns[at(count)] = column
            values[at(count)] = row[at(first + column)]
            count += 1
    return count


@compiled
def add_rows(columns: Any, values: Any, start: int, end: int, weights: Any, first: int, sums: Any) -> None:
    """Add the rows of a matrix that some entries name, each times the value of its entry.

    Eight rows at a time: the sums are then read and written once for eight products.

    Args:
        columns, values: of the entries; those from `start` to `end` are read.
        weights: float32 [any], which holds the matrix from `first` on, row by row.
        sums: float32 [width of the matrix], to add to.
    """
    width = len(sums)
    while start + 8 <= end:
        a = first + columns[at(start)] * width
        b = first + columns[at(start + 1)] * width
        c = first + columns[at(start + 2)] * width
        d = first + columns[at(start + 3)] * width
        e = first + columns[at(start + 4)] * width
        f = first + columns[at(start + 5)] * width
        g = first + columns[at(start + 6)] * width
        h = first + columns[at(start + 7)] * width
        va, vb, vc, vd = (
            values[at(start)],
            values[at(start + 1)],
            values[at(start + 2)],
            values[at(start + 3)],
        )
        ve, vf = values[at(start + 4)], values[at(start + 5)]
        vg, vh = values[at(start + 6)], values[at(start + 7)]
        for index in range(width):
            sums[at(index)] += (
                va * weights[at(a + index)]
                + vb * weights[at(b + index)]
                + vc * weights[at(c + index)]
                + vd * weights[at(d + index)]
            ) + (
                ve * weights[at(e + index)]
                + vf * weights[at(f + index)]
                + vg * weights[at(g + index)]
                + vh * weights[at(h + index)]
            )
        start += 8
    while start < end:
        a = first + columns[at(start)] * width
        va = values[at(start)]
        for index in range(width):
            sums[at(index)] += va * weights[at(a + index)]
        start += 1


@compiled
def _list_entries(matrix: Any, starts: Any, columns: Any, values: Any) -> int:
    """Write the entries other than 0, and return how many there are."""
    width = matrix.shape[1]
    flat = matrix.reshape(-1)
    count = 0
    for row in range(matrix.shape[0]):
        starts[row] = count
        count = find_nonzeros(flat, row * width, width, columns, values, count)
    starts[matrix.shape[0]] = count
    return count


@kernel([[np.float32]], [np.int32], [np.int32], [np.float32])
def _find_entries(matrix: Any, starts: Any, columns: Any, values: Any) -> int:
    return _list_entries(matrix, starts, columns, values)


@kernel([[np.uint8]], [np.float32], [np.int32], [np.int32], [np.float32])
def _find_scaled(matrix: Any, scale: Any, starts: Any, columns: Any, values: Any) -> int:
    """Write the entries other than 0 times the scale of their columns."""
    count = _list_entries(matrix, starts, columns, values)
    for entry in range(count):
        values[at(entry)] *= scale[at(columns[at(entry)])]
    return count


@kernel([np.int32], [np.int32], [np.float32], [np.float32], [np.float32], bool, [[np.float32]])
def _multiply(
    starts: Any, columns: Any, values: Any, weights: Any, biases: Any, relu: bool, outputs: Any
) -> None:
    for row in range(len(outputs)):
        sums = outputs[row]
        for index in range(len(biases)):
            sums[at(index)] = biases[at(index)]
        add_rows(columns, values, starts[row], starts[row + 1], weights, 0, sums)
        if relu:
            rectify(sums)


@compiled
def rectify(sums: Any) -> None:
    """Replace negative numbers by 0."""
    for index in range(len(sums)):
        value = sums[at(index)]
        sums[at(index)] = np.float32(0) if value < 0 else value


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
