"""The Gymnasium environment: one learner against opponents, in the game that the seed deals."""

import copy
import functools
import pickle
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import scipy.stats
from gymnasium.utils.env_checker import check_env

from tests.envs.totals import expected_total
from wizard_env import NUM_ACTIONS, OBS_SIZE, Game, IllegalAction, Rules, action_id
from wizard_env.agents import View
from wizard_env.envs.gymnasium_env import WizardEnv
from wizard_env.envs.rewards import REWARDS

NAME = "wizard_env/Wizard-v0"
SHORT: dict[str, Any] = {"num_players": 3, "hand_sizes": (1, 2)}
OPTION_SETS: list[dict[str, Any]] = [
    {},
    SHORT,
    {"num_players": 5, "seat": 2, "hand_sizes": range(2, 4)},
    *(SHORT | {"num_players": players} for players in (4, 5, 6)),
    *(SHORT | {"bid_restriction": name} for name in ("no_even", "leader", "canadian")),
    *(SHORT | {"bid_reveal": name} for name in ("simultaneous", "secret")),
    SHORT | {"magic_edition": True},
    SHORT | {"history": True},
    SHORT | {"history": True, "episode": "round", "dtype": "float32"},
    SHORT | {"episode": "round"},
    SHORT | {"episode": "round", "reward": "relative"},
    SHORT | {"opponents": ["random", "random"]},
    *(SHORT | {"reward": name} for name in REWARDS[1:]),
    *({"hand_sizes": (1,), "render_mode": name} for name in ("ansi", "rgb_array", "human")),
]
every_option = pytest.mark.parametrize("options", OPTION_SETS, ids=str)


class Recorder:
    """Takes the first legal action, and notes where it sat."""

    def __init__(self) -> None:
        self.seats: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> Any:
        self.seats += view.seat.tolist()
        return view.mask.argmax(axis=1)


def make(**options: Any) -> WizardEnv:
    env = gymnasium.make(NAME, **options).unwrapped
    assert isinstance(env, WizardEnv)
    return env


def legal(env: WizardEnv) -> list[int]:
    return [int(action) for action in env.action_masks().nonzero()[0]]


def play(env: WizardEnv, rng: random.Random) -> tuple[float, dict[str, Any]]:
    """Random legal actions to the end of the episode; what was paid, and the last info."""
    paid, ended = 0.0, False
    info: dict[str, Any] = {}
    while not ended:
        _, reward, ended, _, info = env.step(rng.choice(legal(env)))
        paid += float(reward)
    return paid, info


def shown(env: WizardEnv) -> list[Any]:
    return [env.action_masks().tobytes(), env.game.state.tobytes(), repr(env._info())]


def trajectory(env: WizardEnv, episodes: int, seed: int | None = None) -> list[bytes]:
    """All that some episodes show, from a reset with the seed on."""
    rng, seen = random.Random(7), []
    for episode in range(episodes):
        observation, info = env.reset(seed=seed if episode == 0 else None)
        seen.append(observation.tobytes() + repr(info).encode())
        ended = False
        while not ended:
            observation, reward, ended, truncated, info = env.step(rng.choice(legal(env)))
            seen.append(observation.tobytes() + repr((reward, ended, truncated, info)).encode())
    return seen


# --- conformance


@every_option
def test_gymnasium_s_checker(options: dict[str, Any]) -> None:
    """It draws an action, resets the environment and plays the action, which need not be legal there."""
    check_env(make(**options, illegal_action="end"))


@pytest.mark.filterwarnings("ignore:Your observation history has an unconventional shape:UserWarning")
@every_option
def test_stable_baselines3_checker(options: dict[str, Any]) -> None:
    """It warns of a history, which is a matrix."""
    stable_baselines3 = pytest.importorskip("stable_baselines3.common.env_checker")
    for illegal_action in ("raise", "end"):
        env = make(**options, illegal_action=illegal_action)
        stable_baselines3.check_env(env)
        env.close()


