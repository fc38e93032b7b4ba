"""Each library's own way in, with the real library; skipped by name where it is not installed."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from wizard_env import NUM_ACTIONS, OBS_SIZE, Games, Rules, sample_legal, wizard_v0

NAME = "wizard_env/Wizard-v0"
SHORT: dict[str, Any] = {"num_players": 3, "hand_sizes": (1, 2)}


# --- arrays


def test_torch_shares_the_arrays_of_the_games() -> None:
    """By DLPack, without a copy: a step shows in the tensor."""
    torch = pytest.importorskip("torch")
    games = Games(Rules(4), 5, seed=0)
    for array in (games.observation, games.mask):
        tensor = torch.from_dlpack(array)
        assert tensor.data_ptr() == array.ctypes.data
        games.step(games.mask.argmax(axis=1))
        assert tensor.numpy().tobytes() == array.tobytes()


def test_jax_takes_the_arrays_of_the_games_without_copying() -> None:
    """They begin at multiples of 64 bytes, which JAX asks for; those of the vector environment too."""
    jax = pytest.importorskip("jax")
    games = Games(Rules(4), 5, seed=0)
    env: Any = gymnasium.make_vec(NAME, num_envs=5, dtype="float32", **SHORT)
    observations, infos = env.reset(seed=0)
    for array in (games.observation, games.mask, observations, infos["action_mask"]):
        taken = jax.dlpack.from_dlpack(array, copy=False)
        assert taken.unsafe_buffer_pointer() == array.ctypes.data
        assert np.array_equal(np.asarray(taken), array)


# --- Gymnasium's own wrappers


def test_sampling_with_gymnasium_s_sync_vectors() -> None:
    """Their `np_random` is a generator for each environment."""
    env: Any = gymnasium.make_vec(NAME, num_envs=4, vectorization_mode="sync", **SHORT)
    _, infos = env.reset(seed=0)
    for _ in range(20):
        _, _, _, _, infos = env.step(sample_legal(infos["action_mask"], env.np_random))


def test_floats_are_each_entry_over_its_largest_value() -> None:
    """In every environment; a wrapper that rescales bytes would round them to 0."""
    as_bytes, floats = (gymnasium.make(NAME, dtype=dtype, **SHORT) for dtype in ("uint8", "float32"))
    space: Any = as_bytes.observation_space
    row, scaled = as_bytes.reset(seed=3)[0], floats.reset(seed=3)[0]
    assert scaled.dtype == np.float32
    assert floats.observation_space.contains(scaled)
    np.testing.assert_allclose(scaled, row / space.high, rtol=1e-6)
    table = wizard_v0.env(dtype="float32", **SHORT)
    table.reset(seed=3)
    for agent in table.agents:
        assert table.observation_space(agent).contains(table.observe(agent))
    raw = wizard_v0.raw_env(**SHORT)
    raw.reset(seed=3)
    expected = raw.observe("player_1")["observation"] / space.high
    np.testing.assert_allclose(table.observe("player_1")["observation"], expected, rtol=1e-6)


def test_a_batch_is_recorded_as_a_video(tmp_path: Any) -> None:
    """By Gymnasium's RecordVideo for vector environments, from the images of all games."""
    pytest.importorskip("moviepy")
    inner: Any = gymnasium.make_vec(NAME, num_envs=2, render_mode="rgb_array", **SHORT)
    env: Any = gymnasium.wrappers.vector.RecordVideo(
        inner, str(tmp_path / "videos"), step_trigger=lambda step: step == 0, video_length=3
    )
    env.reset(seed=0)
    for _ in range(5):
        env.step(env.action_space.sample())
    env.close()
    assert len(list(tmp_path.glob("videos/*.mp4"))) == 1


# --- libraries


