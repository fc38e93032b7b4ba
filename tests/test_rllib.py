"""The example of RLlib: every decision counts, it learns, and the result is an agent of this package.

It runs in an environment of its own: `make test-rllib`.
"""

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.rllib", exc_type=ImportError)
    from ray.rllib.core.columns import Columns

    from examples.rllib_wizard import (
        CHECKPOINT,
        MODULE,
        Args,
        SelfPlayRounds,
        algorithm_config,
        parse,
        train,
    )

from wizard_env import Games, Rules, sample_legal
from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME, NetworkAgent
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.train.selfplay.games import REWARD_SCALES

RULES = Rules(hand_sizes=(1, 2))

pytestmark = [
    pytest.mark.usefixtures("one_thread", "cluster"),
    # Ray's own: it calls deprecated functions, leaves processes to the collector, and registers a name twice.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib-multi-agent-env:UserWarning"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()
    gc.collect()


def options(folder: Path, decisions: int, *more: str) -> Args:
    small = ["--hand-sizes", "1,2", "--decisions-per-iteration", "2048", "--batch-size", "512"]
    small += ["--layers", "64", "--games-per-worker", "32", "--sparring", "0"]
    return parse([*small, "--folder", str(folder), "--decisions", str(decisions), *more])


# --- the environment


@pytest.mark.parametrize("sparring", [0.0, 1.0])
def test_seats_are_paid_their_own_points(sparring: float) -> None:
    """Once, at the end of the round; the points follow from the bids and the tricks won."""
    rules = Rules(num_players=3, hand_sizes=(1, 4))
    options = {"rules": rules, "num_games": 5, "seed": 3, "partners": ["random"]}
    env = SelfPlayRounds({**options, "sparring": sparring})
    rng = np.random.default_rng(0)
    for _ in range(6):
        observations, _ = env.reset(seed=0)
        acted: set[str] = set()
        over = False
        while not over:
            for agent, seen in observations.items():
                assert env.observation_spaces[agent].contains(seen)
                assert seen["action_mask"].sum() > 1
            acted |= observations.keys()
            masks = np.array([seen["action_mask"] for seen in observations.values()])
            actions = dict(zip(observations, sample_legal(masks, rng).tolist(), strict=True))
            observations, rewards, ended, cut, _ = env.step(actions)
            over = ended["__all__"]
            assert not cut["__all__"]
            assert over or not any(rewards.values())
        assert not observations
        assert rewards.keys() == acted
        assert len(acted) <= (10 if sparring else 15)
        states = env.games.states
        for agent, reward in rewards.items():
            game, seat = (int(part.partition("_")[2]) for part in agent.split("/"))
            bid, tricks = int(states["bids"][game, seat]), int(states["tricks_won"][game, seat])
            points = 20 + 10 * bid if bid == tricks else -10 * abs(bid - tricks)
            assert reward == pytest.approx(points * REWARD_SCALES["points"])


def test_an_episode_is_the_next_round() -> None:
    """The next hand size, and after the last one a new game with another deck."""
    options = {"rules": Rules(num_players=3, hand_sizes=(1, 2, 3)), "num_games": 2, "partners": ["random"]}
    env = SelfPlayRounds({**options, "seed": 0, "sparring": 0.0})
    rng, sizes, hands = np.random.default_rng(0), [], set()
    for _ in range(7):
        observations, _ = env.reset(seed=0)
        sizes.append(int(env.games.states["hand_size"][0]))
        hands.add(env.games.states["hands"].tobytes())
        while observations:
            masks = np.array([seen["action_mask"] for seen in observations.values()])
            actions = dict(zip(observations, sample_legal(masks, rng).tolist(), strict=True))
            observations, *_ = env.step(actions)
    assert sizes == [(sizes[0] - 1 + number) % 3 + 1 for number in range(7)]
    assert len(hands) == 7


def test_every_decision_arrives_with_its_points(tmp_path: Path) -> None:
    """RLlib learns from every seat's decisions up to the end of the round, paid at the last one."""
    args = options(tmp_path, 1, "--games-per-worker", "8", "--sparring", "0.5")
    algorithm = algorithm_config(args, seed=0).build_algo()
    Path(algorithm.logdir).rmdir()
    (episode,) = algorithm.env_runner.sample()
    assert algorithm.env_runner.get_metrics()["num_env_steps_sampled"].peek() == episode.agent_steps()
    for seat in episode.agent_episodes.values():
        *before, last = seat.get_rewards()
        assert last != 0
        assert not any(before)
        assert seat.is_terminated
    algorithm.stop()


# --- learning


def test_it_learns_and_resumes(tmp_path: Path) -> None:
    """The agent beats random agents; the checkpoint's module and the agent compute the same logits."""
    curve = train(options(tmp_path, 30_000))
    assert curve[-1] > curve[0] + 0.15
    field: list[Entrant | str] = [Entrant("learned", load(str(tmp_path))), *["random"] * 3]
    mine, theirs = evaluate(field, RULES, 200, seed=3).standings
    assert mine.name == "learned"
    assert mine.points_low > theirs.points_high
    (checkpoint,) = tmp_path.glob(f"{CHECKPOINT}-*")
    agent, games = load(str(tmp_path)), Games(RULES, 50, canonical_suits=True)
    assert isinstance(agent, NetworkAgent)
    algorithm = algorithm_config(options(tmp_path, 1), seed=0).build_algo()
    Path(algorithm.logdir).rmdir()
    algorithm.restore_from_path(str(checkpoint))
    seen = {"observation": torch.from_numpy(games.observation), "action_mask": torch.from_numpy(games.mask)}
    module = algorithm.get_module(MODULE)
    logits = module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].numpy()
    legal = games.mask != 0
    np.testing.assert_allclose(logits[legal], agent.logits(games.observation)[legal], atol=1e-5)
    assert (logits[~legal] < -1e38).all()
    algorithm.stop()
    before = (tmp_path / FILE_NAME).read_bytes()
    more = ["--workers", "1", "--sparring", "0.5", "--partners", "random,rule_based"]
    assert len(train(options(tmp_path, 34_000, *more))) <= 2
    assert (tmp_path / FILE_NAME).read_bytes() != before
