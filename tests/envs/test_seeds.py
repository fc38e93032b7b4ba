"""Seeds: every number that one interface gives as the seed of a deal is one for all of them."""

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


def three_environments() -> tuple[Any, Any, Any]:
    return WizardEnv(**SHORT), WizardVectorEnv(2, **SHORT), wizard_v0.raw_env(**SHORT)


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


def test_an_environment_whose_generator_was_set_draws_from_it() -> None:
    envs = [WizardEnv(**SHORT) for _ in range(2)]
    for env in envs:
        env.np_random = np.random.default_rng(3)
    assert (envs[0].reset()[0] == envs[1].reset()[0]).all()
    assert envs[0].np_random_seed == -1


def test_every_seed_is_accepted_everywhere() -> None:
    """As Python's number and as numpy's, alone and in a list; the same cards are dealt."""
    env, vector, aec = three_environments()
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
        hands = Game(RULES, seed).state["hands"]
        env.reset(seed=seed)
        aec.reset(seed=seed)
        dealt = [env.game.state, aec.game.state, Games(RULES, 1, [seed]).states]
        for one in (seed, [seed, 1], np.array([seed, 1], np.uint64)):
            vector.reset(seed=one)
            dealt.append(vector._games.game(0).state)
        for state in dealt:
            assert (state["hands"] == hands).all()
        assert Games(RULES, 1, seed).num_games == 1
