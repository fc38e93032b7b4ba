"""Sharing the rewards of a rollout."""

import numpy as np

from wizard_env.train.ppo import share_rewards


def test_team_spirit_shares_rewards_among_the_seats_that_learn() -> None:
    rewards = np.array([[[4, 0, -1, 2], [3, 1, 0, 0]]], np.float32)
    learns = np.array([[True, True, True, False], [True, True, False, False]])
    assert share_rewards(rewards, learns, 0.0) is rewards
    half = share_rewards(rewards, learns, 0.5)[0]
    assert half[0, :3].tolist() == [2.5, 0.5, 0.0]
    assert half[1, :2].tolist() == [2.5, 1.5]
    assert share_rewards(rewards, learns, 1.0)[0, 0, :3].tolist() == [1, 1, 1]
