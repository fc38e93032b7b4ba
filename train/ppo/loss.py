"""The gradient of PPO's loss with respect to the network's outputs, over legal actions alone."""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.compiled.jit import kernel

if TYPE_CHECKING:
    from wizard_env.train.parallel.peers import Peers

MEASURES = ("policy_gradient_loss", "value_loss", "entropy_loss", "clip_fraction", "approx_kl")
"""The metrics that `loss_gradient` sums up on the way."""


def normalised(advantages: NDArray[np.float32]) -> NDArray[np.float32]:
    """Advantages of mean 0 and standard deviation 1, normalised as stable-baselines3 does."""
    if len(advantages) < 2:
        return advantages
    result: NDArray[np.float32] = (advantages - advantages.mean()) / (advantages.std(ddof=1) + 1e-8)
    return result


def normalised_minibatches(advantages: NDArray[np.float32], size: int, peers: "Peers") -> NDArray[np.float32]:
    """Normalise the advantages of each minibatch, over all workers' shares of it.

    The sums of an epoch travel together: to wait once per gradient step would cost more than the sums.

    Args:
        advantages: float32 [n], in the order of the minibatches.
        size: of this worker's share of a minibatch; the last may be smaller.
        peers: the workers that share the minibatches.
    """
    parts = np.split(advantages, range(size, len(advantages), size))
    if peers.count == 1:
        return np.concatenate([normalised(part) for part in parts])
    wide = [part.astype(np.float64) for part in parts]
    count, total, squares = peers.sum(np.array([(len(part), part.sum(), part @ part) for part in wide])).T
    mean = total / count
    deviation = np.sqrt(np.maximum(squares - total * mean, 0) / (count - 1))
    return np.concatenate(
        [(part - mean[number]) / (deviation[number] + 1e-8) for number, part in enumerate(wide)]
    ).astype(np.float32)


def device_loss_gradient(
    outputs: torch.Tensor,
    masks: torch.Tensor,
    actions: torch.Tensor,
    old_log_probabilities: torch.Tensor,
    advantages: torch.Tensor,
    returns: torch.Tensor,
    clip_range: float,
    entropy_bonus: float,
    value_weight: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`loss_gradient` in operations of torch, on whatever device its arguments lie.

    Returns:
        float32 [n, NUM_ACTIONS + 1], the gradient; float64 [5], each metric of MEASURES summed over the rows.
    """
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
    policy += entropy_bonus * probabilities * (known + entropy[:, None])
    error = outputs[:, NUM_ACTIONS] - returns
    gradient = torch.cat([policy, 2 * value_weight * error[:, None]], dim=1) / count
    measured = (
        -torch.minimum(ratio * advantages, clipped * advantages),
        error * error,
        -entropy,
        (ratio - 1).abs() > clip_range,
        ratio - 1 - change,
    )
    return gradient, torch.stack([each.double().sum() for each in measured])


@kernel(
    [[np.float32]], [[np.uint8]], [np.int64], [np.float32], [np.float32], [np.float32],
    float, float, float, [[np.float32]], [np.float64],
)  # fmt: skip
def loss_gradient(
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
    """The gradient of PPO's mean loss with respect to the network's outputs.

    The loss of a decision is -min(r A, clip(r) A) - entropy_bonus * entropy + value_weight * (v - R)^2,
    where r is the new probability of the action over the old one.

    Args:
        outputs: float32 [n, NUM_ACTIONS + 1], logits and value.
        masks: uint8 [n, NUM_ACTIONS], 1 for a legal action; at least one in each row.
        actions: int64 [n].
        old_log_probabilities: float32 [n].
        advantages: float32 [n].
        returns: float32 [n].
        clip_range: how far r may move from 1.
        entropy_bonus: weight of the entropy.
        value_weight: weight of the squared error of the value.
        gradient: float32 [n, NUM_ACTIONS + 1], zeros; written.
        sums: float64 [5], to which each metric of MEASURES, summed over the rows, is added.
    """
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
