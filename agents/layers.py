"""Fully connected layers, computed by compiled code that skips zeros.

About 90 of a network's 684 inputs differ from 0, and 5 to 20% of the units of a trained layer do (ReLU): only
the weights behind those are read.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.compiled.jit import at, kernel

_BLOCK = 64
"""Outputs computed at a time: their weights stay in the second-level cache while the rows pass by."""
_ROWS = 1024
"""Rows computed at a time."""


class Layer(NamedTuple):
    """The parameters of a fully connected layer, as arrays of numpy."""

    weights: NDArray[np.float32]
    """[inputs, outputs]"""
    biases: NDArray[np.float32]
    """[outputs]"""


class PackedLayer(NamedTuple):
    """A layer as it is computed: its outputs in blocks, so that the weights of a block are adjacent."""

    weights: NDArray[np.float32]
    """[blocks, inputs, _BLOCK], 0 behind the last output."""
    biases: NDArray[np.float32]
    """[blocks, _BLOCK]"""


def pack_layers(layers: Sequence[Layer]) -> list[PackedLayer]:
    """Return layers as `compute` takes them."""
    packed = []
    for weights, biases in layers:
        width = -len(biases) % _BLOCK
        blocks = np.split(np.pad(weights, ((0, 0), (0, width))), (len(biases) + width) // _BLOCK, axis=1)
        packed.append(PackedLayer(np.stack(blocks), np.pad(biases, (0, width)).reshape(-1, _BLOCK)))
    return packed


def compute(
    layers: Sequence[PackedLayer], inputs: NDArray[np.float32], num_outputs: int
) -> NDArray[np.float32]:
    """Return the outputs of layers with ReLU between them: float32 [n, num_outputs].

    inputs: float32 [n, inputs].
    """
    outputs = np.empty((len(inputs), num_outputs), np.float32)
    for start in range(0, len(inputs), _ROWS):
        hidden = np.ascontiguousarray(inputs[start : start + _ROWS])
        for number, layer in enumerate(layers):
            result = np.empty((len(hidden), layer.biases.size), np.float32)
            _compute_layer(hidden, layer, number > 0, np.empty(hidden.size, np.int32), result)
            hidden = result
        outputs[start : start + _ROWS] = hidden[:, :num_outputs]
    return outputs


_PACKED: Any = PackedLayer([[[np.float32]]], [[np.float32]])  # type: ignore[arg-type]


@kernel([[np.float32]], _PACKED, bool, [np.int32], [[np.float32]])
def _compute_layer(inputs: Any, layer: PackedLayer, rectified: bool, columns: Any, outputs: Any) -> None:
    """Compute a layer.

    rectified: negative inputs count as 0. columns: memory for the indices of the others.
    """
    weights, biases = layer
    starts = np.empty(len(inputs) + 1, np.int64)
    count = 0
    for row in range(len(inputs)):
        starts[row] = count
        values = inputs[row]
        for column in range(weights.shape[1]):
            value = values[at(column)]
            columns[at(count)] = column
            count += 1 if value > 0 or (value < 0 and not rectified) else 0
    starts[len(inputs)] = count
    for block in range(len(biases)):
        of_block, bias = weights[block], biases[block]
        for row in range(len(inputs)):
            factors = inputs[row]
            sums = outputs[row, block * _BLOCK : (block + 1) * _BLOCK]
            for index in range(_BLOCK):
                sums[at(index)] = bias[at(index)]
            entry, end = starts[row], starts[row + 1]
            while entry + 4 <= end:
                a, b, c, d = columns[entry], columns[entry + 1], columns[entry + 2], columns[entry + 3]
                fa, fb, fc, fd = factors[at(a)], factors[at(b)], factors[at(c)], factors[at(d)]
                wa, wb, wc, wd = of_block[at(a)], of_block[at(b)], of_block[at(c)], of_block[at(d)]
                for index in range(_BLOCK):
                    sums[at(index)] += (
                        fa * wa[at(index)] + fb * wb[at(index)] + fc * wc[at(index)] + fd * wd[at(index)]
                    )
                entry += 4
            while entry < end:
                a = columns[entry]
                fa, wa = factors[at(a)], of_block[at(a)]
                for index in range(_BLOCK):
                    sums[at(index)] += fa * wa[at(index)]
                entry += 1
