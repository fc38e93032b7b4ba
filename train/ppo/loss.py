"""The gradient of PPO's loss with respect to the network's outputs, over legal actions alone."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.compiled.jit import kernel
from wizard_env.train.parallel.peers import Peers

METRICS = ("policy_gradient_loss", "value_loss", "entropy_loss", "clip_fraction", "approx_kl")
"""The metrics that `loss_gradient` sums up on the way."""


class Batch(NamedTuple):
    """Decisions to learn from: arrays of numpy, or tensors on one device."""

    masks: Any
    """uint8 [n, NUM_ACTIONS], 1 for a legal action, or a bool tensor; at least one in each row."""
    actions: Any
    """int64 [n]."""
    log_probabilities: Any
    """float32 [n], of the actions when they were taken."""
    advantages: Any
    """float32 [n]."""
    returns: Any
    """float32 [n]."""


class LossWeights(NamedTuple):
    """The constants of the loss."""

    clip_range: float
    """The distance from 1 that the ratio of probabilities may move."""
    entropy: float
    """The weight of the entropy."""
    value: float
    """The weight of the squared error of the value."""


def normalise(advantages: NDArray[np.float32]) -> NDArray[np.float32]:
    """Shift and scale advantages to mean 0 and standard deviation 1, as stable-baselines3 does."""
    if len(advantages) < 2:
        return advantages
    result: NDArray[np.float32] = (advantages - advantages.mean()) / (advantages.std(ddof=1) + 1e-8)
    return result


def normalise_minibatches(advantages: NDArray[np.float32], size: int, peers: Peers) -> NDArray[np.float32]:
    """Normalise the advantages of each minibatch, over all workers' shares of it.

    The sums of an epoch are sent together: to wait once per gradient step would cost more than the sums.

    Args:
        advantages: float32 [n], in the order of the minibatches.
        size: of this worker's share of a minibatch; the last may be smaller.
        peers: the workers that share the minibatches.
    """
    parts = np.split(advantages, range(size, len(advantages), size))
    if peers.count == 1:
        return np.concatenate([normalise(part) for part in parts])
    wide = [part.astype(np.float64) for part in parts]
    count, total, squares = peers.sum(np.array([(len(part), part.sum(), part @ part) for part in wide])).T
    mean = total / count
    deviation = np.sqrt(np.maximum(squares - total * mean, 0) / (count - 1))
    return np.concatenate(
        [(part - mean[number]) / (deviation[number] + 1e-8) for number, part in enumerate(wide)]
    ).astype(np.float32)


def loss_gradient(
    outputs: NDArray[np.float32], batch: Batch, weights: LossWeights, sums: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the gradient of PPO's mean loss with respect to the network's outputs.

    The loss of a decision is -min(r A, clip(r) A) - weights.entropy * entropy + weights.value * (v - R)^2,
    where r is the new probability of the action over the old one.

    Args:
        outputs: float32 [n, NUM_ACTIONS + 1], logits and value.
        batch: the decisions.
        weights: the constants of the loss.
        sums: float64 [5], to which each of METRICS, summed over the decisions, is added.
    """
    gradient = np.zeros(outputs.shape, np.float32)
    _loss_gradient(outputs, *batch, *weights, gradient, sums)
    return gradient


def device_loss_gradient(
    outputs: torch.Tensor, batch: Batch, weights: LossWeights, sums: torch.Tensor
) -> torch.Tensor:
    """Compute `loss_gradient` in operations of torch, on the device of its arguments."""
    masks, actions, old_log_probabilities, advantages, returns = batch
    clip_range = weights.clip_range
    count = len(actions)
    log_probabilities = outputs[:, :NUM_ACTIONS].masked_fill(~masks, -torch.inf).log_softmax(dim=1)
    probabilities = log_probabilities.exp()
    known = log_probabilities.masked_fill(~masks, 0)
    entropy = -(probabilities * known).sum(dim=1)
    change = known.gather(1, actions[:, None])[:, 0] - old_log_probabilities
    ratio = change.exp()
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    held = clipped * advantages < ratio * advantages  # the clipped term is smaller, so no gradient
    slope = torch.where(held, 0, -advantages * ratio)
    policy = -slope[:, None] * probabilities
    policy.scatter_add_(1, actions[:, None], slope[:, None])
    policy += weights.entropy * probabilities * (known + entropy[:, None])
    error = outputs[:, NUM_ACTIONS] - returns
    gradient = torch.cat([policy, 2 * weights.value * error[:, None]], dim=1) / count
    measured = (
        -torch.minimum(ratio * advantages, clipped * advantages),
        error * error,
        -entropy,
        (ratio - 1).abs() > clip_range,
        ratio - 1 - change,
    )
    sums += torch.stack([each.double().sum() for each in measured])
    return gradient


@kernel(
    [[np.float32]], [[np.uint8]], [np.int64], [np.float32], [np.float32], [np.float32],
    float, float, float, [[np.float32]], [np.float64],
)  # fmt: skip
def _loss_gradient(
    outputs: Any,
    masks: Any,
    actions: Any,
    old_log_probabilities: Any,
    advantages: Any,
    returns: Any,
    clip_range: float,
    entropy_bonus: float,
    value_weight: float,
    gradient: Any,
    sums: Any,
) -> None:
    count = len(actions)
    legal = np.empty(NUM_ACTIONS, np.int64)
    log_probabilities = np.empty(NUM_ACTIONS)
    for row in range(count):
        choices = 0
        highest = -np.inf
        for action in range(NUM_ACTIONS):
            if masks[row, action]:
                legal[choices] = action
                choices += 1
                highest = max(highest, outputs[row, action])
        total = 0.0
        for choice in range(choices):
            total += np.exp(outputs[row, legal[choice]] - highest)
        normaliser = highest + np.log(total)
        entropy = 0.0
        for choice in range(choices):
            log_probabilities[choice] = outputs[row, legal[choice]] - normaliser
            entropy -= np.exp(log_probabilities[choice]) * log_probabilities[choice]
        change = outputs[row, actions[row]] - normaliser - old_log_probabilities[row]
        ratio = np.exp(change)
        advantage = advantages[row]
        clipped = min(max(ratio, 1 - clip_range), 1 + clip_range)
        held = clipped * advantage < ratio * advantage  # the clipped term is smaller, so no gradient
        slope = 0.0 if held else -advantage * ratio
        for choice in range(choices):
            action = legal[choice]
            probability = np.exp(log_probabilities[choice])
            chosen = 1.0 if action == actions[row] else 0.0
            by_entropy = entropy_bonus * probability * (log_probabilities[choice] + entropy)
            gradient[row, action] = (slope * (chosen - probability) + by_entropy) / count
        error = outputs[row, NUM_ACTIONS] - returns[row]
        gradient[row, NUM_ACTIONS] = 2 * value_weight * error / count
        sums[0] -= min(ratio * advantage, clipped * advantage)
        sums[1] += error * error
        sums[2] -= entropy
        sums[3] += abs(ratio - 1) > clip_range
        sums[4] += ratio - 1 - change
