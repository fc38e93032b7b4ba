"""Layers that skip zeros compute what dense layers compute, and so do their gradients."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.networks.devices import autocast
from wizard_env.train.networks.policy_value import PolicyValueNetwork
from wizard_env.train.networks.sparse import NonZeros, linear, order_by_input, skips_zeros

COUNTS = st.sampled_from([0.0, 0.0, 0.0, 1.0, -0.5, 3.0])


def with_zeros(rows: int, columns: int, density: float, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.rand(rows, columns, generator=generator)
    return torch.where(drawn < density, torch.randn(rows, columns, generator=generator), 0)


@settings(deadline=None)  # the first call compiles
@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=140), elements=COUNTS))
def test_the_entries_are_those_of_the_matrix(matrix: np.ndarray) -> None:
    """Also where a row is no multiple of a word of 64 flags, or shorter than one; also transposed."""
    found = NonZeros.of(torch.from_numpy(matrix))
    rows, columns = matrix.nonzero()
    assert found.columns.tolist() == columns.tolist()
    assert found.values.tolist() == matrix[rows, columns].tolist()
    assert found.starts.tolist() == [0, *np.cumsum((matrix != 0).sum(axis=1))]
    turned = NonZeros.of(torch.from_numpy(matrix.T.copy()))
    for one, other in zip(found.transposed(matrix.shape[1]), turned, strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("density", [0.0, 0.05, 0.3, 0.9])
@pytest.mark.parametrize(("inputs", "outputs"), [(8, 5), (OBS_SIZE, 256), (100, 80), (70, 300)])
def test_a_layer_is_that_of_torch(inputs: int, outputs: int, density: float, relu: bool) -> None:
    """For few inputs other than 0 and for many, in narrow matrices and in those computed by blocks."""
    layer = torch.nn.Linear(inputs, outputs)
    own = order_by_input(copy.deepcopy(layer))
    given_inputs = with_zeros(40, inputs, density)
    read, own_read = (given_inputs.clone().requires_grad_() for _ in range(2))
    expected = torch.relu(layer(read)) if relu else layer(read)
    found = linear(own_read, own.weight, own.bias, relu=relu)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    for gradient in (with_zeros(40, outputs, 0.06, 1), with_zeros(40, outputs, 1.0, 2)):
        for tensor in (read, own_read, *layer.parameters(), *own.parameters()):
            tensor.grad = None
        expected.backward(gradient, retain_graph=True)
        found.backward(gradient, retain_graph=True)  # type: ignore[no-untyped-call]
        for mine, other in zip((own_read, *own.parameters()), (read, *layer.parameters()), strict=True):
            torch.testing.assert_close(mine.grad, other.grad, atol=1e-4, rtol=1e-4)


def test_a_network_skips_zeros_in_float32_only() -> None:
    """Under autocast, and with weights held in bfloat16, torch computes the layers."""
    inputs = torch.zeros(1, OBS_SIZE)
    assert skips_zeros(inputs)
    assert not skips_zeros(inputs.bfloat16())
    with autocast(inputs.device, "bfloat16"):
        assert not skips_zeros(inputs)
    with autocast(inputs.device, "float32"):
        assert skips_zeros(inputs)


def test_a_network_is_the_same_on_any_number_of_threads() -> None:
    network = PolicyValueNetwork([300, 64], 0)
    observations = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (700, OBS_SIZE), np.uint8) // 2)
    observations[:, ::9] = 1
    results = []
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            network.zero_grad()
            outputs = network(observations)
            outputs.square().sum().backward()
            results.append([outputs.detach(), *(parameter.grad for parameter in network.parameters())])
    finally:
        torch.set_num_threads(before)
    for one, other in zip(*results, strict=True):
        assert torch.equal(one, other)
