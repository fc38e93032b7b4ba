"""The environments step by step: PettingZoo's against tictactoe_v3, Gymnasium's against CartPole-v1.

Episodes are timed from after `reset` to their end.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
from numpy.typing import NDArray
from pettingzoo.utils import wrappers

from benchmarks.report import SHARE, STEP_RATE, Row, compared, noted
from benchmarks.timing import Contestant, Effort, alternate
from wizard_env import sample_legal, wizard_v0

WIZARD = "wizard_env/Wizard-v0"
CARTPOLE = "CartPole-v1"
TICTACTOE = "PettingZoo tictactoe_v3"


def first_legal(mask: NDArray[np.int8]) -> int:
    """The first legal action, found as cheaply as Python can."""
    return mask.tobytes().index(1)


def aec_loop(env: Any) -> Contestant:
    """last() and step(), with the first legal action of the mask."""

    def run(seconds: float) -> tuple[int, float]:
        decisions, spent = 0, 0.0
        while spent < seconds:
            env.reset()
            start = perf_counter()
            decisions += play_game(env)
            spent += perf_counter() - start
        return decisions, spent

    return run


def play_game(env: Any) -> int:
    """Play until an agent's game is over; returns the number of decisions."""
    decisions = 0
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return decisions
        env.step(first_legal(observation["action_mask"]))
        decisions += 1


def plainly_wrapped() -> Any:
    """`raw_env` in PettingZoo's own wrappers, like `tictactoe_v3.env`."""
    env = wrappers.TerminateIllegalWrapper(wizard_v0.raw_env(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def measure_aec(effort: Effort) -> list[Row]:
    """The AEC environment, and the cost of wrappers."""
    wrapped = "wizard_v0.env, last() + step()"
    raw = "wizard_v0.raw_env, last() + step()"
    plain = "wizard_v0.raw_env in plain PettingZoo wrappers"
    rates = alternate(
        {
            TICTACTOE: aec_loop(pettingzoo.make("aec", "classic/tictactoe_v3")),
            wrapped: aec_loop(wizard_v0.env()),
            plain: aec_loop(plainly_wrapped()),
            raw: aec_loop(wizard_v0.raw_env()),
        },
        effort,
    )
    bare = rates[raw].best
    return [
        compared(wrapped, rates[wrapped], TICTACTOE, rates[TICTACTOE], 2),
        compared(raw, rates[raw], TICTACTOE, rates[TICTACTOE], 20),
        compared(plain, rates[plain], TICTACTOE, rates[TICTACTOE]),
        noted("share of wrappers in a step, wizard_v0.env", 100 * (1 - rates[wrapped].best / bare), SHARE),
        noted("share of wrappers in a step, plain", 100 * (1 - rates[plain].best / bare), SHARE),
    ]


def gym_loop(env: gymnasium.Env[Any, Any], choose: Callable[[dict[str, Any], int], int]) -> Contestant:
    """step() of a single environment. `choose` maps info and the number of steps so far to an action."""

    def run(seconds: float) -> tuple[int, float]:
        steps, spent = 0, 0.0
        while spent < seconds:
            _, info = env.reset()
            over = False
            start = perf_counter()
            while not over:
                _, _, terminated, truncated, info = env.step(choose(info, steps))
                over = terminated or truncated
                steps += 1
            spent += perf_counter() - start
        return steps, spent

    return run


def vector_loop(
    env: gymnasium.vector.VectorEnv[Any, Any, Any], choose: Callable[[dict[str, Any]], NDArray[Any]]
) -> Contestant:
    """step() of a vector environment, without choosing. `choose` maps infos to actions."""
    latest = env.reset(seed=0)[1]

    def run(seconds: float) -> tuple[int, float]:
        nonlocal latest
        steps, spent = 0, 0.0
        while spent < seconds:
            actions = choose(latest)
            start = perf_counter()
            latest = env.step(actions)[4]
            spent += perf_counter() - start
            steps += env.num_envs
        return steps, spent

    return run


def make_batch(name: str, num_envs: int) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """The native vector environment for a name."""
    return gymnasium.make_vec(name, num_envs=num_envs, vectorization_mode="vector_entry_point")


def measure_gymnasium(effort: Effort) -> list[Row]:
    """Gymnasium's environments, for orientation; a step is a decision of the learner.

    Each step of Wizard includes the decisions of three random opponents.
    """
    rng = np.random.default_rng(0)
    num = effort.batch
    one, many = "gymnasium.make(Wizard-v0)", f"gymnasium.make_vec(Wizard-v0), {num:,} games"
    peer, peers = CARTPOLE, f"{CARTPOLE}, {num:,} vectorised"
    rates = alternate(
        {
            peer: gym_loop(gymnasium.make(CARTPOLE), lambda _, steps: steps & 1),
            one: gym_loop(gymnasium.make(WIZARD), lambda info, _: first_legal(info["action_mask"])),
            peers: vector_loop(make_batch(CARTPOLE, num), lambda _: rng.integers(0, 2, num)),
            many: vector_loop(make_batch(WIZARD, num), lambda infos: sample_legal(infos["action_mask"], rng)),
        },
        effort,
    )
    return [
        compared(one, rates[one], peer, rates[peer], unit=STEP_RATE),
        compared(many, rates[many], peers, rates[peers], unit=STEP_RATE),
    ]
