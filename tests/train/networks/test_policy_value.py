"""The networks: how they are built, and how their layers are named for an agent."""

import pytest
import torch

from wizard_env import NUM_ACTIONS
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.networks.layers import agent_weights, fully_connected, layers_of
from wizard_env.train.networks.policy_value import PolicyValueNetwork


def test_fully_connected_layers_have_relu_between_them() -> None:
    network = fully_connected([3, 5, 2])
    (first, first_bias), (last, last_bias) = layers_of(network)
    assert (first.shape, last.shape) == ((5, 3), (2, 5))
    inputs = torch.randn(10, 3)
    expected = torch.relu(inputs @ first.T + first_bias) @ last.T + last_bias
    torch.testing.assert_close(network(inputs), expected)


def test_the_layers_of_an_agent_are_numbered() -> None:
    network = fully_connected([3, 5, 2])
    _, (last, _) = layers_of(network)
    weights = agent_weights(layers_of(network))
    assert sorted(weights) == ["layer.0.bias", "layer.0.weight", "layer.1.bias", "layer.1.weight"]
    assert torch.equal(weights["layer.1.weight"], last)
    assert not any(values.requires_grad for values in weights.values())


def test_a_fresh_network_knows_nothing() -> None:
    """Its policy is nearly uniform; the same seed draws the same weights."""
    one, two, other = (PolicyValueNetwork([32], seed) for seed in (0, 0, 1))
    observations = torch.randint(0, 2, (20, OBS_SIZE), dtype=torch.uint8)
    assert float(one(observations)[:, :NUM_ACTIONS].detach().abs().max()) < 0.3
    assert torch.equal(one.head.weight, two.head.weight)
    assert not torch.equal(one.head.weight, other.head.weight)


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
