"""Self-play for stable-baselines3: its environment, and its buffer, which credits each seat."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from tests.train.reference import reference_advantages
from wizard_env import NUM_ACTIONS, Rules
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
