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
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.utils import turn_based_aec_to_parallel, wrappers

from tests.envs.totals import expected_total
from wizard_env import NUM_ACTIONS, Game, IllegalAction, Rules, action_id, unpack, wizard_v0
from wizard_env.cards import CARD_NAMES, COPIES, card_id, pack
from wizard_env.envs.rewards import REWARDS, Reward, rewards
from wizard_env.game import _refresh
from wizard_env.observation.fields import FULL_SIZE, FULL_STATE, OBSERVATION
from wizard_env.render.modes import RENDER_MODES, Renderer

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
OPTION_SETS: list[dict[str, Any]] = [
    {},
    SHORT,
    {"hand_sizes": range(2, 4)},
    *(SHORT | {"bid_restriction": name} for name in ("no_even", "leader", "canadian")),
    *(SHORT | {"bid_reveal": name} for name in ("simultaneous", "secret")),
    SHORT | {"magic_edition": True},
    SHORT | {"history": True},
    *(SHORT | {"reward": name} for name in REWARDS[1:]),
    *({"hand_sizes": (1,), "render_mode": name} for name in RENDER_MODES),
]
every_table = pytest.mark.parametrize("num_players", [3, 4, 5, 6])
every_option = pytest.mark.parametrize("options", OPTION_SETS, ids=str)
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
@every_table
@every_option
def test_pettingzoo_api(make: Any, num_players: int, options: dict[str, Any]) -> None:
    """The two warnings know observations in a dict by the names of PettingZoo's own games alone."""
    env = make(num_players=num_players, **options)
    api_test(env, num_cycles=1000)
    env.close()


@both
@every_table
@every_option
def test_pettingzoo_seed(make: Any, num_players: int, options: dict[str, Any]) -> None:
    seed_test(lambda: make(num_players=num_players, **options), num_cycles=100)


@every_table
@every_option
def test_pettingzoo_state(num_players: int, options: dict[str, Any]) -> None:
    make = functools.partial(wizard_v0.env, num_players=num_players, **options)
    env, parallel = make(), turn_based_aec_to_parallel(make())
    state_test(env, parallel)
    env.close()
    parallel.close()


@every_table
@every_option
def test_pettingzoo_parallel(num_players: int, options: dict[str, Any]) -> None:
    def make() -> Any:
        return turn_based_aec_to_parallel(wizard_v0.env(num_players=num_players, **options))

    parallel = make()
    parallel_api_test(parallel, num_cycles=1000)
    parallel.close()
    parallel_seed_test(make, num_cycles=100)


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


@pytest.mark.parametrize("make", [wizard_v0.raw_env, wizard_v0.env])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_player": 4}, "num_player'.*did you mean 'num_players'"),
        ({"rewards": "win"}, "rewards'.*did you mean 'reward'"),
        ({"rendermode": "ansi"}, "rendermode'.*did you mean 'render_mode'"),
        ({"reward": "point"}, "reward='point': did you mean 'points'"),
        ({"render_mode": "asci"}, "render_mode='asci': did you mean 'ansi'"),
        ({"num_players": 7}, "num_players=7: allowed are 3 to 6"),
    ],
)
def test_wrong_options_are_refused(make: Any, options: dict[str, Any], message: str) -> None:
    """Options: unknown keys and values fail loudly and name the near miss."""
    with pytest.raises((TypeError, ValueError), match=message):
        make(**options)


# --- it is the game


@every_table
def test_it_is_the_game_of_its_seed(num_players: int) -> None:
    """Agents are seats; each sees what its seat may know; only the acting one has legal actions."""
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
            action = rng.choice(game.legal_actions())
            env.step(action)
            game.step(action)
        assert all(env.terminations.values())
        for agent in env.agents:
            assert not env.observe(agent)["action_mask"].any()
            assert not env.infos[agent]["action_mask"].any()


def test_looking_at_other_seats_does_not_change_what_the_acting_one_sees() -> None:
    """As the parallel wrapper does, which asks for every agent's observation after each step."""
    env = begin(deal())
    alone = env.observe("player_0")["observation"]
    env.observe("player_1")
    assert held([unpack(alone)["hand"]]) == [["AS", "3H"]]
    assert held([unpack(env.observe("player_0")["observation"])["hand"]]) == [["AS", "3H"]]
    assert held([unpack(env.last()[0]["observation"])["hand"]]) == [["AS", "3H"]]


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

    def series(env: Any) -> list[list[list[str]]]:
        deals = []
        for seed in (5, None, None, None):
            env.reset(seed=seed)
            deals.append(env.unwrapped.game.hands)
        return deals

    first, second = (make(num_players=4, hand_sizes=(10,)) for _ in range(2))
    deals = series(first)
    assert series(second) == deals
    assert series(first) == deals, "the same environment, again"
    assert len({str(hands) for hands in deals}) == 4
    unseeded = [restarted(make(hand_sizes=(10,)), None).unwrapped.game.hands for _ in range(2)]
    assert unseeded[0] != unseeded[1]


