"""The decisions of an iteration with their points and rewards."""

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.checks import check_memory
from wizard_env.observation.fields import FULL_SIZE, OBS_SIZE


class Rollout:
    """The decisions of an iteration and their results; every array is [steps, games, ...]."""

    def __init__(
        self, steps: int, num_games: int, num_seats: int, *, with_full_states: bool, beliefs: int = 0
    ) -> None:
        """beliefs: the number of bytes for beliefs, after observations and full states."""
        shape = (steps, num_games)
        observed, full = OBS_SIZE + beliefs, FULL_SIZE + beliefs
        row = observed + NUM_ACTIONS + (full if with_full_states else 0)
        check_memory(f"{steps} decisions in each of {num_games} games", steps * num_games * row)
        self.observations = np.zeros((*shape, observed), np.uint8)
        self.masks = np.zeros((*shape, NUM_ACTIONS), np.uint8)
        self.seats = np.zeros(shape, np.int64)
        self.actions = np.zeros(shape, np.int64)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.points = np.zeros((*shape, num_seats), np.int16)
        self.round_done = np.zeros(shape, np.bool_)
        self.rewards = np.zeros((*shape, num_seats), np.float32)
        self.ended = np.zeros(shape, np.bool_)
        self.full_states = np.zeros((*shape, full) if with_full_states else 0, np.uint8)
        self.advantages = np.zeros(shape, np.float32)
        self.returns = np.zeros(shape, np.float32)


class GpuRollout:
    """The parts of a rollout that a network learns from, in the memory of a GPU.

    hidden: uint8 [steps, games, FULL_SIZE - OBS_SIZE], the rest of the full states.
    """

    def __init__(
        self, shape: tuple[int, ...], device: torch.device, *, with_full_states: bool, beliefs: int = 0
    ) -> None:
        hidden = FULL_SIZE - OBS_SIZE if with_full_states else 0
        self.observations = torch.zeros((*shape, OBS_SIZE + beliefs), dtype=torch.uint8, device=device)
        self.hidden = torch.zeros((*shape, hidden), dtype=torch.uint8, device=device)
        self.masks = torch.zeros((*shape, NUM_ACTIONS), dtype=torch.bool, device=device)
        self.actions = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probabilities = torch.zeros(shape, device=device)
        self.values = torch.zeros(shape, device=device)
        self.returns = torch.zeros(shape, device=device)


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
