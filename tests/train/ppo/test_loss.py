"""The gradient of PPO's loss, against torch's own."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.distributions import Categorical

from wizard_env import NUM_ACTIONS
from wizard_env.train.ppo import METRICS, Batch, LossWeights, loss_gradient, normalise


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_is_that_of_the_loss(seed: int) -> None:
    """It equals torch's own through the published loss, and so do all five metrics."""
    rng, count, clip_range, entropy_bonus, value_weight = np.random.default_rng(seed), 200, 0.2, 0.03, 0.5
    outputs = rng.normal(size=(count, NUM_ACTIONS + 1)).astype(np.float32)
    masks = (rng.random((count, NUM_ACTIONS)) < 0.1).astype(np.uint8)
    actions = rng.integers(0, NUM_ACTIONS, count)
    masks[np.arange(count), actions] = 1
    old = rng.normal(-2, 0.5, count).astype(np.float32)
    advantages, returns = rng.normal(size=(2, count)).astype(np.float32)
    sums = np.zeros(len(METRICS))
    batch = Batch(masks, actions, old, advantages, returns)
    gradient = loss_gradient(outputs, batch, LossWeights(clip_range, entropy_bonus, value_weight), sums)
    traced = torch.tensor(outputs, dtype=torch.float64, requires_grad=True)
    logits = traced[:, :NUM_ACTIONS].masked_fill(torch.from_numpy(masks) == 0, -1e9)
    policy: Any = Categorical(logits=logits)
    change = policy.log_prob(torch.from_numpy(actions)) - torch.from_numpy(old)
    ratio, advantage = change.exp(), torch.from_numpy(advantages)
    surrogate = torch.min(ratio * advantage, ratio.clamp(1 - clip_range, 1 + clip_range) * advantage)
    errors = (traced[:, NUM_ACTIONS] - torch.from_numpy(returns)) ** 2
    loss = (-surrogate - entropy_bonus * policy.entropy() + value_weight * errors).mean()
    loss.backward()
    assert traced.grad is not None
    np.testing.assert_allclose(gradient, traced.grad.numpy(), atol=1e-7)
    clipped = ((ratio - 1).abs() > clip_range).double()
    expected = [-surrogate, errors, -policy.entropy(), clipped, ratio - 1 - change]
    np.testing.assert_allclose(sums / count, [float(each.detach().mean()) for each in expected], rtol=1e-5)
    assert 0 < float(clipped.mean()) < 1


def test_advantages_are_normalise() -> None:
    scaled = normalise(np.random.default_rng(0).normal(3, 7, 1000).astype(np.float32))
    assert abs(float(scaled.mean())) < 1e-5
    assert float(scaled.std(ddof=1)) == pytest.approx(1, abs=1e-5)
