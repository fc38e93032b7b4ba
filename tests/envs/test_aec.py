"""The PettingZoo environment passes PettingZoo's own tests, and is the game, no more and no less."""

import copy
import functools
import pickle
import random
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import turn_based_aec_to_parallel, wrappers

from tests.envs.totals import expected_total
from wizard_env import NUM_ACTIONS, OBS_SIZE, Game, IllegalAction, Rules, action_id, unpack, wizard_v0
from wizard_env.cards import CARD_NAMES
from wizard_env.envs.rewards import REWARDS
from wizard_env.observation.fields import FULL_STATE
from wizard_env.render.modes import RENDER_MODES

with warnings.catch_warnings():  # pettingzoo.test imports pettingzoo.classic by its old name
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import (
        api_test,
        parallel_api_test,
        parallel_seed_test,
        render_test,
        seed_test,
        state_test,
    )

SHORT: dict[str, Any] = {"hand_sizes": (1, 3)}
CONFIGS: list[dict[str, Any]] = [
    {},
    *({"num_players": players} | SHORT for players in (3, 5, 6)),
    {"hand_sizes": range(2, 4)},
    *(SHORT | {"bid_restriction": name} for name in ("no_even", "leader", "canadian")),
    *(SHORT | {"bid_reveal": name} for name in ("simultaneous", "secret")),
    SHORT | {"magic_edition": True},
    SHORT | {"history": True},
    *(SHORT | {"reward": name} for name in REWARDS[1:]),
    *({"hand_sizes": (1,), "render_mode": name} for name in RENDER_MODES),
]
every_table = pytest.mark.parametrize("num_players", [3, 4, 5, 6])
every_config = pytest.mark.parametrize("options", CONFIGS, ids=str)
both = pytest.mark.parametrize("make", [wizard_v0.raw_env, wizard_v0.env])
copying = pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])

Names = list[str]


def begin(game: Game, make: Callable[..., Any] = wizard_v0.raw_env, **options: Any) -> Any:
    """An environment whose first reset puts the given game on the table."""
    rules = game.rules.to_dict()
    env = make(**rules, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wizard_env.envs.aec.Game", lambda *_: game)
        env.reset(seed=0)
    return env


def deal(**options: Any) -> Game:
    """Seat 0 bids and leads first; diamonds are trump."""
    rules = Rules(num_players=3, hand_sizes=(2,), **options)
    return Game.from_deal(rules, 2, ["AS 3H", "4S 5S", "6S JE"], "TD")


def take(game: Game, *actions: str) -> Game:
    for action in actions:
        game.step(action)
    return game


def legal(env: Any) -> list[int]:
    mask = env.last()[0]["action_mask"]
    return [int(action) for action in mask.nonzero()[0]]


def play(env: Any, rng: np.random.Generator, steps: int = 10_000) -> dict[str, float]:
    """Take random legal actions, None for agents that are done; what `last` paid each agent."""
    paid: dict[str, float] = defaultdict(float)
    for agent in env.agent_iter(steps):
        _, reward, terminated, _, _ = env.last()
        paid[agent] += reward
        env.step(None if terminated else int(rng.choice(legal(env))))
    return paid


def shown(env: Any) -> list[Any]:
    """All that an environment shows, as something to compare."""
    seen = [contents(env.observe(agent)) for agent in env.possible_agents]
    infos = {agent: contents(info) for agent, info in env.infos.items()}
    paid = [env.rewards, env.terminations, env.truncations, env._cumulative_rewards]
    where = [env.agents, env.agent_selection, env.state().tobytes(), str(env.unwrapped.game)]
    return copy.deepcopy([seen, infos, paid, where])


def plain_env(**options: Any) -> Any:
    """PettingZoo's own wrappers in the order that it recommends."""
    raw = wizard_v0.raw_env(**options)
    terminating = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(terminating))


def contents(arrays: dict[str, Any]) -> dict[str, tuple[str, bytes]]:
    return {name: (str(array.dtype), array.tobytes()) for name, array in arrays.items()}


# --- PettingZoo's conformance tests


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@both
@every_config
def test_pettingzoo_api(make: Any, options: dict[str, Any]) -> None:
    """The two warnings know observations in a dict by the names of PettingZoo's own games alone."""
    env = make(**options)
    api_test(env, num_cycles=1000)
    env.close()


