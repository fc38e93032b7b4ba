"""Advantages along each seat's own decisions of a round: from rewards to normalised minibatches."""

import numpy as np
from numpy.typing import NDArray

from wizard_env.compiled.jit import kernel
from wizard_env.train.selfplay.workers import Peers


@kernel(
    [[np.int64]], [[[np.float32]]], [[np.bool_]], [[np.float32]], [np.float32], [np.int64],
    float, float, [[np.float32]],
)  # fmt: skip
def seat_advantages(
    seats: NDArray[np.int64],
    rewards: NDArray[np.float32],
    ended: NDArray[np.bool_],
    values: NDArray[np.float32],
    last_values: NDArray[np.float32],
    last_seats: NDArray[np.int64],
    discount: float,
    decay: float,
    advantages: NDArray[np.float32],
) -> None:
    """Estimate generalised advantages along each seat's own decisions (Schulman et al. 2016, eq. 16).

    A seat's decisions in a round, or in a game, are one episode, paid at its end. Where the rollout ends in
    the middle of an episode, the value of the next decision is known for the seat that acts next. For each
    other seat its last decision takes the place of the next one, and gets no advantage.

    Args:
        seats: [decisions, games], the seat that took each decision.
        rewards: [decisions, games, seats], the pay of every seat after each decision; read where an episode
            ended.
        ended: [decisions, games], whether the decision ended the episode.
        values: [decisions, games], the estimates at the time of the decisions.
        last_values: [games], the estimates for the decisions that follow the rollout.
        last_seats: [games], the seats that take those.
        discount: per decision of the seat.
        decay: lambda.
        advantages: [decisions, games], written.
    """
    num_seats = rewards.shape[2]
    reward = np.zeros(num_seats)
    next_value = np.zeros(num_seats)
    next_advantage = np.zeros(num_seats)
    known = np.zeros(num_seats, np.bool_)
    for game in range(seats.shape[1]):
        reward[:] = 0
        next_advantage[:] = 0
        known[:] = False
        known[last_seats[game]] = True
        next_value[last_seats[game]] = last_values[game]
        for decision in range(seats.shape[0] - 1, -1, -1):
            if ended[decision, game]:
                for seat in range(num_seats):
                    reward[seat] = rewards[decision, game, seat]
                    next_value[seat] = 0
                    next_advantage[seat] = 0
                    known[seat] = True
            seat = seats[decision, game]
            value = values[decision, game]
            if known[seat]:
                error = reward[seat] + discount * next_value[seat] - value
                next_advantage[seat] = error + discount * decay * next_advantage[seat]
            advantages[decision, game] = next_advantage[seat]
            next_value[seat] = value
            reward[seat] = 0
            known[seat] = True


def share_rewards(
    rewards: NDArray[np.float32], learns: NDArray[np.bool_], team_spirit: float
) -> NDArray[np.float32]:
    """Replace a share of each reward by the mean over the seats of the game that learn.

    Berner et al., Dota 2 with Large Scale Deep Reinforcement Learning, 2019, "team spirit".

    Args:
        rewards: float32 [steps, games, seats].
        learns: [games, seats], the seats that learn; at least one in each game.
        team_spirit: the share, from 0 to 1.
    """
    if not team_spirit:
        return rewards
    mean = (rewards * learns).sum(axis=2, keepdims=True) / learns.sum(axis=1, keepdims=True)
    return (rewards + np.float32(team_spirit) * (mean - rewards)).astype(np.float32)


def normalise_minibatches(advantages: NDArray[np.float32], size: int, peers: Peers) -> NDArray[np.float32]:
    """Shift and scale each minibatch to mean 0 and standard deviation 1, over all workers' shares of it.

    The sums of an epoch are sent together: to wait once per gradient step would cost more than the sums.

    Args:
        advantages: float32 [n], in the order of the minibatches.
        size: of this worker's share of a minibatch; the last may be smaller.
        peers: the workers that share the minibatches.
    """
    parts = [part.astype(np.float64) for part in np.split(advantages, range(size, len(advantages), size))]
    count, total = peers.sum(np.array([(len(part), part.sum()) for part in parts])).T
    centred = [part - mean for part, mean in zip(parts, total / count, strict=True)]
    squares = peers.sum(np.array([part @ part for part in centred]))
    deviations = np.sqrt(squares / np.maximum(count - 1, 1)) + 1e-8
    return np.concatenate([part / scale for part, scale in zip(centred, deviations, strict=True)]).astype(
        np.float32
    )


def explained_variance(values: NDArray[np.float32], returns: NDArray[np.float32], peers: Peers) -> float:
    """Return the share of the variance of all workers' returns that the values explain."""
    wide = [part.astype(np.float64) for part in (returns, returns - values)]
    count = peers.sum(np.array([float(len(returns))]))
    mean = peers.sum(np.array([part.sum() for part in wide])) / count
    squares = [((part - centre) ** 2).sum() for part, centre in zip(wide, mean, strict=True)]
    variance, error = peers.sum(np.array(squares)).tolist()
    return 1 - error / variance if variance else 0.0
