"""Rewards: points of the game, or numbers derived from them."""

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from wizard_env.checks import check_choice
from wizard_env.loading import import_named
from wizard_env.win_probability import win_probability

Reward = Literal["points", "game", "relative", "win", "rank", "win_probability"]
REWARDS: tuple[str, ...] = get_args(Reward)
RewardFunction: TypeAlias = Callable[
    [NDArray[np.int16], NDArray[np.int16], NDArray[np.bool_]], NDArray[np.float64]
]
"""A custom reward: those of every seat after a step that scored a round, from the points, scores and over of
`rewards`."""
Payment: TypeAlias = Callable[
    [NDArray[np.int16], NDArray[np.int16], NDArray[np.bool_], Callable[[], NDArray[np.int8]]],
    NDArray[np.float64],
]
"""`rewards` of one kind, given a function that finds the hand sizes, which only one kind reads."""
_NOT_READ = np.zeros(0, np.int8)


def find_reward(reward: str | RewardFunction) -> Payment:
    """Return the function that pays a reward.

    reward: a name of REWARDS, a function, or where to import one: "module:function" or "file.py:function".
    """
    if callable(reward):
        return partial(_pay, reward)
    if isinstance(reward, str) and ":" in reward:
        return partial(_pay, cast(RewardFunction, import_named(reward)))
    check_choice("reward", reward, REWARDS)
    return partial(_pay, cast(Reward, reward))


def _pay(
    reward: Reward | RewardFunction,
    points: NDArray[np.int16],
    scores: NDArray[np.int16],
    over: NDArray[np.bool_],
    find_rounds: Callable[[], NDArray[np.int8]],
) -> NDArray[np.float64]:
    if callable(reward):
        return reward(points, scores, over)
    hand_sizes = find_rounds() if reward == "win_probability" else _NOT_READ
    return rewards(reward, points, scores, over, hand_sizes)


def rewards(
    kind: Reward,
    points: NDArray[np.int16],
    scores: NDArray[np.int16],
    over: NDArray[np.bool_],
    hand_sizes: NDArray[np.int8],
) -> NDArray[np.float64]:
    """Return the rewards of every seat after a step.

    Args:
        kind: "points": the points of a round as it is scored, 20 + 10 per trick or -10 per trick off.
            "game": the points of the whole game, at its end.
            "relative": the points of a round less the mean of all seats, as it is scored.
            "win": at the end of the game 1, shared among the winners; 0 for all others.
            "rank": at the end of the game 1 for the first to -1 for the last rank, in equal steps;
            seats that share ranks get their mean.
            "win_probability": the change of the probability of winning the game, see `win_probability`, as a
            round is scored. With 1 / num_players, a game pays what "win" pays: it is a potential of the
            state (Ng, Harada and Russell 1999).
        points: [..., num_players] points that the step scored; 0 where no round ended.
        scores: [..., num_players] points of the game so far.
        over: [...] whether the step ended the game.
        hand_sizes: [..., rounds] the hand size of the round that the step scored, then of those after it;
            0 after the last round. Only "win_probability" reads them.

    Returns:
        float64 [..., num_players].
    """
    if kind == "points":
        return points.astype(np.float64)
    if kind == "relative":
        return points - points.mean(axis=-1, keepdims=True)
    if kind == "win_probability":
        before = win_probability(scores - points, hand_sizes)
        return win_probability(scores, hand_sizes[..., 1:]) - before
    ended = over[..., np.newaxis]
    if kind == "game":
        return np.where(ended, scores, 0.0)
    if kind == "win":
        first = scores == scores.max(axis=-1, keepdims=True)
        return np.where(ended, first / first.sum(axis=-1, keepdims=True), 0.0)
    ahead = scores[..., :, np.newaxis] - scores[..., np.newaxis, :]
    lead = np.sign(ahead).sum(axis=-1)  # seats behind less seats in front
    return np.where(ended, lead / (scores.shape[-1] - 1), 0.0)
