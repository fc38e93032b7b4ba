"""`reset` in every environment: a seed is the same for all of them, and so are the options."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from wizard_env import Game, Games, Rules, wizard_v0
from wizard_env.envs.gymnasium_env import WizardEnv
from wizard_env.envs.gymnasium_vector import WizardVectorEnv

SHORT: dict[str, Any] = {"num_players": 3, "hand_sizes": (1, 2)}
RULES = Rules(**SHORT)
NAME = "wizard_env/Wizard-v0"


# --- seeds


def test_an_unseeded_environment_names_the_seed_of_its_game() -> None:
    """Read before the first reset or after it; another environment draws another."""
    env: Any = gymnasium.make(NAME, **SHORT)
    before = env.unwrapped.np_random_seed
    observation, _ = env.reset()
    seed = env.unwrapped.np_random_seed
    assert seed == before
    assert (env.reset(seed=seed)[0] == observation).all()
    assert env.unwrapped.game.state["hands"].tolist() == Game(RULES, seed).state["hands"].tolist()
    assert gymnasium.make(NAME, **SHORT).unwrapped.np_random_seed != seed


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_unseeded_environments_name_their_seed(mode: str) -> None:
    envs: Any = gymnasium.make_vec(NAME, 3, mode, **SHORT)
    observation, _ = envs.reset()
    seed: Any = envs.unwrapped.np_random_seed
    again, _ = envs.reset(seed=list(seed) if isinstance(seed, tuple) else seed)
    assert (again == observation).all()


def test_every_seed_is_accepted_everywhere() -> None:
    """As Python's number and as numpy's, alone and in a list; the same cards are dealt."""
    env, vector, aec = WizardEnv(**SHORT), WizardVectorEnv(2, **SHORT), wizard_v0.raw_env(**SHORT)
    vector.reset()
    aec.reset()
    given: list[Any] = [
        env.np_random_seed,
        vector.np_random_seed,
        aec.game.seed,
        *Games(RULES, 2).seeds,  # numpy's
        Game(RULES, 2**64 - 1).seed,
        0,
    ]
    for seed in given:
        observation, _ = env.reset(seed=seed)
        aec.reset(seed=seed)
        hands = Game(RULES, seed).state["hands"]
        for state in (env.game.state, aec.game.state, Games(RULES, 1, [seed]).states):
            assert (state["hands"] == hands).all()
        seeds: list[Any] = [seed, [seed, 1], np.array([seed, 1], np.uint64)]
        for one in seeds:
            assert (vector.reset(seed=one)[0][0] == observation).all()
        assert Games(RULES, 1, seed).num_games == 1


# --- options


def single(**options: Any) -> WizardEnv:
    env = gymnasium.make(NAME, num_players=4, hand_sizes=(1, 2), **options).unwrapped
    assert isinstance(env, WizardEnv)
    return env


def vector(**options: Any) -> WizardVectorEnv:
    env: Any = gymnasium.make_vec(NAME, num_envs=3, num_players=4, hand_sizes=(1, 2), **options)
    return env


def play_out(env: WizardEnv) -> None:
    terminated = False
    while not terminated:
        _, _, terminated, _, _ = env.step(env.action_space.sample())


def test_hand_sizes_are_those_of_one_game() -> None:
    """The game after it is as the environment was made, and so is one with a seed."""
    env = single()
    env.reset(seed=5, options={"hand_sizes": [3, 1, 2]})
    assert env.game.rules == Rules(4, hand_sizes=(3, 1, 2))
    play_out(env)
    assert env.game.round_number == 3
    env.reset()
    assert env.game.rules == Rules(4, hand_sizes=(1, 2))
    env.reset(options={"hand_sizes": (2,)})
    env.reset(seed=5)
    twin = single()
    assert np.array_equal(env.reset(seed=6)[0], twin.reset(seed=6)[0])
    assert env.game == twin.game


def test_options_begin_a_new_game_where_episodes_are_rounds() -> None:
    env = single(episode="round")
    env.reset(seed=1)
    play_out(env)
    env.reset(options={"dealer": 2})
    assert (env.game.round_number, env.game.dealer) == (1, 2)
    play_out(env)
    env.reset()
    assert (env.game.round_number, env.game.dealer) == (2, 3)


def test_a_batch_takes_the_same_options_everywhere() -> None:
    env = vector()
    options = {"seat": 1, "dealer": 3, "hand_sizes": (2,)}
    observations, infos = env.reset(seed=9, options=options)
    assert infos["seat"].tolist() == [1, 1, 1]
    for row in range(3):
        alone = single()
        observation, _ = alone.reset(seed=9 + row, options=options)
        assert np.array_equal(observation, observations[row])


def test_a_dealer_turns_the_deal_of_the_same_seed() -> None:
    """Every place from the dealer's left gets the same cards, in both kinds of environment."""
    drawn = Game(Rules(4, hand_sizes=(5,)), seed=3)
    raw, env = wizard_v0.raw_env(num_players=4, hand_sizes=(5,)), single()
    for dealer in range(4):
        raw.reset(seed=3, options={"dealer": dealer})
        env.reset(seed=3, options={"dealer": dealer, "seat": dealer, "hand_sizes": (5,)})
        assert raw.game.dealer == env.game.dealer == dealer
        assert raw.game.upcard == env.game.upcard == drawn.upcard
        for place in range(4):
            seat, before = (dealer + place) % 4, (drawn.dealer + place) % 4
            assert raw.game.hands[seat] == env.game.hands[seat] == drawn.hands[before]
