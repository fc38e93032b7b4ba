"""Advantages computed the slow way, to test the fast one against."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def reference_advantages(
    seats: Any,
    rewards: Any,
    ended: Any,
    values: Any,
    last_values: Any,
    last_seats: Any,
    discount: float,
    decay: float,
) -> NDArray[np.float64]:
    """Schulman et al. 2016, eq. 16, along each seat's decisions of a round, one decision at a time."""
    length, games = seats.shape

    def advantage(decision: int, game: int) -> float:
        seat, value = seats[decision, game], float(values[decision, game])
        for later in range(decision, length):
            if later > decision and seats[later, game] == seat:
                error = discount * float(values[later, game]) - value
                return error + discount * decay * advantage(later, game)
            if ended[later, game]:
                return float(rewards[later, game, seat]) - value
        return discount * float(last_values[game]) - value if last_seats[game] == seat else 0.0

    return np.array([[advantage(decision, game) for game in range(games)] for decision in range(length)])
