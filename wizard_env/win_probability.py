"""Each seat's probability of winning the game, from the points so far and the rounds that are left.

A softmax over the seats of points / T. T grows with the rounds that are left: T² is the sum of a number for
each of them, which depends on its hand size and on the number of players. `win_probability.json` has these
numbers; `python -m tools.win_probability` fits them to games of `champion` against itself.
"""

import json
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.cards import DECK_SIZE
from wizard_env.checks import check_integers
from wizard_env.rules import MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS

FILE_NAME = "win_probability.json"


@cache
def squared_temperatures(num_players: int) -> NDArray[np.float64]:
    """Return float64 [60 / num_players + 1]: what a round adds to T², by its hand size; 0 for size 0."""
    fitted = json.loads(files("wizard_env").joinpath(FILE_NAME).read_text(encoding="utf-8"))
    squares = np.array([0.0, *fitted[str(num_players)]])
    squares.flags.writeable = False
    return squares


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
    return softmax_of_scores(points, squared_temperatures(players)[sizes].sum(axis=-1))


def softmax_of_scores(scores: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax over seats of scores / T, or equal shares of the first place where T is 0.

    scores: [..., num_players]. squares: [...], T².
    """
    behind = scores - scores.max(axis=-1, keepdims=True)
    temperature = np.sqrt(squares)[..., np.newaxis]
    over = temperature == 0
    weights = np.where(over, behind == 0, np.exp(behind / np.where(over, 1.0, temperature)))
    shares: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return shares


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
