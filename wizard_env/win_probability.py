"""Each seat's probability of winning the game, from the points so far and the rounds that are left.

All seats are assumed to score equally many further points, each with luck of its own, which is normally
distributed. A seat wins if it ends in front (Thurstone 1927, "A law of comparative judgment", case V). The
variance of the luck is a sum over the rounds that are left. What a round adds depends on its hand size and on
the number of players: `win_probability.json` has these numbers, which `python -m tools.win_probability` fits
to games of `champion` against itself.
"""

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.cards import DECK_SIZE
from wizard_env.checks import check_integers
from wizard_env.compiled.jit import compiled, kernel
from wizard_env.rules import MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS

FILE_NAME = "win_probability.json"
_LUCK, _WEIGHTS = np.polynomial.hermite_e.hermegauss(10)
_WEIGHTS /= _WEIGHTS.sum()
"""Gauss-Hermite quadrature over the luck of one seat, in standard deviations."""
_PAGE = math.sqrt(8 / math.pi)
_CERTAIN = 8.0
"""Standard deviations beyond which nothing lies."""


@cache
def variances(num_players: int) -> NDArray[np.float64]:
    """Return float64 [60 / num_players + 1]: the variance of the points of a round, by its hand size.

    That of hand size 0, which stands for no round, is 0.
    """
    fitted = json.loads(files("wizard_env").joinpath(FILE_NAME).read_text(encoding="utf-8"))
    by_size = np.array([0.0, *fitted[str(num_players)]])
    by_size.flags.writeable = False
    return by_size


def win_probability(scores: ArrayLike, hand_sizes: ArrayLike) -> NDArray[np.float64]:
    """Return each seat's probability of winning, for players who are equally strong.

    When no round is left, the winners share 1 equally. Cards, bids and tricks of the current round do not
    count.

    Args:
        scores: int [..., num_players], the points of the game so far.
        hand_sizes: int [..., rounds], the hand sizes of the rounds that have not been scored, in any order; 0
            stands for no round. Leading dimensions broadcast with those of `scores`.

    Returns:
        float64 [..., num_players]; each row sums to 1.

    Raises ValueError for a number of players or a hand size that no game has.
    """
    points = check_integers("scores", scores).astype(np.float64)
    sizes = check_integers("hand_sizes", hand_sizes)
    players = points.shape[-1] if points.ndim else 0
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise ValueError(f"scores of {players} seats: allowed are {MIN_PLAYERS} to {MAX_PLAYERS}")
    largest = DECK_SIZE // players
    if ((sizes < 0) | (sizes > largest)).any():
        raise ValueError(f"hand_sizes from {sizes.min()} to {sizes.max()}: allowed are 0 to {largest}")
    return chances_to_win(points, variances(players)[sizes].sum(axis=-1))


def chances_to_win(scores: NDArray[np.float64], variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 [..., num_players], the probability that each seat ends in front.

    Args:
        scores: [..., num_players], the points of the game so far.
        variance: [...], of the points that each seat is still to score; 0 at the end of the game, where the
            first place is shared.
    """
    shape = np.broadcast_shapes(scores.shape[:-1], variance.shape)
    points = np.broadcast_to(scores, (*shape, scores.shape[-1])).reshape(-1, scores.shape[-1])
    chances = np.empty(points.shape)
    _write_rows(np.array(points, order="C"), np.broadcast_to(variance, shape).flatten(), chances)
    return chances.reshape(*shape, -1)


@kernel([[np.float64]], [np.float64], [[np.float64]])
def _write_rows(scores: Any, variance: Any, chances: Any) -> None:
    for row in range(len(scores)):
        deviation, total = np.sqrt(variance[row]), 0.0
        for seat in range(scores.shape[1]):
            chance = _integrate(scores[row], seat, deviation) if deviation else _is_first(scores[row], seat)
            chances[row, seat] = chance
            total += chance
        for seat in range(scores.shape[1]):
            chances[row, seat] /= total


@compiled
def _is_first(scores: Any, seat: int) -> float:
    """Return 1 for a seat that no other is ahead of, else 0."""
    for other in range(len(scores)):
        if scores[other] > scores[seat]:
            return 0.0
    return 1.0


@compiled
def _integrate(scores: Any, seat: int, deviation: float) -> float:
    """Return the probability that a seat ends in front of all others, by quadrature over its own luck."""
    chance = 0.0
    for luck in range(len(_LUCK)):
        product = _WEIGHTS[luck]
        for other in range(len(scores)):
            if other != seat:
                product *= _normal_distribution((scores[seat] - scores[other]) / deviation + _LUCK[luck])
        chance += product
    return chance


@compiled
def _normal_distribution(value: float) -> float:
    """Return the standard normal distribution function, to within 0.0002 (Page 1977)."""
    if abs(value) > _CERTAIN:
        return 1.0 if value > 0 else 0.0
    return 1 / (1 + np.exp(-_PAGE * value * (1 + 0.044715 * value**2)))


def rounds_from(hand_sizes: NDArray[np.int8], first: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the hand sizes of the rounds of each game from one round on, then zeros.

    Args:
        hand_sizes: int8 [n, MAX_ROUNDS], of all rounds, as in a game's record.
        first: int64 [n], the index of the first of them, 0 to MAX_ROUNDS.

    Returns:
        int8 [n, MAX_ROUNDS].
    """
    padded = np.pad(hand_sizes, ((0, 0), (0, MAX_ROUNDS)))
    return np.take_along_axis(padded, first[:, np.newaxis] + np.arange(MAX_ROUNDS), axis=1)
