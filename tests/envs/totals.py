"""Rewards that a whole game should pay, worked out from its scores."""

import numpy as np
import scipy.stats


def expected_total(kind: str, scores: list[int]) -> list[float]:
    """Return each seat's rewards over a game, as the docs of rewards.py say."""
    points = np.array(scores, float)
    if kind in ("points", "game"):
        return list(points)
    if kind == "relative":
        return list(points - points.mean())
    if kind == "win":
        return list((points == points.max()) / (points == points.max()).sum())
    if kind == "win_probability":
        return [share - 1 / len(points) for share in expected_total("win", scores)]
    return list(1 - 2 * (scipy.stats.rankdata(-points) - 1) / (len(points) - 1))
