"""SelfPlayRounds: every seat that learns is paid its own points, and episodes are the rounds of games."""

import warnings

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("ray")
    pytest.importorskip("ray.rllib", exc_type=ImportError)

    from wizard_env.train.rllib.env import SelfPlayRounds

from wizard_env import Rules, sample_legal
from wizard_env.train.selfplay.games import REWARD_SCALES


@pytest.mark.parametrize("sparring", [0.0, 1.0])
def test_seats_are_paid_their_own_points(sparring: float) -> None:
    """Once, at the end of the round; the points follow from the bids and the tricks won."""
    rules = Rules(num_players=3, hand_sizes=(1, 4))
    options = {"rules": rules, "num_games": 5, "seed": 3, "partners": ["random"], "alone": True}
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
        games = [agent.partition("/")[0] for agent in acted]
        assert len(games) == (len(set(games)) if sparring else 15)
        states = env.games.states
        for agent, reward in rewards.items():
            game, seat = (int(part.partition("_")[2]) for part in agent.split("/"))
            bid, tricks = int(states["bids"][game, seat]), int(states["tricks_won"][game, seat])
            points = 20 + 10 * bid if bid == tricks else -10 * abs(bid - tricks)
            assert reward == pytest.approx(points * REWARD_SCALES["points"])


def test_an_episode_is_the_next_round() -> None:
    """The next hand size, and after the last one a new game with another deck."""
    options = {"rules": Rules(num_players=3, hand_sizes=(1, 2, 3)), "num_games": 2, "partners": ["random"]}
    env = SelfPlayRounds({**options, "seed": 0, "sparring": 0.0, "alone": False})
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