@both
@every_config
def test_pettingzoo_seed(make: Any, options: dict[str, Any]) -> None:
    seed_test(lambda: make(**options), num_cycles=100)


@every_config
def test_pettingzoo_state_and_parallel(options: dict[str, Any]) -> None:
    def make() -> Any:
        return turn_based_aec_to_parallel(wizard_v0.env(**options))

    env, parallel = wizard_v0.env(**options), make()
    state_test(env, parallel)
    parallel_api_test(parallel, num_cycles=1000)
    parallel_seed_test(make, num_cycles=100)
    env.close()
    parallel.close()


@both
@every_table
def test_pettingzoo_render(make: Any, num_players: int) -> None:
    ansi = {"ansi": lambda text: text.startswith(f"Wizard, {num_players} players") and "\x1b[" in text}
    render_test(functools.partial(make, num_players=num_players, **SHORT), custom_tests=ansi)


def test_registered() -> None:
    env: Any = pettingzoo.make("aec", "wizard_env/wizard_v0", num_players=5, reward="win", **SHORT)
    assert isinstance(env, wrappers.OrderEnforcingWrapper)
    assert isinstance(env.unwrapped, wizard_v0.raw_env)
    assert env.unwrapped.rules == Rules(num_players=5, **SHORT)
    assert env.unwrapped.reward == "win"
    assert env.possible_agents == [f"player_{seat}" for seat in range(5)]
    play(restarted(env), np.random.default_rng(0))


def restarted(env: Any, seed: int | None = 0) -> Any:
    env.reset(seed=seed)
    return env


# --- it is the game


@every_table
def test_it_is_the_game_of_its_seed(num_players: int) -> None:
    """Agents are seats; each sees what its seat may know; only the acting one has legal actions.

    The state holds everything.
    """
    rules, rng = Rules(num_players=num_players, hand_sizes=(2, 1), bid_reveal="secret"), random.Random(3)
    env: Any = wizard_v0.raw_env(**rules.to_dict())
    for seed in (0, 1, 2**64 - 1):
        env.reset(seed=seed)
        game = Game(rules, seed=seed)
        while game.seat is not None:
            assert env.game == game
            assert env.agent_selection == f"player_{game.seat}"
            for seat, agent in enumerate(env.agents):
                seen, mask = env.observe(agent), game.legal_mask() * (seat == game.seat)
                assert seen["observation"].tobytes() == game.observe(seat).tobytes()
                assert seen["action_mask"].dtype == np.int8
                assert seen["action_mask"].tolist() == mask.tolist()
                assert env.infos[agent]["action_mask"].tolist() == mask.tolist()
                assert env.observation_space(agent).contains(seen)
            state = env.state()
            assert env.state_space.contains(state)
            assert state[:OBS_SIZE].tobytes() == game.observe(0).tobytes()
            pieces = unpack(state, FULL_STATE)
            assert held(pieces["hands"])[:num_players] == game.hands
            assert pieces["acting"].argmax() == game.seat
            assert pieces["bids"][:num_players].tolist() == [bid or 0 for bid in game.bids]
            action = rng.choice(game.legal_actions())
            env.step(action)
            game.step(action)
        assert all(env.terminations.values())
        for agent in env.agents:
            assert not env.observe(agent)["action_mask"].any()
            assert not env.infos[agent]["action_mask"].any()


@both
def test_what_is_returned_is_a_copy(make: Any) -> None:
    """Writing into observations and states changes nothing, and stepping does not change them."""
    env = restarted(make(num_players=3, history=True, **SHORT))
    while not env.unwrapped.game.rounds:
        env.step(legal(env)[0])
    before = shown(env)
    for agent in env.agents:
        seen = env.observe(agent)
        seen["observation"][:] = 7
        seen["action_mask"][:] = 7
        seen["history"][:] = 7
    env.state()[:] = 7
    assert shown(env) == before
    kept, info, state = env.last()[0], env.last()[4], env.state()
    as_it_was = copy.deepcopy((kept, info["action_mask"], state))
    mask = info["action_mask"]
    env.step(legal(env)[0])
    assert repr((kept, mask, state)) == repr(as_it_was)


