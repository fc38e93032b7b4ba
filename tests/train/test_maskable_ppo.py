"""Self-play for stable-baselines3: its environment, and its buffer, which credits each seat."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback

from tests.train.reference import reference_advantages
from wizard_env import NUM_ACTIONS, OBS_SIZE, IllegalAction, Rules, sample_legal
from wizard_env.train.maskable_ppo import SelfPlayBuffer, SelfPlayVecEnv
from wizard_env.train.selfplay.games import REWARD_SCALES, SelfPlayGames

RULES = Rules(num_players=3, hand_sizes=(1, 2, 3))


class Keep(BaseCallback):
    """Copies every rollout, once its advantages are computed."""

    def __init__(self) -> None:
        super().__init__()
        self.rollouts: list[dict[str, Any]] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        buffer = self.locals["rollout_buffer"]
        kept = ("seats", "paid", "ended", "values", "actions", "action_masks", "observations", "rewards")
        arrays = {name: getattr(buffer, name).copy() for name in (*kept, "advantages", "returns")}
        env: Any = self.training_env
        arrays["last_seats"] = env.games.seat.astype(np.int64)
        next_decisions = torch.from_numpy(env.games.observation.astype(np.float32))
        with torch.no_grad():
            arrays["last_values"] = self.model.policy.predict_values(next_decisions).numpy().ravel()  # type: ignore[operator]
        self.rollouts.append(arrays)


def learn(env: SelfPlayVecEnv, rollouts: int) -> list[dict[str, Any]]:
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16,
        batch_size=32,
        n_epochs=1,
        gamma=0.9,
        gae_lambda=0.8,
        rollout_buffer_class=SelfPlayBuffer,
        rollout_buffer_kwargs={"env": env},
        policy_kwargs={"net_arch": [8]},
        seed=0,
        device="cpu",
    )
    keep = Keep()
    model.learn(rollouts * 16 * env.num_envs, keep)
    return keep.rollouts


def test_the_buffer_holds_the_games() -> None:
    """Its actions, played again on a copy of the games, lead to its observations, masks, seats and points."""
    env = SelfPlayVecEnv(SelfPlayGames(RULES, 6, seed=3))
    games = deepcopy(env.games)
    kept = learn(env, rollouts=3)
    assert len(kept) == 3
    ended = 0
    for rollout in kept:
        for decision in range(16):
            assert rollout["observations"][decision].tolist() == games.observation.tolist()
            masks = rollout["action_masks"][decision].reshape(6, NUM_ACTIONS)
            assert masks.tolist() == games.mask.tolist()
            seats = games.seat.tolist()
            assert rollout["seats"][decision].tolist() == seats
            games.step(rollout["actions"][decision].ravel().astype(np.int64))
            scaled = games.points * REWARD_SCALES["points"]
            assert rollout["paid"][decision] == pytest.approx(scaled)
            assert rollout["ended"][decision].tolist() == (games.points[:, 0] != 0).tolist()
            own = scaled[np.arange(6), seats]
            assert rollout["rewards"][decision] == pytest.approx(own)
            ended += int((games.points[:, 0] != 0).sum())
        assert rollout["last_seats"].tolist() == games.seat.tolist()
    assert ended > 6


def test_the_buffer_holds_the_advantages() -> None:
    """Those of the reference, for the values, seats and scaled points in the buffer."""
    for rollout in learn(SelfPlayVecEnv(SelfPlayGames(RULES, 5, seed=1)), rollouts=2):
        expected = reference_advantages(
            rollout["seats"],
            rollout["paid"],
            rollout["ended"],
            rollout["values"],
            rollout["last_values"],
            rollout["last_seats"],
            discount=0.9,
            decay=0.8,
        )
        assert rollout["advantages"] == pytest.approx(expected, abs=1e-4)
        assert rollout["returns"] == pytest.approx(rollout["advantages"] + rollout["values"])


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