def test_an_illegal_action_ends_the_episode_if_asked() -> None:
    """It is terminated and paid `illegal_reward`, the info says so, and the next reset begins a new game."""
    env = make(**SHORT, illegal_action="end", illegal_reward=-3, episode="round")
    before, info = env.reset(seed=1)
    assert not info["illegal_action"]
    for action in (NUM_ACTIONS - 1, -1, 10**6):
        game = env.game
        after, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated, info["illegal_action"]) == (-3, True, False, True)
        assert after.tobytes() == before.tobytes()
        assert not any(info[name].any() for name in ("action_mask", "round", "scores"))
        with pytest.raises(ValueError, match="the episode has ended: reset"):
            env.step(0)
        before, info = env.reset()
        assert not info["illegal_action"]
        assert info["action_mask"].any()
        assert (env.game.seed, env.game.round_number) != (game.seed, game.round_number)
    with pytest.raises(ValueError, match=r"illegal_action='stop': .*'raise', 'end'"):
        make(illegal_action="stop")


def test_the_specification_can_be_kept_as_json() -> None:
    """Data sets do so; whatever the hand sizes were given as."""
    read = gymnasium.envs.registration.EnvSpec.from_json
    env = gymnasium.make(NAME, num_players=3, hand_sizes=range(1, 3))
    assert env.spec is not None
    again = gymnasium.make(read(env.spec.to_json()))
    again.reset(seed=0)
    assert isinstance(again.unwrapped, WizardEnv)
    assert again.unwrapped.game.rules == Rules(3, hand_sizes=(1, 2))
    many = gymnasium.make_vec(NAME, 2, num_players=3, hand_sizes=range(1, 3))
    assert many.spec is not None
    assert (
        gymnasium.make_vec(gymnasium.envs.registration.EnvSpec.from_json(many.spec.to_json())).num_envs == 2
    )


def test_what_make_makes_by_default() -> None:
    """Four players, all rounds, a drawn seat, random opponents, whole games, points."""
    env = gymnasium.make(f"wizard_env:{NAME}")
    assert isinstance(env.unwrapped, WizardEnv)
    assert env.observation_space.shape == (OBS_SIZE,)
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    assert (env.action_space.n, env.action_space.start) == (NUM_ACTIONS, 0)
    observation, info = env.reset(seed=1)
    assert env.unwrapped.game.rules == Rules()
    assert observation.dtype == np.uint8
    assert info["scores"].tolist() == [0] * 4
    assert (env.spec is not None, env.render_mode) == (True, None)


# --- it is the game


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
@pytest.mark.parametrize("reveal", ["open", "secret"])
def test_it_is_the_game_of_its_seed(num_players: int, reveal: Any) -> None:
    """A Game, in which the opponents have acted before each of the learner's decisions."""
    rules, rng = Rules(num_players=num_players, hand_sizes=(2, 3), bid_reveal=reveal), random.Random(0)
    env = make(**rules.to_dict(), opponents=Recorder())
    for seed in (0, 3, 2**64 - 1):
        observation, info = env.reset(seed=seed)
        game, ended = Game(rules, seed), False
        while True:
            while game.seat not in (None, info["seat"]):
                game.step(game.legal_actions()[0])
            assert observation.tobytes() == game.observe(info["seat"]).tobytes()
            assert info["action_mask"].dtype == np.int8
            assert info["action_mask"].tolist() == game.legal_mask().tolist()
            assert env.action_masks().dtype == np.bool_
            assert env.action_masks().tolist() == game.legal_mask().tolist()
            assert info["scores"].tolist() == game.scores
            assert info["scores"].dtype == np.int64
            assert info.keys() == {"action_mask", "seat", "scores", "round"}
            assert ended == (game.phase == "over")
            if ended:
                break
            action, before = rng.choice(game.legal_actions()), game.scores
            observation, reward, ended, truncated, info = env.step(action)
            game.step(action)
            while game.seat not in (None, info["seat"]):
                game.step(game.legal_actions()[0])
            assert (type(reward), truncated) == (float, False)
            assert reward == game.scores[info["seat"]] - before[info["seat"]]


def test_the_game_can_be_looked_at() -> None:
    """`env.game` is a copy."""
    env = make(**SHORT)
    env.reset(seed=2)
    before = shown(env)
    env.game.step(legal(env)[0])
    observation, _, _, _, info = env.step(legal(env)[0])
    observation[:] = 7
    for array in (info["action_mask"], info["scores"], env.action_masks()):
        array[:] = 7
    env.reset(seed=2)
    assert shown(env) == before


