"""The decisions of an iteration, what they scored, and what they were paid."""

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.checks import check_memory
from wizard_env.observation import FULL_SIZE, OBS_SIZE


class Rollout:
    """The decisions of an iteration and what came of them; every array is [steps, games, ...]."""

    def __init__(self, steps: int, num_games: int, num_seats: int, *, with_full_states: bool) -> None:
        shape = (steps, num_games)
        seen = OBS_SIZE + NUM_ACTIONS + (FULL_SIZE if with_full_states else 0)
        check_memory(f"{steps} decisions in each of {num_games} games", steps * num_games * seen)
        self.observations = np.zeros((*shape, OBS_SIZE), np.uint8)
        self.masks = np.zeros((*shape, NUM_ACTIONS), np.uint8)
        self.seats = np.zeros(shape, np.int64)
        self.actions = np.zeros(shape, np.int64)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.points = np.zeros((*shape, num_seats), np.int16)
        self.round_done = np.zeros(shape, np.bool_)
        self.rewards = np.zeros((*shape, num_seats), np.float32)
        self.ended = np.zeros(shape, np.bool_)
        self.full_states = np.zeros((*shape, FULL_SIZE) if with_full_states else 0, np.uint8)
        self.advantages = np.zeros(shape, np.float32)
        self.returns = np.zeros(shape, np.float32)


def share_rewards(
    rewards: NDArray[np.float32], learns: NDArray[np.bool_], spirit: float
) -> NDArray[np.float32]:
    """Replace a share of each reward, the spirit, by the mean over the seats of the game that learn.

    Berner et al., Dota 2 with Large Scale Deep Reinforcement Learning, 2019, "team spirit".

    Args:
        rewards: float32 [steps, games, seats].
        learns: [games, seats], the seats that learn; at least one in each game.
        spirit: from 0 to 1.
    """
    if not spirit:
        return rewards
    mean = (rewards * learns).sum(axis=2, keepdims=True) / learns.sum(axis=1, keepdims=True)
    return (rewards + np.float32(spirit) * (mean - rewards)).astype(np.float32)
