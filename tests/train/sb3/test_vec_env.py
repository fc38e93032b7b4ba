"""SelfPlayVecEnv: batched self-play as stable-baselines3 calls it."""

from typing import Any

import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from wizard_env import NUM_ACTIONS, OBS_SIZE, IllegalAction, Rules, sample_legal
from wizard_env.train.maskable_ppo import SelfPlayVecEnv
from wizard_env.train.selfplay.games import REWARD_SCALES, SelfPlayGames

RULES = Rules(num_players=3, hand_sizes=(1, 2, 3))


def test_the_environment_is_a_vec_env() -> None:
    """reset, step, spaces and masks, over many rounds."""
    env, rng = SelfPlayVecEnv(SelfPlayGames(RULES, 7, seed=0)), np.random.default_rng(0)
    observations: Any = env.reset()
    assert env.num_envs == 7
    assert env.observation_space.shape == (OBS_SIZE,)
    assert is_masking_supported(env)
    paid = 0
    for _ in range(60):
        assert observations.dtype == np.uint8
        assert all(env.observation_space.contains(row) for row in observations)
        masks = get_action_masks(env)
        assert masks.shape == (7, NUM_ACTIONS)
        assert (masks.sum(axis=1) > 1).all(), "decisions with one legal action are skipped"
        seats, before = env.games.seat.copy(), observations.copy()
        last, (observations, rewards, dones, infos) = observations, env.step(sample_legal(masks, rng))
        assert last.tolist() == before.tolist(), "what a step returned stays as it was"
        assert env.self_play.acted.tolist() == seats.tolist()
        assert rewards == pytest.approx(env.self_play.points[np.arange(7), seats] * REWARD_SCALES["points"])
        assert rewards.dtype == np.float32
        scored = env.self_play.points != 0
        assert dones.tolist() == scored.all(axis=1).tolist() == scored.any(axis=1).tolist()
        assert infos == [{}] * 7
        paid += int(dones.sum())
    assert paid > 7
    env.close()


def test_a_reset_deals_nothing() -> None:
    env = SelfPlayVecEnv(SelfPlayGames(RULES, 4, seed=0))
    state = env.games.states.tobytes()
    assert env.reset().tolist() == env.reset().tolist() == env.games.observation.tolist()
    assert env.games.states.tobytes() == state


def test_the_attributes_of_a_vec_env() -> None:
    env = SelfPlayVecEnv(SelfPlayGames(RULES, 3, seed=0))
    assert env.get_attr("render_mode") == [None] * 3
    env.set_attr("mark", 5)
    assert env.get_attr("mark") == [5] * 3
    assert env.env_is_wrapped(object) == [False] * 3
    assert np.array_equal(env.env_method("action_masks"), env.games.mask)
    with pytest.raises(AttributeError):
        env.get_attr("no_such_attribute")


def test_an_illegal_action_is_refused() -> None:
    env = SelfPlayVecEnv(SelfPlayGames(RULES, 3, seed=0))
    state = env.games.states.tobytes()
    with pytest.raises(IllegalAction):
        env.step((env.games.mask == 0).argmax(axis=1))
    assert env.games.states.tobytes() == state