# --- rewards


@both
@pytest.mark.parametrize("kind", REWARDS)
@every_table
def test_rewards_add_up(make: Any, kind: str, num_players: int) -> None:
    """Every agent is paid through `last`, also if another played the last card of a round."""
    rng = np.random.default_rng(num_players)
    env = make(num_players=num_players, hand_sizes=(1, 2, 1), reward=kind)
    for seed in range(8):
        paid = play(restarted(env, seed), rng)
        game = env.unwrapped.game
        total = [paid[agent] for agent in env.possible_agents]
        assert total == pytest.approx(expected_total(kind, game.scores))
        sums = {"points": sum(game.scores), "game": sum(game.scores), "win": 1}
        assert sum(total) == pytest.approx(sums.get(kind, 0))


@pytest.mark.parametrize("kind", REWARDS)
def test_rewards_are_paid_when_a_round_is_scored_or_at_the_end(kind: Reward) -> None:
    """By the step that scores the round; 0 for everybody after any other step."""
    env: Any = wizard_v0.raw_env(num_players=3, hand_sizes=(3, 2), reward=kind)
    rng = random.Random(0)
    env.reset(seed=0)
    while not env.terminations["player_0"]:
        finished = len(env.game.rounds)
        env.step(rng.choice(legal(env)))
        scored = len(env.game.rounds) > finished
        due = scored and (kind in ("points", "relative") or env.game.phase == "over")
        assert any(env.rewards.values()) == due, "in this game nobody shares a place"
        if due and kind == "points":
            assert list(env.rewards.values()) == env.game.rounds[-1].points
    assert list(env.rewards) == env.possible_agents


@pytest.mark.parametrize(
    ("kind", "over", "paid"),
    [
        ("points", False, [30, -10, 30, 20]),
        ("game", False, [0, 0, 0, 0]),
        ("game", True, [50, 20, 50, -10]),
        ("relative", False, [12.5, -27.5, 12.5, 2.5]),
        ("win", False, [0, 0, 0, 0]),
        ("win", True, [0.5, 0, 0.5, 0]),
        ("rank", False, [0, 0, 0, 0]),
        ("rank", True, [2 / 3, -1 / 3, 2 / 3, -1]),
    ],
)
def test_what_rewards_pay_for_shared_places(kind: Reward, over: bool, paid: list[float]) -> None:
    """Scoring and end: equal points share the place."""
    points, scores = np.array([30, -10, 30, 20], np.int16), np.array([50, 20, 50, -10], np.int16)
    given_out = rewards(kind, points, scores, np.asarray(over))
    assert given_out.dtype == np.float64
    assert given_out.tolist() == pytest.approx(paid)
    batch = rewards(kind, np.stack([points] * 2), np.stack([scores] * 2), np.array([over, over]))
    assert batch.tolist() == [given_out.tolist()] * 2


# --- illegal actions


@pytest.mark.parametrize(
    ("options", "before", "action", "message"),
    [
        ({}, [], "bid 3", "seat 0 may not bid 3: it bids 0 to 2; legal: bid 0, bid 1, bid 2 (round 1)"),
        ({}, [], "play AS", "seat 0 may not play AS: it bids 0 to 2; legal: bid 0, bid 1, bid 2 (round 1)"),
        (
            {"bid_restriction": "no_even"},
            ["bid 1", "bid 0"],
            "bid 1",
            "seat 2 may not bid 1: the bids would add up to 2, which the restriction 'no_even' forbids "
            "the dealer; legal: bid 0, bid 2 (round 1)",
        ),
        (
            {},
            ["bid 1", "bid 0", "bid 0"],
            "play 4S",
            "seat 0 may not play 4S: it holds AS, 3H; legal: play AS, play 3H (round 1, trick 1)",
        ),
        (
            {"bid_reveal": "secret"},
            ["bid 1", "bid 0", "bid 0", "play 3H"],
            NUM_ACTIONS,
            "seat 1 may not take action 79: ids run from 0 to 78; legal: play 4S, play 5S (round 1, trick 1)",
        ),
        (
            {},
            ["bid 1"],
            -1,
            "seat 1 may not take action -1: ids run from 0 to 78; legal: bid 0, bid 1, bid 2 (round 1)",
        ),
    ],
)
def test_an_illegal_action_changes_nothing(
    options: dict[str, Any], before: Names, action: str | int, message: str
) -> None:
    """IllegalAction names the seat, the action, the reason and the legal actions."""
    env = begin(deal(**options))
    for name in before:
        env.step(action_id(name))
    unchanged = shown(env)
    with pytest.raises(IllegalAction, match=f"^{re.escape(message)}$"):
        env.step(action_id(action) if isinstance(action, str) else action)
    assert shown(env) == unchanged
    play(env, np.random.default_rng(0))
    assert env.game.phase == "over"


