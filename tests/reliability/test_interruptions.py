"""Interruptions: a step is taken as a whole or not at all, or an environment refuses to go on."""

import pickle
import signal
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from numba.core.caching import NullCache

import wizard_env.games as batch
from tests.reliability.effort import generator, times
from tests.reliability.interruptions import Interruption, interrupt, interrupt_after, raise_interruption
from wizard_env import Game, Games, IllegalAction, Rules, View, load, sample_legal
from wizard_env.compiled.dispatchers import Kernel
from wizard_env.compiled.jit import COMPILES, kernel
from wizard_env.compiled.threads import ThreadChooser, claim, finish, new_queue, num_threads, share
from wizard_env.envs.aec import raw_env
from wizard_env.envs.gymnasium_env import WizardEnv
from wizard_env.envs.gymnasium_vector import WizardVectorEnv
from wizard_env.evaluation.duplicate_deals import Entrant
from wizard_env.evaluation.evaluate import evaluate

pytestmark = [
    pytest.mark.skipif(not COMPILES, reason="plain Python is interrupted anywhere"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # in a generator's end
]

needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer here")

SHORT = Rules(num_players=3, hand_sizes=(1, 2))
LONGER = Rules(num_players=3, hand_sizes=(1, 2, 1))
NEVER_LEGAL = 78  # a card that no seat of these games is dealt
NOT_GIVEN = -1


def contents(games: Games) -> tuple[bytes, ...]:
    arrays: tuple[np.ndarray[Any, Any], ...] = games.__getstate__()["arrays"]
    return tuple(array.tobytes() for array in arrays)


# --- batches


@pytest.mark.parametrize("threads", [1, 2])
def test_a_step_of_a_batch_is_whole(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever Python could interrupt it, all games have taken the decision or none has."""
    monkeypatch.setattr(ThreadChooser, "choose_several", lambda _: True)
    monkeypatch.setattr(batch, "SERIAL_BELOW", 2)
    monkeypatch.setattr(batch, "_CHUNK", 7)
    rng = generator("batch", threads)
    with num_threads(threads):
        games, other = Games(SHORT, 300), Games(SHORT, 300)
        for number in count():
            before, actions = contents(games), sample_legal(games.mask, rng)
            other.step(actions)
            is_interrupted = interrupt(partial(games.step, actions), number)
            if contents(games) == before:
                games.step(actions)
            assert contents(games) == contents(other), f"interrupted at moment {number}"
            if not is_interrupted:
                break
    assert number > 5


@needs_timer
def test_signals_leave_a_batch_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """On two threads, at random times."""
    monkeypatch.setattr(ThreadChooser, "choose_several", lambda _: True)
    rng = generator("signals")
    with num_threads(2):
        games, other = Games(SHORT, 8192), Games(SHORT, 8192)
        longest = 0.0
        for _ in range(times(60, 600)):
            before, actions = contents(games), sample_legal(games.mask, rng)
            start = perf_counter()
            other.step(actions)
            longest = max(longest, perf_counter() - start)
            interrupt_after(partial(games.step, actions), rng.uniform(1e-6, 2e-3 + min(longest, 2e-3)))
            if contents(games) == before:
                games.step(actions)
            assert contents(games) == contents(other)


@kernel([np.int64], [np.int64], int)
def _work_slowly(done: Any, queue: Any, patience: int) -> None:
    """Do units of work, which take a worker about ten times as long as the calling thread."""
    unit = claim(queue, patience)
    while unit >= 0:
        total = unit
        for _ in range(500_000_000 if patience else 50_000_000):
            total = total * 3 ^ total >> 5
        done[unit] = total | 1
        finish(queue, 1)
        unit = claim(queue, patience)


@needs_timer
def test_an_interruption_waits_for_the_workers() -> None:
    """Their part of a step belongs to it."""
    with num_threads(2):
        for _ in range(times(2, 20)):
            done, queue = np.zeros(2, np.int64), new_queue()
            share(_work_slowly, (done, queue), queue, 0, 1, 1)
            interrupt_after(partial(share, _work_slowly, (done, queue), queue, 2, 1, 2), 0.3)
            assert done.all()


def test_a_batch_is_restored_whole() -> None:
    games, other = Games(SHORT, 5), Games(SHORT, 5, seed=1)
    for _ in range(8):
        other.step(sample_legal(other.mask, generator("restored")))
    before, after = contents(games), contents(other)
    games.restore(other.__getstate__()["arrays"])
    for number in count():
        games = Games(SHORT, 5)
        is_interrupted = interrupt(partial(games.restore, other.__getstate__()["arrays"]), number)
        assert contents(games) in (before, after), f"interrupted at moment {number}"
        if not is_interrupted:
            break
    assert contents(games) == after


def test_hand_sizes_change_whole() -> None:
    """With the room for more finished rounds, which steps write to and callers read."""
    Games(SHORT, 3).change_hand_sizes([0], LONGER)
    for number in count():
        games = Games(SHORT, 3)
        is_interrupted = interrupt(partial(games.change_hand_sizes, [0, 1, 2], LONGER), number)
        sizes = [(int(state["num_rounds"]), *state["hand_sizes"][:3].tolist()) for state in games.states]
        assert sizes in ([(2, 1, 2, 0)] * 3, [(3, 1, 2, 1)] * 3), f"interrupted at moment {number}"
        assert games.finished_rounds.shape[1] >= sizes[0][0]
        games.begin([0, 1, 2], np.arange(3, dtype=np.uint64))
        while not games.round_done.any():
            games.step(sample_legal(games.mask, generator("sizes")))
        assert (games.finished_rounds["hand_size"][games.round_done, 0] == 1).all()
        if not is_interrupted:
            break


# --- single games


def shown(game: Game) -> tuple[Any, ...]:
    """Return all that callers read of a game."""
    seat = game.seat
    seen = None if seat is None else game.observe(seat).tobytes()
    kept = game.state.tobytes(), game.finished_rounds.tobytes(), game.legal_mask().tobytes(), seen
    return *kept, game.phase, seat, game.history, game.rounds


@pytest.mark.parametrize("copy", [Game.clone, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_step_of_a_game_is_whole(copy: Callable[[Game], Game]) -> None:
    """At every step of a game, those that end a round and the game included."""
    rng, game = generator("game"), Game(SHORT, seed=3)
    while game.phase != "over":
        action = int(rng.choice(game.legal_actions()))
        before = copy(game)
        game.step(action)
        for number in count():
            other = copy(before)
            is_interrupted = interrupt(partial(other.step, action), number)
            if shown(other) == shown(before):
                other.step(action)
            assert shown(other) == shown(game), f"interrupted at moment {number}"
            if not is_interrupted:
                break


# --- environments


def test_an_interrupted_step_of_pettingzoo_is_whole_or_refuses() -> None:
    """It refuses to go on until it is reset."""
    refused = 0
    for steps in (1, 5):  # the latter ends a round
        for number in count():
            env = raw_env(num_players=3, hand_sizes=(1, 2), history=True)
            env.reset(seed=4)
            for _ in range(steps):
                env.step(_first_legal(env))
            before = _shown(env)
            deepcopy(env).step(_first_legal(env))  # compiles what is missing
            is_interrupted = interrupt(partial(env.step, _first_legal(env)), number)
            try:
                env.step(NEVER_LEGAL)
            except RuntimeError as error:
                assert "reset it first" in str(error)  # noqa: PT017
                refused += 1
                env.reset(seed=4)
                for _ in range(steps):
                    env.step(_first_legal(env))
                assert _shown(env) == before
            except IllegalAction:
                if _shown(env) == before:
                    env.step(_first_legal(env))
            else:
                raise AssertionError("an action that is never legal was taken")
            if not is_interrupted:
                break
    assert refused > 3


def _first_legal(env: raw_env) -> int:
    return int(env.infos[env.agent_selection]["action_mask"].argmax())


def _shown(env: raw_env) -> Any:
    return pickle.dumps((env.agent_selection, env.rewards, env._cumulative_rewards, env.infos, env.state()))


ENVIRONMENTS: dict[str, Callable[[], Any]] = {
    "one": lambda: WizardEnv(num_players=3, hand_sizes=(1, 2), opponents="random", episode="round"),
    "vector": lambda: WizardVectorEnv(
        num_envs=3, num_players=3, hand_sizes=(1, 2), autoreset_mode="SameStep", episode="round"
    ),
}


def _play(env: Any, decisions: int) -> list[Any]:
    """Take first legal actions; return all that was shown."""
    shown: list[Any] = []
    for _ in range(decisions):
        actions = env.action_masks().argmax(axis=-1)
        observation, reward, ended, _, info = env.step(actions)
        shown += [np.array(values).tolist() for values in (observation, reward, ended, info["seat"])]
        if isinstance(env, WizardEnv) and ended:
            shown.append(env.reset()[0].tolist())
    return shown


@pytest.mark.parametrize("kind", ENVIRONMENTS)
@pytest.mark.parametrize("action", ["step", "reset", "reset with options"])
def test_an_interrupted_environment_is_whole_or_refuses(kind: str, action: str) -> None:
    """It refuses to go on until it is reset; then it is as good as new."""
    new = ENVIRONMENTS[kind]()
    new.reset(seed=9)
    expected, refused = _play(new, 6), 0
    actions: dict[str, Callable[[Any], Any]] = {
        "step": lambda env: env.step(env.action_masks().argmax(axis=-1)),
        "reset": lambda env: env.reset(),
        "reset with options": lambda env: env.reset(options={"hand_sizes": (2,)}),
    }
    actions[action](new)  # compiles what is missing
    for number in count(0, times(11, 1)):
        env = ENVIRONMENTS[kind]()
        env.reset(seed=5)
        _play(env, 1)
        is_interrupted = interrupt(partial(actions[action], env), number)
        try:
            env.step(np.full_like(env.action_masks().argmax(axis=-1), NEVER_LEGAL))
        except RuntimeError as error:
            assert "reset all environments" in str(error)  # noqa: PT017
            refused += 1
            if number % 2:
                env.reset()
                _play(env, 6)
        except IllegalAction:
            pass
        else:
            raise AssertionError("an action that is never legal was taken")
        env.reset(seed=9)
        assert _play(env, 6) == expected, f"interrupted at moment {number}"
        if not is_interrupted:
            break
    assert refused > 3


def test_a_vector_environment_refuses_to_reset_a_part_of_what_was_interrupted() -> None:
    env = ENVIRONMENTS["vector"]()
    env.reset(seed=5)
    for number in count():
        interrupt(partial(env.step, env.action_masks().argmax(axis=-1)), number)
        try:
            env.reset(options={"reset_mask": np.array([True, False, False])})
        except RuntimeError:
            break
    env.reset()
    env.reset(options={"reset_mask": np.array([True, False, False])})


def test_an_opponent_that_fails_leaves_no_environment_that_goes_on() -> None:
    """The learner would act for the opponent."""

    class Failing:
        def act(self, view: View, rng: np.random.Generator) -> Any:
            raise ValueError("no idea")

    env = WizardEnv(num_players=3, opponents=[load("random"), Failing()], seat=0)

    def play() -> None:
        for seed in count():
            env.reset(seed=seed)
            env.step(env.action_masks().argmax())

    with pytest.raises(ValueError, match="no idea"):
        play()
    with pytest.raises(RuntimeError, match="reset all environments"):
        env.step(env.action_masks().argmax())


# --- agents, and compiling


@pytest.mark.parametrize("name", ["search:worlds=8,threads=2", "adaptive", "champion"])
def test_an_interrupted_agent_answers_as_before(name: str) -> None:
    games, rng = Games(Rules(num_players=3), 4), generator(name)
    for _ in range(30):
        games.step(sample_legal(games.mask, rng))
    view, agent = games.view(), load(name)
    expected = load(name).act(view, np.random.default_rng(0))
    for number in range(0, times(600, 6000), times(60, 7)):
        interrupt(lambda: agent.act(view, np.random.default_rng(0)), number)
        assert agent.act(view, np.random.default_rng(0)) == pytest.approx(expected)


# --- evaluations and data sets


def test_an_evaluation_after_an_interruption_measures_the_same() -> None:
    """The interrupted one returns nothing; the agents that it has used play on as if they were new."""
    agents = [Entrant(name, load(name)) for name in ("search:worlds=4,threads=2", "adaptive", "heuristic")]
    measure = partial(evaluate, agents, SHORT, 2, 7)
    expected, interrupted = measure().standings, 0
    for number in range(0, times(9000, 60_000), times(900, 101)):
        interrupted += interrupt(measure, number)
        assert measure().standings == expected
    assert interrupted > 3


def test_a_data_set_is_continued_after_an_interruption(tmp_path: Path) -> None:
    """Each of its files is whole, or not there."""
    pytest.importorskip("pyarrow")
    from wizard_env.evaluation.datasets.parquet import read_decisions
    from wizard_env.evaluation.datasets.writer import write_dataset

    def write(folder: Path) -> None:
        list(write_dataset(folder, ["heuristic"], [SHORT], 200))

    def content(folder: Path) -> dict[str, list[Any]]:
        parts = list(read_decisions(folder))
        return {name: [one for part in parts for one in part[name].tolist()] for name in parts[0]}

    write(tmp_path / "whole")
    expected, interrupted = content(tmp_path / "whole"), 0
    for number in range(0, times(2400, 12_000), times(300, 47)):
        folder = tmp_path / str(number)
        interrupted += interrupt(partial(write, folder), number)
        write(folder)
        assert content(folder) == expected
    assert interrupted > 3


def _sum(values: Any) -> int:
    total = 0
    for value in values:
        total += value if value > 0 else 2
    return total


@needs_timer
def test_a_kernel_is_compiled_after_an_interruption() -> None:
    """At random times."""
    rng, values = generator("compiling"), np.arange(10)
    for _ in range(times(4, 40)):
        compiled: Any = Kernel(_sum, ([np.int64],), NullCache())
        interrupt_after(partial(compiled, values), rng.uniform(1e-6, 0.3))
        assert compiled(values) == 47


def test_an_interruption_waits_for_a_kernel() -> None:
    """In the middle it could leave numba unable to compile."""

    class InterruptedWhileCompiled(Kernel):
        def compile(self, signature: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            return super().compile(signature)

    compiled: Any = InterruptedWhileCompiled(_sum, ([np.int64],), NullCache())
    handler = signal.signal(signal.SIGINT, raise_interruption)
    try:
        with pytest.raises(Interruption):
            compiled(np.arange(10))
        assert len(compiled.overloads) == 1
        assert signal.getsignal(signal.SIGINT) is raise_interruption
    finally:
        signal.signal(signal.SIGINT, handler)
    assert compiled(np.arange(10)) == 47