@both
def test_resets_without_a_seed_follow_from_the_last_seed(make: Any) -> None:
    """Each game has other cards, and the series is the same after the same seed."""
    first, second = (make(num_players=4, hand_sizes=(10,)) for _ in range(2))
    series = [
        [restarted(env, seed).unwrapped.game.hands for seed in (5, None, None)]
        for env in (first, second, first)
    ]
    assert series[0] == series[1] == series[2]
    unseeded = [restarted(make(hand_sizes=(10,)), None).unwrapped.game.hands for _ in range(2)]
    assert len({str(hands) for hands in series[0] + unseeded}) == 5


# --- rewards


@both
@pytest.mark.parametrize("kind", REWARDS)
@every_table
def test_rewards_add_up(make: Any, kind: str, num_players: int) -> None:
    """Every agent is paid through `last`, also if another played the last card of a round.

    The step that scores a round pays everybody, any other step nobody.
    """
    rng = np.random.default_rng(num_players)
    env = make(num_players=num_players, hand_sizes=(1, 2, 1), reward=kind)
    for seed in range(8):
        restarted(env, seed)
        game, paid = env.unwrapped.game, dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, _, _ = env.last()
            paid[agent] += reward
            finished = len(game.rounds)
            env.step(None if terminated else int(rng.choice(legal(env))))
            if len(game.rounds) == finished:
                assert not any(env.rewards.values()) or terminated
            elif kind == "points":
                assert list(env.rewards.values()) == game.rounds[-1].points
        total = list(paid.values())
        assert total == pytest.approx(expected_total(kind, game.scores))
        sums = {"points": sum(game.scores), "game": sum(game.scores), "win": 1}
        assert sum(total) == pytest.approx(sums.get(kind, 0))


# --- illegal actions


@pytest.mark.parametrize("action", [action_id("play 4S"), action_id("bid 0"), NUM_ACTIONS, -1])
def test_an_illegal_action_is_refused_as_by_the_game_and_changes_nothing(action: int) -> None:
    game = take(deal(), "bid 1", "bid 0", "bid 0")
    env = begin(game.clone())
    unchanged = shown(env)
    with pytest.raises(IllegalAction) as refused:
        game.step(action)
    with pytest.raises(IllegalAction, match=f"^{re.escape(str(refused.value))}$"):
        env.step(action)
    assert shown(env) == unchanged
    play(env, np.random.default_rng(0))
    assert env.game.phase == "over"


def test_in_the_wrappers_an_illegal_action_ends_the_game() -> None:
    """TerminateIllegal: reward -1 for the offender, none for the others, on top of what is due."""
    env: Any = wizard_v0.env(num_players=3, hand_sizes=(1, 2))
    env.reset(seed=0)
    while not env.unwrapped.game.rounds:
        env.step(legal(env)[0])
    due, offender = env.unwrapped.game.rounds[0].points, env.agent_selection
    unchanged = copy.deepcopy(env.unwrapped.game)
    env.step(action_id("play WI"))
    assert env.unwrapped.game == unchanged
    assert env.rewards == {agent: -1 if agent == offender else 0 for agent in env.possible_agents}
    assert all(env.terminations.values())
    paid = {}
    for agent in env.agent_iter():
        paid[agent] = env.last()[1]
        env.step(None)
    assert paid == {
        agent: -1 if agent == offender else points
        for agent, points in zip(env.possible_agents, due, strict=True)
    }
    assert env.agents == []
    play(restarted(env), np.random.default_rng(0))


def end_by_an_illegal_action(env: Any) -> None:
    """A trump is chosen where none is asked for, or nothing but a trump is: illegal whatever is hidden."""
    env.step(action_id("bid 0" if env.unwrapped.game.phase == "trump" else "trump H"))


def end_by_playing(env: Any) -> None:
    while not any(env.terminations.values()):
        env.step(legal(env)[-1])


def end_by_truncation(env: Any) -> None:
    """As a wrapper ends it that limits the number of steps."""
    env.unwrapped.truncations = dict.fromkeys(env.agents, True)
    env.unwrapped._deads_step_first()


ENDS = [end_by_an_illegal_action, end_by_playing, end_by_truncation]