def test_not_following_suit_says_what_is_held() -> None:
    """Follow suit: who holds a card of the led suit plays one, or a Wizard or Jester."""
    rules = Rules(num_players=3, hand_sizes=(3,))
    env = begin(Game.from_deal(rules, 2, ["AS 2D 3D", "4S WI 5H", "6S 7S 8S"], "TD"))
    for name in ("bid 0", "bid 0", "bid 0", "play AS"):
        env.step(action_id(name))
    message = "seat 1 may not play 5H: S was led and it holds 4S; legal: play 4S, play WI (round 1, trick 1)"
    with pytest.raises(IllegalAction, match=f"^{re.escape(message)}$"):
        env.step(action_id("play 5H"))


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


@pytest.mark.parametrize("action", [NUM_ACTIONS, -1, None, 0.5])
def test_in_the_wrappers_actions_stay_in_their_space(action: Any) -> None:
    env = restarted(wizard_v0.env(num_players=3, **SHORT))
    before = shown(env)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    assert shown(env) == before


# --- the wrappers are PettingZoo's


def outcome(look_up: Callable[[], Any]) -> str:
    try:
        return repr(look_up())
    except (AttributeError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"


LOOK_UPS: dict[str, Callable[[Any], Any]] = {
    **{
        name: functools.partial(lambda env, name: getattr(env, name), name=name)
        for name in (
            "agents", "agent_selection", "num_agents", "rewards", "terminations", "truncations", "infos",
            "_cumulative_rewards", "_private", "nonsense", "possible_agents", "max_num_agents", "metadata",
            "render_mode", "state_space",
        )
    },
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state().tobytes(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: type(env.agent_iter()),
    "str": str,
    "last": lambda env: env.last(),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOK_UPS)
@pytest.mark.parametrize("reset", [False, True])
def test_the_wrappers_answer_as_pettingzoo_s_do(name: str, reset: bool) -> None:
    """Order enforcement: before `reset` the attributes do not exist, and calls are refused."""
    ours, theirs = (make(num_players=3, render_mode="ansi") for make in (wizard_v0.env, plain_env))
    if reset:
        restarted(ours)
        restarted(theirs)
    look_up = LOOK_UPS[name]
    assert outcome(lambda: look_up(ours)) == outcome(lambda: look_up(theirs))


@pytest.mark.parametrize(
    "name", ["agents", "agent_selection", "rewards", "terminations", "infos", "num_agents"]
)
def test_attributes_cannot_be_read_before_reset(name: str) -> None:
    env = wizard_v0.env()
    assert not hasattr(env, name)
    with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
        getattr(env, name)


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
@pytest.mark.parametrize("steps", [0, 7, 40, 10_000])
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
    twin.close()


@both
@copying
def test_a_copy_renders(make: Any, copied: Any) -> None:
    """A copy of an environment with a window opens another window when it needs one."""
    env = restarted(make(num_players=3, hand_sizes=(2,), render_mode="human"))
    twin = copied(env)
    env.close()
    assert twin.render() is None
    twin.close()


# --- everything, and what a seat may know


def test_the_state_holds_everything() -> None:
    """As FULL_STATE says, always from player_0; an observation holds no such fields."""
    env = begin(deal(bid_reveal="secret"), wizard_v0.env)
    for name in ("bid 1", "bid 0", "bid 2", "play 3H"):
        env.step(action_id(name))
    state = env.state()
    assert state.shape == env.state_space.shape == (FULL_SIZE,)
    assert env.state_space.contains(state)
    pieces = unpack(state, FULL_STATE)
    assert held(pieces["hands"]) == [["AS"], ["4S", "5S"], ["6S", "JE"], [], [], []]
    assert pieces["bids"].tolist() == [1, 0, 2, 0, 0, 0]
    assert pieces["bids_made"].tolist() == [1, 1, 1, 0, 0, 0]
    assert pieces["acting"].tolist() == [0, 1, 0, 0, 0, 0]
    seen = env.observe("player_0")["observation"]
    assert state[: len(seen)].tolist() == seen.tolist()
    assert {field.name for field in FULL_STATE} - {field.name for field in OBSERVATION} == {
        "hands", "bids", "bids_made", "acting",
    }  # fmt: skip
    assert unpack(seen)["bid"].tolist() == [1, 0, 0, 0, 0, 0]


def held(rows: Any) -> list[Names]:
    return [[CARD_NAMES[kind] for kind in row.nonzero()[0] for _ in range(row[kind])] for row in rows]


@every_table
def test_the_state_follows_the_game(num_players: int) -> None:
    env, rng = wizard_v0.raw_env(num_players=num_players, hand_sizes=(3,)), random.Random(2)
    env.reset(seed=6)
    while env.game.seat is not None:
        pieces = unpack(env.state(), FULL_STATE)
        assert held(pieces["hands"])[:num_players] == env.game.hands
        assert pieces["acting"].argmax() == env.game.seat
        bids = [bid if bid is not None else 0 for bid in env.game.bids]
        assert pieces["bids"][:num_players].tolist() == bids
        env.step(rng.choice(legal(env)))
    assert not unpack(env.state(), FULL_STATE)["acting"].any()


def with_other_secrets(game: Game, observer: int, played: list[int], rng: random.Random) -> Game:
    """The same game to the observer: cards it has not seen and bids it may not see are drawn again."""
    other = game.clone()
    unseen = [card for card, copies in enumerate(COPIES) for _ in range(copies)]
    for card in [*played, *map(card_id, game.hands[observer]), *map(card_id, [game.upcard or "JE"])]:
        unseen.remove(card)
    if game.upcard is None:
        unseen.append(card_id("JE"))
    rng.shuffle(unseen)
    hidden = {"open": (), "simultaneous": ("bid",), "secret": ("bid", "play")}[game.rules.bid_reveal]
    for seat in set(range(game.rules.num_players)) - {observer}:
        other.state["hands"][0, seat] = pack([unseen.pop() for _ in game.hands[seat]])
        if game.bids[seat] is not None and game.phase in hidden:
            other.state["bids"][0, seat] = rng.randrange(game.hand_size + 1)
    other.state["generator"] = rng.getrandbits(64)
    other._note(_refresh(other._buffers))  # unpickling would notice the hands that belie the plays
    return other


@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(3, 6), st.integers(2, 9), st.integers(0, 70), st.randoms(use_true_random=False))
def test_nothing_hidden_shows(reveal: Any, players: int, size: int, steps: int, rng: random.Random) -> None:
    """Observation, mask, info and rendering of every seat are the same whatever it may not know."""
    game = Game(Rules(num_players=players, hand_sizes=(1, size), bid_reveal=reveal), rng.getrandbits(64))
    played: list[int] = []
    for _ in range(steps):
        action, rounds = rng.choice(game.legal_actions()), len(game.rounds)
        game.step(action)
        if action >= action_id("play 2S"):
            played.append(action - action_id("play 2S"))
        if len(game.rounds) > rounds:
            played = []
        if game.phase == "over":
            break
    env = begin(game.clone())
    for observer, agent in enumerate(env.agents):
        twin = begin(with_other_secrets(game, observer, played, rng))
        assert twin.agent_selection == env.agent_selection
        for name in ("observation", "action_mask"):
            assert twin.observe(agent)[name].tobytes() == env.observe(agent)[name].tobytes()
        assert twin.infos[agent].keys() == {"action_mask"}
        assert twin.infos[agent]["action_mask"].tobytes() == env.infos[agent]["action_mask"].tobytes()
        for mode in ("ansi", "rgb_array") if observer == 0 else ("ansi",):  # images are slow
            draw = Renderer(mode).render
            assert np.array_equal(draw(twin.game.scene(observer)), draw(env.game.scene(observer)))
        if game.seat is not None:  # and once an illegal action has ended the game
            ended = [begin(one.game.clone(), wizard_v0.env) for one in (env, twin)]
            for one in ended:
                end_by_an_illegal_action(one)
            assert contents(ended[0].observe(agent)) == contents(ended[1].observe(agent))
            assert contents(ended[0].infos[agent]) == contents(ended[1].infos[agent])


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
