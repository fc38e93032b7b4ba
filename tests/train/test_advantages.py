"""Advantages: every seat is paid its own points, for its own decisions of the round."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.train.reference import reference_advantages
from wizard_env.rules import MAX_PLAYERS
from wizard_env.train.selfplay.advantages import seat_advantages


def estimate(rollout: dict[str, Any]) -> NDArray[np.float32]:
    advantages = np.full(rollout["seats"].shape, np.nan, np.float32)
    seat_advantages(**rollout, advantages=advantages)
    return advantages


@st.composite
def rollouts(draw: st.DrawFn) -> dict[str, Any]:
    length, games = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    players = draw(st.integers(1, MAX_PLAYERS))
    points = rng.choice([-2.0, -1.0, 1.0, 2.0], (length, games, MAX_PLAYERS))
    ended = rng.random((length, games)) < draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    return {
        "seats": rng.integers(0, players, (length, games)),
        "rewards": (points * ended[:, :, np.newaxis]).astype(np.float32),
        "ended": ended,
        "values": rng.normal(size=(length, games)).astype(np.float32),
        "last_values": rng.normal(size=games).astype(np.float32),
        "last_seats": rng.integers(0, players, games),
        "discount": draw(st.sampled_from([1.0, 0.9])),
        "decay": draw(st.sampled_from([0.0, 0.95, 1.0])),
    }


@given(rollouts())
def test_advantages_equal_the_reference(rollout: dict[str, Any]) -> None:
    assert estimate(rollout) == pytest.approx(reference_advantages(**rollout), abs=1e-4)


def test_a_round_by_hand() -> None:
    """Seats 0, 1, 0 decide, then the round pays 3 and -1; the rollout ends one decision of seat 1 later."""
    rewards = np.zeros((4, 1, MAX_PLAYERS), np.float32)
    rewards[2, 0, :2] = 3, -1
    rollout = {
        "seats": np.array([[0], [1], [0], [1]]),
        "rewards": rewards,
        "ended": rewards[:, :, 0] != 0,
        "values": np.array([[0.5], [0.25], [1], [0.75]], np.float32),
        "last_values": np.array([0.5], np.float32),
        "last_seats": np.array([0]),
        "discount": 1.0,
        "decay": 0.5,
    }
    # seat 0: 3 - 1, and before it 1 - 0.5 + 0.5 * 2; seat 1: -1 - 0.25, and then nothing is known
    assert estimate(rollout).ravel().tolist() == [1.5, -1.25, 2.0, 0.0]
    rollout["last_seats"] = np.array([1])
    assert estimate(rollout).ravel().tolist() == [1.5, -1.25, 2.0, -0.25]