# --- seats and opponents


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_a_drawn_seat(num_players: int) -> None:
    """Every seat occurs, about equally often, and stays the learner's for the game."""
    env = make(num_players=num_players, hand_sizes=(1,))
    seats = [env.reset(seed=0)[1]["seat"], *(env.reset()[1]["seat"] for _ in range(60 * num_players))]
    counts = np.bincount(seats)
    assert len(counts) == num_players
    assert scipy.stats.chisquare(counts).pvalue > 1e-4
    rounds = make(num_players=num_players, hand_sizes=(1,) * 5, episode="round")
    seat = rounds.reset(seed=3)[1]["seat"]
    for _ in range(4):
        play(rounds, random.Random(0))
        assert rounds.reset()[1]["seat"] == seat


@pytest.mark.parametrize("seat", [0, 1, 3, None])
def test_each_opponent_gets_its_seat(seat: int | None) -> None:
    """One for each seat, from the learner's left."""
    agents = [Recorder() for _ in range(3)]
    env = make(seat=seat, hand_sizes=(1, 2), opponents=agents)
    for _ in range(4):
        for agent in agents:
            agent.seats.clear()
        sat = env.reset()[1]["seat"]
        assert seat in (None, sat)
        assert play(env, random.Random(0))[1]["seat"] == sat
        assert legal(env) == []
        for place, agent in enumerate(agents):
            assert set(agent.seats) == {(sat + 1 + place) % 4}
            assert len(agent.seats) >= 2 + 3


def test_one_opponent_for_all_seats() -> None:
    """An agent, alone or named several times in a list, and names beside agents."""
    everybody, twice = Recorder(), Recorder()
    env = make(seat=1, hand_sizes=(2,), opponents=everybody)
    env.reset(seed=0)
    play(env, random.Random(0))
    assert set(everybody.seats) == {0, 2, 3}
    env = make(seat=1, hand_sizes=(2,), opponents=[twice, "random", twice])
    env.reset(seed=0)
    play(env, random.Random(0))
    assert set(twice.seats) == {2, 0}
    named = [
        trajectory(make(**SHORT, opponents=opponents), 5, seed=1)
        for opponents in ("random", ["random", "random"], ("random", "random"))
    ]
    assert named[0] == named[1] == named[2]


# --- episodes, seeds and rewards


@pytest.mark.parametrize("kind", ["points", "relative"])
def test_episodes_of_rounds_go_through_the_game(kind: str) -> None:
    """Each reset after the end deals the next round; after the last a new game begins."""
    env = make(num_players=3, hand_sizes=(2, 1, 3), episode="round", reward=kind)
    env.reset(seed=5)
    dealers: list[int] = []
    scores, rng = [0] * 3, random.Random(1)
    for episode in range(9):
        if episode:
            env.reset()
        assert (env.game.round_number, env.game.hand_size) == (episode % 3 + 1, (2, 1, 3)[episode % 3])
        dealers.append(env.game.dealer)
        if episode % 3:
            assert dealers[-1] == (dealers[-2] + 1) % 3
            assert env.game.scores == scores
        else:
            assert env.game.scores == [0] * 3
        before = env.game.scores
        paid, info = play(env, rng)
        scores = info["scores"].tolist()
        points = info["scores"] - before
        assert paid == pytest.approx(points[info["seat"]] - (points.mean() if kind == "relative" else 0))
        with pytest.raises(IllegalAction):
            env.step(0)
    env.reset()
    env.step(legal(env)[0])
    env.reset()
    assert (env.game.round_number, env.game.scores) == (1, [0] * 3), "reset in mid-round: a new game"


@pytest.mark.parametrize("kind", REWARDS)
@pytest.mark.parametrize("num_players", [3, 6])
def test_rewards_of_an_episode(kind: str, num_players: int) -> None:
    env, rng = make(num_players=num_players, hand_sizes=(1, 2), reward=kind), random.Random(0)
    for _ in range(20):
        env.reset()
        paid, info = play(env, rng)
        assert paid == pytest.approx(expected_total(kind, info["scores"].tolist())[info["seat"]])


