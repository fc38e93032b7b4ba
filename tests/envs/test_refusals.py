"""Wrong options, actions, seeds and rewards are refused, with the near miss or what is allowed."""

from functools import partial
from typing import Any

import gymnasium
import pytest

from wizard_env import wizard_v0
from wizard_env.envs.gymnasium_env import WizardEnv
from wizard_env.envs.gymnasium_vector import WizardVectorEnv
from wizard_env.envs.rewards import find_reward

NAME = "wizard_env/Wizard-v0"
aec, env = wizard_v0.env, wizard_v0.raw_env
single = partial(gymnasium.make, NAME)
batch = partial(gymnasium.make_vec, NAME, num_envs=2)
EVERYWHERE = (aec, env, single, batch)
LEARNERS = (single, batch)


@pytest.mark.parametrize(
    ("makers", "options", "message"),
    [
        (EVERYWHERE, {"num_player": 4}, "'num_player'.*did you mean 'num_players'"),
        (EVERYWHERE, {"reward": "point"}, "reward='point': did you mean 'points'"),
        (EVERYWHERE, {"dtype": "float64"}, "dtype='float64': did you mean 'float32'"),
        (EVERYWHERE, {"bid_restriction": "leader", "bid_reveal": "secret"}, "needs bid_reveal='open'"),
        ((aec, env, WizardEnv), {"render_mode": "asci"}, "render_mode='asci': did you mean 'ansi'"),
        (LEARNERS, {"opponent": "random"}, "'opponent': did you mean 'opponents'"),
        (LEARNERS, {"episode": "rounds"}, "episode='rounds': did you mean 'round'"),
        (LEARNERS, {"num_players": 3, "seat": 3}, "seat=3: allowed are None and 0 to 2"),
        (LEARNERS, {"opponents": "randm"}, "unknown agent 'randm': did you mean 'random'"),
        (LEARNERS, {"opponents": ["random"] * 4}, "4 opponents: .* each of the 3 seats"),
        (LEARNERS, {"opponents": object()}, "a method `act` is needed"),
        (LEARNERS, {"episode": "round", "reward": "game"}, "reward='game'.*needs episode='game'"),
        ((batch,), {"autoreset_mode": "Never"}, "'Never' is not a valid AutoresetMode"),
        ((batch,), {"num_envs": 0}, "num_games=0: allowed are 1"),
    ],
)
def test_options_of_environments(makers: Any, options: dict[str, Any], message: str) -> None:
    for make in makers:
        with pytest.raises((TypeError, ValueError), match=message):
            make(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hands": (1,)}, "has no option 'hands': did you mean 'hand_sizes'"),
        ({"dealer": 4}, r"options\['dealer'\]=4: allowed are 0 to 3"),
        ({"dealer": "left"}, r"options\['dealer'\]='left': allowed are whole numbers"),
        ({"hand_sizes": (16,)}, r"hand_sizes\[0\]=16: allowed are 1 to 15"),
    ],
)
def test_options_of_reset(options: dict[str, Any], message: str) -> None:
    for make in (env, *LEARNERS):
        with pytest.raises((TypeError, ValueError), match=message):
            make().reset(seed=0, options=options)


@pytest.mark.parametrize("seed", [-1, 2**64, True, 0.5, "1"])
def test_seeds(seed: Any) -> None:
    """The game under way stays as it was."""
    one, many, table = WizardEnv(), WizardVectorEnv(2), wizard_v0.raw_env()
    for reset in (one.reset, many.reset, table.reset):
        reset(seed=1)
    before = [str(one.game), many.action_masks().tobytes(), str(table.game)]
    resets: list[Any] = [one.reset, many.reset, table.reset, lambda seed: many.reset(seed=[0, seed])]
    for reset in resets:
        with pytest.raises((ValueError, TypeError), match=f"^seed={seed!r}: allowed are "):
            reset(seed=seed)
    assert [str(one.game), many.action_masks().tobytes(), str(table.game)] == before


@pytest.mark.parametrize(
    ("reward", "error", "message"),
    [
        ("nowhere.py:met", FileNotFoundError, "there is no file nowhere.py"),
        ("math:met", ValueError, "math has no 'met'"),
        ("no_such_module:met", ModuleNotFoundError, "no_such_module"),
        (3, ValueError, "reward=3"),
    ],
)
def test_rewards(reward: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        find_reward(reward)
