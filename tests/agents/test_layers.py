"""Layers that skip zeros: the outputs are those of dense products."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard_env.agents.layers import Layer, compute, pack_layers


@settings(max_examples=30, deadline=None)
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
    found = compute(pack_layers(layers), inputs, widths[-1])
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * len(widths) * max(widths))


def test_a_row_is_computed_alike_in_every_batch() -> None:
    """Bit by bit, so that an agent's choice does not depend on the rest of the batch."""
    rng = np.random.default_rng(0)
    layers = [Layer(rng.normal(size=(700, 300)).astype(np.float32), np.zeros(300, np.float32))]
    inputs = rng.integers(0, 3, (1500, 700)).astype(np.float32)
    together = compute(pack_layers(layers), inputs, 300)
    for row in (0, 1023, 1024, 1499):
        alone = compute(pack_layers(layers), inputs[row : row + 1], 300)
        assert alone.tobytes() == together[row].tobytes()
