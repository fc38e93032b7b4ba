"""Custom rewards: a function, or the name of one to import, in every environment and in training."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torch")  # self-play, where own rewards are learned for, needs it

from wizard_env import Rules, wizard_v0
from wizard_env.train.selfplay.games import OWN_SCALE, SelfPlayGames

NAME = "wizard_env/Wizard-v0"
SHORT: dict[str, Any] = {"num_players": 3, "hand_sizes": (1, 2)}
BOLD = """
import numpy as np

def met(points, scores, over):
    return np.where(points > 0, 1.0, -1.0)
"""


def met(points: Any, scores: Any, over: Any) -> Any:
    """1 for a bid that was met, -1 for one that was not."""
    return np.where(points > 0, 1.0, -1.0)


@pytest.fixture(params=["a function", "a module", "a file"])
def reward(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "a function":
        return met
    path = tmp_path / "bold.py"
    path.write_text(BOLD)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "bold:met" if request.param == "a module" else f"{path}:met"


@pytest.mark.parametrize("num_envs", [None, 5])
def test_a_learner_is_paid_by_it(reward: Any, num_envs: int | None) -> None:
    """As a round is scored, and nothing before that."""
    count = num_envs or 1
    env: Any = gymnasium.make_vec(
        NAME,
        num_envs=count,
        vectorization_mode="sync" if num_envs is None else None,
        reward=reward,
        episode="round",
        **SHORT,
    )
    _, infos = env.reset(seed=0)
    before, seat = infos["scores"], infos["seat"]
    for _ in range(30):
        actions = infos["action_mask"].argmax(axis=1)
        _, rewards, ended, _, infos = env.step(actions)
        rows = np.arange(count)
        gained = infos["scores"][rows, seat] - before[rows, seat]
        assert rewards[ended].tolist() == np.where(gained[ended] > 0, 1.0, -1.0).tolist()
        assert not rewards[~ended].any()
        before, seat = infos["scores"], infos["seat"]


def test_every_seat_is_paid_by_it(reward: Any) -> None:
    env = wizard_v0.raw_env(reward=reward, **SHORT)
    env.reset(seed=0)
    paid = []
    while not any(env.terminations.values()):
        scored = len(env.game.rounds)
        env.step(env.game.legal_actions()[0])
        if len(env.game.rounds) > scored:
            points = np.array(env.game.rounds[-1].points)
            assert list(env.rewards.values()) == np.where(points > 0, 1.0, -1.0).tolist()
            paid.append(points)
    assert len(paid) == 2


def test_self_play_is_paid_by_it(tmp_path: Path) -> None:
    path = tmp_path / "bold.py"
    path.write_text(BOLD)
    games = SelfPlayGames(Rules(3, hand_sizes=(1, 2)), 50, 0, reward=f"{path}:met")
    rounds = 0
    for _ in range(20):
        games.step(games.games.mask.argmax(axis=1))
        assert (games.ended == games.round_done).all()
        done = games.round_done
        expected = np.where(games.points[done] > 0, OWN_SCALE, -OWN_SCALE)
        np.testing.assert_allclose(games.rewards[done], expected, rtol=1e-6)
        rounds += int(done.sum())
    assert rounds > 100
