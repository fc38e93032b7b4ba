"""The vector environment: native, and equal byte for byte to Gymnasium's batch of single environments."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, OBS_SIZE, IllegalAction, action_id, sample_legal
from wizard_env.agents import View
from wizard_env.envs.gymnasium_vector import WizardVectorEnv

NAME = "wizard_env/Wizard-v0"
SHORT: dict[str, Any] = {"num_players": 3, "hand_sizes": (1, 2)}
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


class HighestLegal:
    """Takes the last legal action."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return NUM_ACTIONS - 1 - view.mask[:, ::-1].argmax(axis=1)


OPTION_SETS: list[dict[str, Any]] = [
    {"hand_sizes": (1, 15)},
    SHORT,
    SHORT | {"num_players": 6, "seat": 5, "magic_edition": True},
    SHORT | {"bid_restriction": "no_even", "reward": "win"},
    SHORT | {"bid_restriction": "canadian", "reward": "rank", "num_players": 5},
    SHORT | {"bid_reveal": "secret", "reward": "game", "seat": 0},
    SHORT | {"bid_reveal": "simultaneous", "opponents": ["random", HighestLegal()]},
    SHORT | {"opponents": HighestLegal(), "seat": 2},
    SHORT | {"opponents": ["random", "random"], "reward": "relative"},
    SHORT | {"episode": "round"},
    SHORT | {"history": True, "bid_reveal": "secret"},
    SHORT | {"history": True, "episode": "round", "dtype": "float32"},
    {"num_players": 4, "hand_sizes": (3, 1, 2), "episode": "round", "reward": "relative", "seat": 1},
    SHORT | {"episode": "round", "bid_reveal": "secret", "opponents": ("random", HighestLegal())},
]
every_option = pytest.mark.parametrize("options", OPTION_SETS)
every_mode = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)


def make(num_envs: int = 4, **options: Any) -> WizardVectorEnv:
    env: Any = gymnasium.make_vec(NAME, num_envs=num_envs, **options)
    assert isinstance(env, WizardVectorEnv)
    return env


def make_sync(num_envs: int, mode: AutoresetMode, **options: Any) -> SyncVectorEnv:
    kwargs = {"autoreset_mode": mode}
    env: Any = gymnasium.make_vec(
        NAME, num_envs=num_envs, vectorization_mode="sync", vector_kwargs=kwargs, **options
    )
    assert isinstance(env, SyncVectorEnv)
    return env


