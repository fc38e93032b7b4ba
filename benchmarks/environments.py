"""Steps of PettingZoo's environments, wizard_v0 against tictactoe_v3, timed from after `reset` to the end."""

from typing import Any

import numpy as np
import pettingzoo
from numpy.typing import NDArray

from benchmarks.report import Row, compare
from benchmarks.timing import Contestant, Effort, alternate, repeat_after
from wizard_env import wizard_v0

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
    """Measure the AEC environment with its wrappers and without them."""
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
    return [
        compare(wrapped, rates[wrapped], _TICTACTOE, rates[_TICTACTOE], 2),
        compare(raw, rates[raw], _TICTACTOE, rates[_TICTACTOE], 20),
    ]
