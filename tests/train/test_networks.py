"""The networks: how they are built, grow, and skip zeros."""

import copy

import pytest
import torch

from wizard_env import NUM_ACTIONS
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.networks.policy_value import PolicyValueNetwork
from wizard_env.train.networks.sparse import linear, order_by_input


def test_a_network_takes_over_another() -> None:
    """Policy and value; without a value it keeps its own."""
    one, two = PolicyValueNetwork([8, 4], 0), PolicyValueNetwork([8, 4], 1)
    value = two.head.weight[NUM_ACTIONS:].clone()
    two.start_from({name: values.numpy() for name, values in one.agent().items()})
    assert torch.equal(two.head.weight[:NUM_ACTIONS], one.head.weight[:NUM_ACTIONS])
    assert torch.equal(two.head.weight[NUM_ACTIONS:], value)
    two.start_from({name: values.numpy() for name, values in one.agent(20.0).items()}, 20.0)
    for own, other in zip(two.parameters(), one.parameters(), strict=True):
        torch.testing.assert_close(own, other)


@pytest.mark.parametrize("layers", [[8, 4], [16, 4], [8, 9], [16, 32], [8, 4, 4], [16, 8, 6, 12]])
def test_a_network_grows_and_plays_as_before(layers: list[int]) -> None:
    """Policy and value; what is new learns from the first step on."""
    small, large = PolicyValueNetwork([8, 4], 0), PolicyValueNetwork(layers, 1)
    large.start_from({name: values.numpy() for name, values in small.agent(20.0).items()}, 20.0)
    observations = torch.randint(0, 2, (50, OBS_SIZE), dtype=torch.uint8)
    torch.testing.assert_close(large(observations), small(observations))
    before = [values.detach().clone() for values in large.parameters()]
    optimizer = torch.optim.Adam(large.parameters(), 1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        large(observations).square().sum().backward()
        optimizer.step()
    for was, values in zip(before, large.parameters(), strict=True):
        changed = (was != values).any(dim=1) if was.dim() == 2 else was != values
        assert changed.float().mean() > 0.5


@pytest.mark.parametrize("layers", [[4], [8, 3], [7, 4], [16, 8, 3]])
def test_a_network_does_not_shrink(layers: list[int]) -> None:
    small = PolicyValueNetwork([8, 4], 0)
    with pytest.raises(
        ValueError, match=r"cannot start from one of layers \[8, 4, 79\] \(outputs included\)"
    ):
        PolicyValueNetwork(layers, 0).start_from(
            {name: values.numpy() for name, values in small.agent().items()}
        )


# --- layers that skip zeros


def with_zeros(rows: int, columns: int, density: float, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.rand(rows, columns, generator=generator)
    return torch.where(drawn < density, torch.randn(rows, columns, generator=generator), 0)


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("density", [0.0, 0.05, 0.3, 0.9])
@pytest.mark.parametrize(("inputs", "outputs"), [(8, 5), (704, 256), (100, 80), (70, 300)])
def test_a_layer_is_that_of_torch(inputs: int, outputs: int, density: float, relu: bool) -> None:
    """For few inputs other than 0 and for many, in narrow matrices and in those computed by blocks."""
    layer = torch.nn.Linear(inputs, outputs)
    own = order_by_input(copy.deepcopy(layer))
    given_inputs = with_zeros(40, inputs, density)
    read, own_read = (given_inputs.clone().requires_grad_() for _ in range(2))
    expected = torch.relu(layer(read)) if relu else layer(read)
    found = linear(own_read, own.weight.t(), own.bias, relu=relu)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    for gradient in (with_zeros(40, outputs, 0.06, 1), with_zeros(40, outputs, 1.0, 2)):
        for tensor in (read, own_read, *layer.parameters(), *own.parameters()):
            tensor.grad = None
        expected.backward(gradient, retain_graph=True)
        found.backward(gradient, retain_graph=True)  # type: ignore[no-untyped-call]
        for mine, other in zip((own_read, *own.parameters()), (read, *layer.parameters()), strict=True):
            torch.testing.assert_close(mine.grad, other.grad, atol=1e-4, rtol=1e-4)


def test_a_layer_of_bytes_is_that_of_their_scaled_values() -> None:
    """So is the gradient of its weights."""
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randint(0, 256, (40, 100), dtype=torch.uint8, generator=generator)
    scale = torch.rand(100, generator=generator) / 100
    one, two = (order_by_input(copy.deepcopy(torch.nn.Linear(100, 30))) for _ in range(2))
    two.load_state_dict(one.state_dict())
    found = linear(drawn, one.weight.t(), one.bias, scale=scale)
    expected = linear(drawn * scale, two.weight.t(), two.bias)
    torch.testing.assert_close(found, expected)
    for outputs in (found, expected):
        outputs.square().sum().backward()  # type: ignore[no-untyped-call]
    for mine, other in zip(one.parameters(), two.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, other.grad)
