"""Steps of the environments: PettingZoo's against tictactoe_v3, Gymnasium's against CartPole-v1.

Episodes are timed from after `reset` to their end.
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
from numpy.typing import NDArray

from benchmarks.report import SHARE, STEP_RATE, Row, compare, note
from benchmarks.timing import Contestant, Effort, alternate, repeat_after
from wizard_env import sample_legal, wizard_v0

_WIZARD = "wizard_env/Wizard-v0"
_CARTPOLE = "CartPole-v1"
_TICTACTOE = "PettingZoo tictactoe_v3"


def _first_legal(mask: NDArray[np.int8]) -> int:
    return mask.tobytes().index(1)  # as cheaply as Python can


def _play_aec(env: Any) -> Contestant:
    """Time last() and step(), with the first legal action of the mask."""
    return repeat_after(env.reset, lambda _: _play_game(env))


def _play_game(env: Any) -> int:
    """Play until an agent's game is over; return the number of decisions."""
    decisions = 0
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return decisions
        env.step(_first_legal(observation["action_mask"]))
        decisions += 1


def measure_aec(effort: Effort) -> list[Row]:
    """Measure the AEC environment, and the cost of its wrappers."""
    wrapped = "wizard_v0.env, last() + step()"
    raw = "wizard_v0.raw_env, last() + step()"
    rates = alternate(
        {
            _TICTACTOE: _play_aec(pettingzoo.make("aec", "classic/tictactoe_v3")),
            wrapped: _play_aec(wizard_v0.env()),
            raw: _play_aec(wizard_v0.raw_env()),
        },
        effort,
    )
    share = 100 * (1 - rates[wrapped].best / rates[raw].best)
    return [
        compare(wrapped, rates[wrapped], _TICTACTOE, rates[_TICTACTOE], 2),
        compare(raw, rates[raw], _TICTACTOE, rates[_TICTACTOE], 20),
        note("share of wrappers in a step, wizard_v0.env", share, SHARE),
    ]


def _play_episodes(env: gymnasium.Env[Any, Any], choose: Callable[[dict[str, Any], int], int]) -> Contestant:
    """Time step() of a single environment. choose: maps info and the number of steps to an action."""

    def play(reset: tuple[Any, dict[str, Any]]) -> int:
        info, steps, over = reset[1], 0, False
        while not over:
            _, _, terminated, truncated, info = env.step(choose(info, steps))
            over = terminated or truncated
            steps += 1
        return steps

    return repeat_after(env.reset, play)


def _step_vector(
    env: gymnasium.vector.VectorEnv[Any, Any, Any], choose: Callable[[dict[str, Any]], NDArray[Any]]
) -> Contestant:
    """Time step() of a vector environment. choose: maps infos to actions, untimed."""
    infos = env.reset(seed=0)[1]

    def step(actions: NDArray[Any]) -> int:
        nonlocal infos
        infos = env.step(actions)[4]
        return env.num_envs

    return repeat_after(lambda: choose(infos), step)


def _make_batch(name: str, num_envs: int) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    return gymnasium.make_vec(name, num_envs=num_envs, vectorization_mode="vector_entry_point")


def measure_gymnasium(effort: Effort) -> list[Row]:
    """Measure Gymnasium's environments; a step is a decision of the learner.

    Each step of Wizard includes the decisions of three random opponents.
    """
    rng = np.random.default_rng(0)
    num = effort.batch
    one, many = "gymnasium.make(Wizard-v0)", f"gymnasium.make_vec(Wizard-v0), {num:,} games"
    peer, peers = _CARTPOLE, f"{_CARTPOLE}, {num:,} vectorised"
    rates = alternate(
        {
            peer: _play_episodes(gymnasium.make(_CARTPOLE), lambda _, steps: steps & 1),
            one: _play_episodes(gymnasium.make(_WIZARD), lambda info, _: _first_legal(info["action_mask"])),
            peers: _step_vector(_make_batch(_CARTPOLE, num), lambda _: rng.integers(0, 2, num)),
            many: _step_vector(
                _make_batch(_WIZARD, num), lambda infos: sample_legal(infos["action_mask"], rng)
            ),
        },
        effort,
    )
    return [
        compare(one, rates[one], peer, rates[peer], unit=STEP_RATE),
        compare(many, rates[many], peers, rates[peers], unit=STEP_RATE),
    ]