@pytest.mark.parametrize("make", [wizard_v0.env, plain_env])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("steps", [0, 1, 4])
def test_after_the_end_every_agent_sees_its_own_view(make: Any, end: Any, steps: int) -> None:
    """Whatever ended the game: nobody sees another hand, and nobody has a choice."""
    env = restarted(make(num_players=3, hand_sizes=(3,)), 1)
    for _ in range(steps):
        env.step(legal(env)[0])
    end(env)
    game = env.unwrapped.game
    own = [game.observe(seat).tobytes() for seat in range(3)]
    while env.agents:
        assert [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents] == own
        seen, _, terminated, truncated, info = env.last()
        assert seen["observation"].tobytes() == own[env.possible_agents.index(env.agent_selection)]
        assert terminated or truncated
        assert not seen["action_mask"].any()
        assert not info["action_mask"].any()
        env.step(None)


# --- the wrappers are PettingZoo's


def test_the_wrappers_play_as_pettingzoo_s_do() -> None:
    """Whole games, some ended by an illegal action, agree in everything that is shown."""
    ours, theirs = (make(num_players=4, **SHORT) for make in (wizard_v0.env, plain_env))
    kinds = [type(env) for env in layers(ours)]
    assert [kind.__mro__[2] for kind in kinds[:-1]] == [type(env) for env in layers(theirs)][:-1]
    rng = random.Random(1)
    for seed in range(12):
        restarted(ours, seed)
        restarted(theirs, seed)
        while ours.agents:
            assert shown(ours) == shown(theirs)
            assert repr(ours.last()) == repr(theirs.last())
            done = ours.terminations[ours.agent_selection]
            choices = [None] if done else [0, 1] if rng.random() < 0.05 else legal(ours)
            action = rng.choice(choices)
            ours.step(action)
            theirs.step(action)
        assert theirs.agents == []


def layers(env: Any) -> Iterator[Any]:
    while isinstance(env, wrappers.BaseWrapper):
        yield env
        env = env.env
    yield env


# --- copies


@both
@copying
@pytest.mark.parametrize("steps", [0, 7, 10_000])
def test_a_copy_goes_on_identically(make: Any, copied: Any, steps: int) -> None:
    """Copies keep the game and the games to come, and are independent."""
    env = restarted(make(num_players=3, hand_sizes=(2, 3), bid_reveal="secret"), 3)
    rng = random.Random(steps)
    while steps and not all(env.terminations.values()):
        env.step(rng.choice(legal(env)))
        steps -= 1
    before = shown(env)
    twin = copied(env)
    assert shown(twin) == before
    play(twin, np.random.default_rng(1))
    assert shown(env) == before, "the copy shares something with the original"
    twin = copied(env)
    for seed in (None, None, 9):
        while env.agents:
            assert shown(twin) == shown(env)
            assert repr(twin.last()) == repr(env.last())
            done = env.terminations[env.agent_selection]
            action = None if done else legal(env)[-1]
            env.step(action)
            twin.step(action)
        assert twin.agents == []
        restarted(env, seed)
        restarted(twin, seed)
        assert shown(twin) == shown(env), "the games to come"


@both
@copying
@pytest.mark.parametrize("render_mode", [None, *RENDER_MODES])
def test_a_copy_made_before_reset(make: Any, copied: Any, render_mode: str | None) -> None:
    env = make(num_players=5, hand_sizes=(2,), render_mode=render_mode, reward="rank")
    twin = copied(env)
    assert shown(restarted(twin)) == shown(restarted(env))
    assert (twin.unwrapped.reward, twin.render_mode) == ("rank", render_mode)
    env.close()
    if render_mode == "human":
        assert twin.render() is None, "another window"
    twin.close()


# --- everything, and what a seat is shown


def held(rows: Any) -> list[Names]:
    return [[CARD_NAMES[kind] for kind in row.nonzero()[0] for _ in range(row[kind])] for row in rows]


@both
def test_render_shows_the_acting_seat_s_view(make: Any) -> None:
    env = begin(deal(), make, render_mode="ansi")
    for name, hand in (("bid 1", "A♠"), ("bid 0", "4♠"), ("bid 2", "6♠")):
        shown_cards = {card for card in ("A♠", "3♥", "4♠", "5♠", "6♠") if card in env.render()}
        assert hand in shown_cards
        assert len(shown_cards) == 2 - (hand == "6♠")
        env.step(action_id(name))


@both
def test_render_needs_a_mode(make: Any) -> None:
    with pytest.raises(RuntimeError, match="render_mode is None, allowed are"):
        restarted(make(num_players=3)).render()
