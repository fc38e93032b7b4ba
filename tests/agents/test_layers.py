"""Layers that skip zeros: the outputs are those of dense products."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wizard_env.agents.layers import Entries, Layer, compute


@given(
    widths=st.lists(st.integers(1, 150), min_size=2, max_size=4),
    rows=st.integers(0, 5),
    zeros=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_the_outputs_are_those_of_dense_products(
    widths: list[int], rows: int, zeros: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    layers = [
        Layer(rng.normal(size=(before, after)).astype(np.float32), rng.normal(size=after).astype(np.float32))
        for before, after in pairwise(widths)
    ]
    inputs = rng.normal(size=(rows, widths[0])).astype(np.float32)
    inputs[rng.random(inputs.shape) < zeros] = 0
    expected = inputs
    for number, (weights, biases) in enumerate(layers):
        expected = (np.maximum(expected, 0) if number else expected) @ weights + biases
    found = compute(layers, inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * len(widths) * max(widths))


def test_a_row_is_computed_alike_in_every_batch() -> None:
    """Bit by bit, so that an agent's choice does not depend on the rest of the batch."""
    rng = np.random.default_rng(0)
    layers = [Layer(rng.normal(size=(700, 300)).astype(np.float32), np.zeros(300, np.float32))]
    inputs = rng.integers(0, 3, (1500, 700)).astype(np.float32)
    together = compute(layers, inputs)
    for row in (0, 1023, 1024, 1499):
        alone = compute(layers, inputs[row : row + 1])
        assert alone.tobytes() == together[row].tobytes()


COUNTS = st.sampled_from([0.0, 0.0, 0.0, 1.0, -0.5, 3.0])


@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=140), elements=COUNTS))
def test_the_entries_are_those_of_the_matrix(matrix: np.ndarray) -> None:
    """Also where a row is no multiple of a word of 64 flags, or shorter than one; also transposed."""
    found = Entries.of(matrix)
    rows, columns = matrix.nonzero()
    assert found.columns.tolist() == columns.tolist()
    assert found.values.tolist() == matrix[rows, columns].tolist()
    assert found.starts.tolist() == [0, *np.cumsum((matrix != 0).sum(axis=1))]
    for one, other in zip(found.transposed(matrix.shape[1]), Entries.of(matrix.T), strict=True):
        assert one.tolist() == other.tolist()