def contents(value: Any) -> Any:
    """Types, shapes and bytes of whatever an environment returns."""
    if isinstance(value, dict):
        return {name: contents(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return [contents(entry) for entry in value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [contents(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    return value


def arrays_in(value: Any) -> list[NDArray[Any]]:
    if isinstance(value, np.ndarray) and value.dtype != object:
        return [value]
    entries = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [array for entry in entries for array in arrays_in(entry)]


def shown(env: WizardVectorEnv) -> Any:
    games = env._games
    states = [games.game(row).state for row in range(env.num_envs)]
    return contents(
        (env.action_masks(), *states, games.reward, games.terminated, games.seat, games.observation)
    )


# --- equal to single environments


@every_option
@every_mode
def test_equal_to_single_environments(options: dict[str, Any], mode: AutoresetMode) -> None:
    """Observations, rewards, terminations, truncations and infos, byte for byte, over several episodes."""
    native, sync, rng = make(autoreset_mode=mode, **options), make_sync(4, mode, **options), np.random
    noise, episodes = rng.default_rng(0), 0
    seeds: list[Any] = [5, None, [9, 1, 2**62, 0], None]
    for seed in seeds:
        assert contents(native.reset(seed=seed)) == contents(sync.reset(seed=seed))
        for _ in range(40):
            actions = sample_legal(native.action_masks(), noise)
            ours = native.step(actions)
            assert contents(ours) == contents(sync.step(actions))
            episodes += int(ours[2].sum())
    assert episodes > 4
    native.close()
    sync.close()


@pytest.mark.parametrize(
    "options",
    [SHORT, SHORT | {"episode": "round", "dtype": "float32"}, SHORT | {"history": True}],
    ids=str,
)
def test_equal_to_single_environments_that_the_caller_resets(options: dict[str, Any]) -> None:
    """AutoresetMode.DISABLED: the infos of the rows that were reset, and everything else, byte for byte."""
    mode, rng, episodes = AutoresetMode.DISABLED, np.random.default_rng(0), 0
    native, sync = make(autoreset_mode=mode, **options), make_sync(4, mode, **options)
    assert contents(native.reset(seed=5)) == contents(sync.reset(seed=5))
    for _ in range(60):
        actions = sample_legal(native.action_masks(), rng)
        ours = native.step(actions)
        assert contents(ours) == contents(sync.step(actions))
        if not (ended := ours[2]).any():
            continue
        episodes += int(ended.sum())
        with pytest.raises(ValueError, match=r"environments \[.* have ended: reset them first"):
            native.step(actions)
        seed = [None if row % 2 else 40 + episodes for row in range(4)]
        (seen, infos), (seen_there, infos_there) = (
            env.reset(seed=seed, options={"reset_mask": ended.copy()}) for env in (native, sync)
        )
        assert contents(seen) == contents(seen_there)
        for name in ("action_mask", "seat", "scores"):
            assert infos[f"_{name}"].tolist() == infos_there[f"_{name}"].tolist() == ended.tolist()
            assert infos[name][ended].tolist() == infos_there[name][ended].tolist()
        assert np.array_equal(infos["action_mask"], native.action_masks())
    assert episodes > 8


def test_wrong_masks_of_what_to_reset_are_refused() -> None:
    env = make(2, **SHORT, autoreset_mode="Disabled")
    with pytest.raises(ValueError, match="the first reset is of all environments"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=0)
    for mask in (np.array([1, 0]), np.array([True]), np.array([False, False])):
        with pytest.raises(ValueError, match=r"bool \[2\] is needed, True at least once"):
            env.reset(options={"reset_mask": mask})


# --- as Gymnasium makes it


def test_made_by_gymnasium() -> None:
    env = make(5, **SHORT)
    assert env.num_envs == 5
    assert env.spec is not None
    assert env.single_observation_space.shape == (OBS_SIZE,)
    assert env.observation_space.shape == (5, OBS_SIZE)
    assert env.single_action_space == gymnasium.spaces.Discrete(NUM_ACTIONS)
    assert env.action_space.shape == (5,)
    observations, infos = env.reset(seed=0)
    assert env.observation_space.contains(observations)
    assert infos["action_mask"].shape == (5, NUM_ACTIONS)
    assert infos["action_mask"].dtype == np.int8
    assert np.array_equal(infos["action_mask"], env.action_masks())
    assert env.action_masks().dtype == np.bool_
    assert set(infos["seat"].tolist()) <= {0, 1, 2}
    for array in (observations, infos["action_mask"], env.step(env.action_space.sample())[0]):
        assert array.ctypes.data % 64 == 0, "so that JAX takes them without copying"
    assert make(**SHORT, autoreset_mode="SameStep").metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert WizardVectorEnv.metadata["autoreset_mode"] is env.metadata["autoreset_mode"] is MODES[0]


@every_mode
def test_results_are_fresh_arrays(mode: AutoresetMode) -> None:
    """Nothing that was returned changes later, and writing into it changes nothing."""
    env, rng = make(**SHORT, autoreset_mode=mode), np.random.default_rng(0)
    kept: list[Any] = [env.reset(seed=0)]
    as_they_were = [contents(kept[0])]
    for _ in range(12):
        kept.append(env.step(sample_legal(env.action_masks(), rng)))
        as_they_were.append(contents(kept[-1]))
    assert [contents(result) for result in kept] == as_they_were
    before = shown(env)
    for array in [*arrays_in(tuple(kept)), env.action_masks()]:
        array[...] = 1
    assert shown(env) == before


# --- what is refused


@pytest.mark.parametrize("action", [NUM_ACTIONS, -1, action_id("play WI")])
def test_an_illegal_action_changes_nothing(action: int) -> None:
    """In no environment; the message says in which one."""
    env = make(**SHORT)
    env.reset(seed=0)
    before, actions = shown(env), env.action_masks().argmax(axis=1)
    actions[2] = action
    with pytest.raises(
        IllegalAction, match=r"seat \d may not .*; legal: bid 0, bid 1 \(round 1\) \(game 2 of"
    ):
        env.step(actions)
    assert shown(env) == before


def test_the_action_space_draws_legal_actions() -> None:
    """Of every game at that moment, in a copy too; masks and probabilities are taken as in Gymnasium."""
    env = make(3, **SHORT)
    env.reset(seed=0)
    for _ in range(20):
        env = copy.deepcopy(env)
        env.step(env.action_space.sample())
    only = tuple(np.eye(NUM_ACTIONS, dtype=np.int8)[[5, 6, 7]])
    assert env.action_space.sample(mask=only).tolist() == [5, 6, 7]
    env.action_space.seed(1)
    first = env.action_space.sample()
    env.action_space.seed(1)
    assert env.action_space.sample().tolist() == first.tolist()


def test_rendering_shows_every_game() -> None:
    """A tuple, as of Gymnasium's own vector environments; each what that learner sees."""
    native, sync = make(2, render_mode="ansi", **SHORT), make_sync(2, MODES[0], render_mode="ansi", **SHORT)
    native.reset(seed=3)
    sync.reset(seed=3)
    assert native.render() == sync.render()
    images = make(2, render_mode="rgb_array", **SHORT)
    images.reset(seed=0)
    first, second = images.render() or ()
    assert first.dtype == np.uint8
    assert first.shape == second.shape
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_identically(copied: Callable[[Any], Any]) -> None:
    env = make(**SHORT)
    env.reset(seed=3)
    env.step(env.action_masks().argmax(axis=1))
    twin = copied(env)
    for _ in range(30):
        assert shown(twin) == shown(env)
        actions = env.action_masks().argmax(axis=1)
        assert contents(twin.step(actions)) == contents(env.step(actions))


@every_mode
def test_an_illegal_action_ends_one_episode_if_asked(mode: AutoresetMode) -> None:
    """As in single environments, and the others go on; with random actions, legal or not."""
    options = SHORT | {"illegal_action": "end", "illegal_reward": -2.5}
    native, sync = make(autoreset_mode=mode, **options), make_sync(4, mode, **options)
    rng, ended = np.random.default_rng(3), 0
    assert contents(native.reset(seed=2)) == contents(sync.reset(seed=2))
    for _ in range(30):
        legal, any_action = sample_legal(native.action_masks(), rng), rng.integers(-1, 80, 4)
        actions = np.where(rng.random(4) < 0.8, legal, any_action)
        ours = native.step(actions)
        assert contents(ours) == contents(sync.step(actions))
        ended += int((ours[1] == -2.5).sum())
    assert ended > 4