@pytest.mark.parametrize("episode", ["game", "round"])
def test_a_seed_fixes_all_that_follows(episode: str) -> None:
    """Deals, seats and opponents of this episode and of those after it."""
    runs = [trajectory(make(**SHORT, episode=episode), 6, seed=seed) for seed in (4, 4, 5)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    env = make(**SHORT, episode=episode)
    assert trajectory(env, 2, seed=1) == trajectory(env, 2, seed=1)
    deals = []
    for _ in range(4):
        env.reset()
        deals.append(str(env.game.hands) + str(env.game.upcard))
        play(env, random.Random(0))
    assert len(set(deals)) == 4
    assert trajectory(make(**SHORT), 1) != trajectory(make(**SHORT), 1), "without a seed, a random one"


# --- actions


@pytest.mark.parametrize("action", [NUM_ACTIONS, -1, action_id("play WI"), action_id("bid 2"), 0.5, True])
def test_an_illegal_action_changes_nothing(action: Any) -> None:
    """Each of them, at a decision between bids of 0 and 1."""
    env = make(**SHORT, seat=0)
    env.reset(seed=1)
    assert legal(env) == [0, 1]
    before = shown(env)
    with pytest.raises(ValueError, match=r"legal: bid 0, bid 1 |whole numbers"):
        env.step(action)
    assert shown(env) == before
    assert play(env, random.Random(0))[1]["scores"].tolist() != [0] * 3
    before = shown(env)
    with pytest.raises(IllegalAction, match=r"the game (is over|pauses)"):
        env.step(0)
    assert shown(env) == before


def test_sampling_from_the_action_space() -> None:
    """The usual loop works without masks; samples are the legal actions, each about as often."""
    env = gymnasium.make(NAME, **SHORT)
    env.action_space.seed(3)
    env.reset(seed=1)
    for _ in range(300):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    solo = make(hand_sizes=(10,))
    solo.reset(seed=1)
    samples = [int(solo.action_space.sample()) for _ in range(1100)]
    assert sorted(set(samples)) == legal(solo) == list(range(11))
    assert scipy.stats.chisquare(np.bincount(samples)).pvalue > 1e-4
    solo.action_space.seed(5)
    again = [int(solo.action_space.sample()) for _ in range(9)]
    solo.action_space.seed(5)
    assert [int(solo.action_space.sample()) for _ in range(9)] == again
    mask = np.zeros(NUM_ACTIONS, np.int8)
    mask[70] = 1
    assert solo.action_space.sample(mask) == 70
    assert solo.action_space.sample(probability=mask.astype(float)) == 70


# --- rendering and copies


@pytest.mark.parametrize("episode", ["game", "round"])
@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_render(mode: str, episode: str) -> None:
    """At every decision and at the end of the episode, when nobody acts, as the learner sees it."""
    env = gymnasium.make(NAME, num_players=3, hand_sizes=(1, 1), render_mode=mode, episode=episode, seat=1)
    assert env.render_mode == mode
    for _ in range(3):
        env.reset(seed=None)
        ended = False
        while not ended:
            picture: Any = env.render()
            if mode == "ansi":
                assert "seen by seat 1" in picture
            elif mode == "rgb_array":
                assert (picture.ndim, picture.shape[2], picture.dtype) == (3, 3, np.uint8)
            else:
                assert picture is None
            _, _, ended, _, _ = env.step(env.action_space.sample())
        assert "leads to the trick" not in str(env.render() if mode == "ansi" else "")
    env.close()
    env.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("episode", ["game", "round"])
def test_a_copy_goes_on_identically(copied: Callable[[Any], Any], wrapped: bool, episode: str) -> None:
    """Copies keep the game, the samples and the games to come, and are independent."""
    make_env: Callable[..., Any] = functools.partial(gymnasium.make, NAME) if wrapped else make
    env = make_env(**SHORT, episode=episode)
    env.reset(seed=3)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    before = shown(env.unwrapped)
    twin = copied(env)
    assert shown(twin.unwrapped) == before
    for _ in range(40):
        action = env.action_space.sample()
        assert twin.action_space.sample() == action
        ours, theirs = env.step(action), twin.step(action)
        assert repr(theirs) == repr(ours)
        assert shown(twin.unwrapped) == shown(env.unwrapped)
        if ours[2]:
            assert repr(twin.reset()) == repr(env.reset())
    before = shown(env.unwrapped)
    play(twin.unwrapped, random.Random(0))
    assert shown(env.unwrapped) == before, "the copy shares something with the original"