def test_sb3_contrib_s_action_masker() -> None:
    """By a function: by name it would call the method with an argument that the method does not have."""
    wrappers = pytest.importorskip("sb3_contrib.common.wrappers")
    made = gymnasium.make(NAME, **SHORT)
    env = wrappers.ActionMasker(made, lambda env: env.unwrapped.action_masks())
    _, info = env.reset(seed=0)
    assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")
def test_torchrl_plays_at_pettingzoo_s_table() -> None:
    """PettingZooWrapper with `use_mask`: its random policy keeps to the rules, and TorchRL's check passes."""
    envs = pytest.importorskip("torchrl.envs")
    from torchrl.envs.utils import check_env_specs

    env = envs.PettingZooWrapper(wizard_v0.env(**SHORT), use_mask=True, categorical_actions=True)
    rollout = env.rollout(50)
    assert bool(rollout["next", "done"][-1])
    assert rollout["player_0", "observation", "observation"].shape[-1] == OBS_SIZE
    check_env_specs(env)


def masked(env: Any, batch: tuple[int, ...], specs: dict[str, Any] | None = None) -> Any:
    """A GymWrapper whose random actions keep to the mask of the infos."""
    torch = pytest.importorskip("torch")
    envs = pytest.importorskip("torchrl.envs")
    data = pytest.importorskip("torchrl.data")
    from torchrl.envs.gym_like import default_info_dict_reader

    mask = data.Binary(NUM_ACTIONS, shape=(*batch, NUM_ACTIONS), dtype=torch.int8)
    specs = {"action_mask": mask, **(specs or {})}
    wrapped = envs.GymWrapper(env, categorical_action_encoding=True)
    wrapped.set_info_dict_reader(default_info_dict_reader(list(specs), spec=list(specs.values())))
    return envs.TransformedEnv(wrapped, envs.ActionMask())


def test_torchrl_plays_in_a_batch() -> None:
    """GymWrapper resets the games itself."""
    env = masked(gymnasium.make_vec(NAME, num_envs=4, autoreset_mode="Disabled", **SHORT), (4,))
    rollout = env.rollout(40, break_when_any_done=False)
    assert rollout.shape == (4, 40)
    assert int(rollout["next", "done"].sum()) > 8
    assert bool(rollout["action_mask"].gather(-1, rollout["action"].unsqueeze(-1)).all())


def test_supersuit_wraps_the_table() -> None:
    """Rewards are clipped, and the masks in `infos` stay legal actions."""
    supersuit = pytest.importorskip("supersuit")
    env = supersuit.clip_reward_v0(wizard_v0.env(**SHORT))
    env.reset(seed=0)
    for _agent in env.agent_iter():
        _, reward, ended, _, info = env.last()
        assert -1 <= reward <= 1
        env.step(None if ended else int(info["action_mask"].argmax()))


@pytest.mark.filterwarnings("ignore")  # AgileRL's own
def test_agilerl_learns() -> None:
    """DQN takes the mask from the infos and plays nothing illegal; the environment would refuse it."""
    algorithms = pytest.importorskip("agilerl.algorithms")
    from agilerl.components.data import Transition
    from agilerl.components.replay_buffer import ReplayBuffer

    options: dict[str, Any] = {"num_players": 3, "hand_sizes": (1, 2), "episode": "round", "dtype": "float32"}
    envs = gymnasium.make_vec("wizard_env/Wizard-v0", num_envs=8, **options)
    agent = algorithms.DQN(envs.single_observation_space, envs.single_action_space, batch_size=32)
    memory, losses = ReplayBuffer(max_size=500), []
    observation, info = envs.reset(seed=0)
    for _ in range(20):
        action = agent.get_action(observation, epsilon=0.5, action_mask=info["action_mask"])
        following, reward, done, _, info = envs.step(action)
        step = Transition(obs=observation, action=action, reward=reward, next_obs=following, done=done)
        step.batch_size = [8]
        memory.add(step.to_tensordict())
        observation = following
        if len(memory) >= 32:
            losses.append(agent.learn(memory.sample(32)))
    assert np.isfinite(losses).all()
    assert len(losses) == 17
