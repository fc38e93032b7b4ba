"""Credit in self-play: every seat is paid its own points, for its own decisions of the round."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback

from wizard_env import NUM_ACTIONS, OBS_SIZE, IllegalAction, Rules, sample_legal
from wizard_env.envs.rewards import Reward, rewards
from wizard_env.rules import MAX_PLAYERS
from wizard_env.train.sb3.buffer import SelfPlayBuffer
from wizard_env.train.sb3.vec_env import SelfPlayVecEnv
from wizard_env.train.selfplay.advantages import seat_advantages
from wizard_env.train.selfplay.games import REWARD_SCALES, SelfPlayGames

RULES = Rules(num_players=3, hand_sizes=(1, 2, 3))

# --- the estimates


def estimate(rollout: dict[str, Any]) -> NDArray[np.float32]:
    advantages = np.full(rollout["seats"].shape, np.nan, np.float32)
    seat_advantages(**rollout, advantages=advantages)
    return advantages


def reference(
    seats: Any,
    rewards: Any,
    ended: Any,
    values: Any,
    last_values: Any,
    last_seats: Any,
    discount: float,
    decay: float,
) -> NDArray[np.float64]:
    """Schulman et al. 2016, eq. 16, along each seat's decisions of a round, decision by decision."""
    length, games = seats.shape

    def advantage(decision: int, game: int) -> float:
        seat, value = seats[decision, game], float(values[decision, game])
        for later in range(decision, length):
            if later > decision and seats[later, game] == seat:
                error = discount * float(values[later, game]) - value
                return error + discount * decay * advantage(later, game)
            if ended[later, game]:
                return float(rewards[later, game, seat]) - value
        return discount * float(last_values[game]) - value if last_seats[game] == seat else 0.0

    return np.array([[advantage(decision, game) for game in range(games)] for decision in range(length)])


@st.composite
def rollouts(draw: st.DrawFn) -> dict[str, Any]:
    length, games = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    players = draw(st.integers(1, MAX_PLAYERS))
    points = rng.choice([-2.0, -1.0, 1.0, 2.0], (length, games, MAX_PLAYERS))
    ended = rng.random((length, games)) < draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    return {
        "seats": rng.integers(0, players, (length, games)),
        "rewards": (points * ended[:, :, np.newaxis]).astype(np.float32),
        "ended": ended,
        "values": rng.normal(size=(length, games)).astype(np.float32),
        "last_values": rng.normal(size=games).astype(np.float32),
        "last_seats": rng.integers(0, players, games),
        "discount": draw(st.sampled_from([1.0, 0.9])),
        "decay": draw(st.sampled_from([0.0, 0.95, 1.0])),
    }


