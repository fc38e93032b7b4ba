"""Rewards: points of the game, or numbers derived from them."""

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from wizard_env.checks import check_choice
from wizard_env.loading import import_named

Reward = Literal["points", "game", "relative", "win", "rank"]
REWARDS: tuple[str, ...] = get_args(Reward)
RewardFunction: TypeAlias = Callable[
    [NDArray[np.int16], NDArray[np.int16], NDArray[np.bool_]], NDArray[np.float64]
]
"""Rewards of every seat after a step that scored a round, from the points, scores and over of `rewards`."""


def find_reward(reward: str | RewardFunction) -> RewardFunction:
    """Return the function of a reward.

    reward: a name of REWARDS, a function, or where to import one: "module:function" or "file.py:function".
    """
    if callable(reward):
        return reward
    if isinstance(reward, str) and ":" in reward:
        return cast(RewardFunction, import_named(reward))
    check_choice("reward", reward, REWARDS)
    return partial(rewards, cast(Reward, reward))


def rewards(
    kind: Reward, points: NDArray[np.int16], scores: NDArray[np.int16], over: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the rewards of every seat after a step.

    Args:
        kind: "points": the points of a round as it is scored, 20 + 10 per trick or -10 per trick off.
            "game": the points of the whole game, at its end.
            "relative": the points of a round less the mean of all seats, as it is scored.
            "win": at the end of the game 1, shared among the winners; 0 for all others.
            "rank": at the end of the game 1 for the first to -1 for the last rank, in equal steps;
            seats that share ranks get their mean.
        points: [..., num_players] points that the step scored; 0 where no round ended.
        scores: [..., num_players] points of the game so far.
        over: [...] whether the step ended the game.

    Returns:
        float64 [..., num_players].
    """
    if kind == "points":
        return points.astype(np.float64)
    if kind == "relative":
        return points - points.mean(axis=-1, keepdims=True)
    ended = over[..., np.newaxis]
    if kind == "game":
        return np.where(ended, scores, 0.0)
    if kind == "win":
        first = scores == scores.max(axis=-1, keepdims=True)
        return np.where(ended, first / first.sum(axis=-1, keepdims=True), 0.0)
    ahead = scores[..., :, np.newaxis] - scores[..., np.newaxis, :]
    lead = np.sign(ahead).sum(axis=-1)  # seats behind less seats in front
    return np.where(ended, lead / (scores.shape[-1] - 1), 0.0)