@settings(max_examples=200, deadline=None)
@given(rollouts())
def test_advantages_are_those_of_the_reference(rollout: dict[str, Any]) -> None:
    assert estimate(rollout) == pytest.approx(reference(**rollout), abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(rollouts(), st.integers(0, MAX_PLAYERS - 1))
def test_a_seat_is_paid_its_own_points_and_nobody_elses(rollout: dict[str, Any], seat: int) -> None:
    """Other points for one seat change the advantages of that seat's decisions alone."""
    before = estimate(rollout)
    ended = rollout["ended"]
    rollout["rewards"][:, :, seat][ended] += 10
    changed = estimate(rollout) != before
    assert (rollout["seats"][changed] == seat).all()
    last = ended & (rollout["seats"] == seat)  # the seat decided last, so the points are surely its pay
    assert changed[last].all()


@settings(max_examples=60, deadline=None)
@given(rollouts(), st.integers(0, 13))
def test_the_end_of_a_round_cuts(rollout: dict[str, Any], end: int) -> None:
    """Whatever comes after it, what was decided before the end of a round is worth the same."""
    length = len(rollout["seats"])
    end %= length
    rollout["rewards"][end] = 1
    rollout["ended"][end] = True
    before = estimate(rollout)
    rollout["rewards"][end + 1 :] *= 3
    rollout["values"][end + 1 :] += 1
    rollout["seats"][end + 1 :] = 0
    rollout["last_values"] += 1
    assert estimate(rollout)[: end + 1].tolist() == before[: end + 1].tolist()


def test_a_round_by_hand() -> None:
    """Seats 0, 1, 0 decide, then the round pays 3 and -1; the rollout ends one decision of seat 1 later."""
    rewards = np.zeros((4, 1, MAX_PLAYERS), np.float32)
    rewards[2, 0, :2] = 3, -1
    rollout = {
        "seats": np.array([[0], [1], [0], [1]]),
        "rewards": rewards,
        "ended": rewards[:, :, 0] != 0,
        "values": np.array([[0.5], [0.25], [1], [0.75]], np.float32),
        "last_values": np.array([0.5], np.float32),
        "last_seats": np.array([0]),
        "discount": 1.0,
        "decay": 0.5,
    }
    # seat 0: 3 - 1, and before it 1 - 0.5 + 0.5 * 2; seat 1: -1 - 0.25, and then nothing known
    assert estimate(rollout).ravel().tolist() == [1.5, -1.25, 2.0, 0.0]
    rollout["last_seats"] = np.array([1])
    assert estimate(rollout).ravel().tolist() == [1.5, -1.25, 2.0, -0.25]


# --- the buffer, filled by MaskablePPO


class Keep(BaseCallback):
    """Copies of every rollout, as it stands when the advantages are in."""

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
    """Its actions, played again on a copy of the tables, meet its observations, masks, seats and points."""
    env = SelfPlayVecEnv(SelfPlayGames(RULES, 6, seed=3))
    tables = deepcopy(env.games)
    kept = learn(env, rollouts=3)
    assert len(kept) == 3
    ended = 0
    for rollout in kept:
        for decision in range(16):
            assert rollout["observations"][decision].tolist() == tables.observation.tolist()
            masks = rollout["action_masks"][decision].reshape(6, NUM_ACTIONS)
            assert masks.tolist() == tables.mask.tolist()
            seats = tables.seat.tolist()
            assert rollout["seats"][decision].tolist() == seats
            tables.step(rollout["actions"][decision].ravel().astype(np.int64))
            scaled = tables.points * REWARD_SCALES["points"]
            assert rollout["paid"][decision] == pytest.approx(scaled)
            assert rollout["ended"][decision].tolist() == (tables.points[:, 0] != 0).tolist()
            own = scaled[np.arange(6), seats]
            assert rollout["rewards"][decision] == pytest.approx(own)
            ended += int((tables.points[:, 0] != 0).sum())
        assert rollout["last_seats"].tolist() == tables.seat.tolist()
    assert ended > 6


def test_the_buffer_holds_the_advantages() -> None:
    """Those of the reference, with the values, seats and scaled points that it holds."""
    for rollout in learn(SelfPlayVecEnv(SelfPlayGames(RULES, 5, seed=1)), rollouts=2):
        expected = reference(
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


# --- the environment, as stable-baselines3 calls it


def test_the_environment_is_a_vec_env() -> None:
    """reset, step, spaces, masks and attributes, for rounds on end."""
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
        assert env.acted.tolist() == seats.tolist()
        assert rewards == pytest.approx(env.points[np.arange(7), seats] * REWARD_SCALES["points"])
        assert rewards.dtype == np.float32
        assert (
            dones.tolist() == (env.points != 0).all(axis=1).tolist() == (env.points != 0).any(axis=1).tolist()
        )
        assert infos == [{}] * 7
        paid += int(dones.sum())
    assert paid > 7
    env.close()


def test_a_reset_deals_nothing_anew() -> None:
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


def test_tables_are_at_different_rounds() -> None:
    """And the same seed gives the same tables, another seed others."""
    tables = [SelfPlayVecEnv(SelfPlayGames(RULES, 60, seed)).games.states for seed in (0, 0, 1)]
    assert set(tables[0]["hand_size"].tolist()) == {1, 2, 3}
    assert tables[0].tobytes() == tables[1].tobytes() != tables[2].tobytes()


# --- with a sparring partner


@pytest.mark.parametrize("sparring", [0.0, 0.5, 1.0])
def test_only_seats_that_learn_decide(sparring: float) -> None:
    """A share of the games has 1 to num_players - 1 seats of the partner."""
    env, rng = SelfPlayVecEnv(SelfPlayGames(RULES, 200, seed=2, sparring=sparring)), np.random.default_rng(0)
    learners = env.learns.sum(axis=1)
    assert (learners >= 1).all()
    assert float((learners < 3).mean()) == pytest.approx(sparring, abs=0.12)
    for _ in range(40):
        assert env.learns[np.arange(200), env.games.seat].all()
        env.step(sample_legal(env.games.mask, rng))
        assert env.learns[np.arange(200), env.acted].all()


def test_every_round_with_a_partner_is_paid() -> None:
    """In games of one round, whose seed changes when it ends."""
    env = SelfPlayVecEnv(SelfPlayGames(Rules(num_players=4, hand_sizes=(5,)), 50, seed=2, sparring=1.0))
    rng, ended = np.random.default_rng(0), 0
    for _ in range(80):
        seeds = env.games.seeds.copy()
        env.step(sample_legal(env.games.mask, rng))
        other = env.games.seeds != seeds
        assert (env.points != 0).all(axis=1).tolist() == other.tolist()
        assert (env.points % 10 == 0).all()
        ended += int(other.sum())
    assert ended > 50


# --- other rewards


@pytest.mark.parametrize("reward", ["points", "relative", "game", "win", "rank"])
@pytest.mark.parametrize("sparring", [0.0, 1.0])
def test_what_is_paid_is_what_the_rewards_say(reward: Reward, sparring: float) -> None:
    """Beside a copy of the games that keeps its scores; a game's rewards are paid at its end alone."""
    tables = SelfPlayGames(RULES, 60, seed=4, sparring=sparring, partners=["random"], reward=reward)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        scores = tables.games.scores.copy()
        tables.step(sample_legal(tables.games.mask, rng))
        scored = tables.points[:, 0] != 0
        over = scored & (tables.games.states["round_index"] == 0)
        expected = rewards(reward, tables.points, scores + tables.points, over)
        of_a_round = reward in ("points", "relative")
        assert tables.ended.tolist() == (scored if of_a_round else over).tolist()
        paid = tables.ended
        assert tables.rewards[paid] == pytest.approx(expected[paid] * REWARD_SCALES[reward], abs=1e-6)
        assert not tables.rewards[~paid].any()
        ended += int(paid.sum())
    assert ended > 60
