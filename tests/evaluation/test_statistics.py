"""Means, their intervals, and ranks."""

import numpy as np
import pytest

from wizard_env.evaluation.statistics import (
    SHARES,
    Totals,
    estimate_means,
    estimate_small_mean,
    estimate_weighted_sums,
    rank_seats,
)


def column(*sums: float) -> Totals:
    """Return the sums of one quantity that each deal has once."""
    return Totals(np.array(sums, np.int64)[:, np.newaxis], np.array([1]))


def test_means_are_sums_divided_by_counts() -> None:
    totals = Totals(np.array([[1, 10], [2, 20], [6, 30]]), np.array([3, 4]))
    assert [estimate.mean for estimate in estimate_means([totals], 0)] == [9 / 9, 60 / 12]


def test_intervals_cover_the_mean() -> None:
    """They do in about 95 of 100 samples; fewer than 89 or more than 99 are unlikely by chance."""
    rng = np.random.default_rng(0)
    samples = rng.integers(0, 101, (60, 200))  # 200 samples of 60 deals
    covered = 0
    for sample in samples.T:
        (found,) = estimate_means([column(*sample)], 0)
        covered += found.low <= 50 <= found.high
    assert 0.89 < covered / 200 < 0.99


def test_strata_are_resampled_separately() -> None:
    """The difference between strata is fixed; without strata it is left to chance."""
    assert estimate_means([column(*[0] * 20), column(*[100] * 20)], 0) == [(50, 50, 50)]
    (together,) = estimate_means([column(*[0] * 20, *[100] * 20)], 0)
    assert together.low < 40 < 60 < together.high


def test_strata_are_weighted_by_what_they_count() -> None:
    few, many = Totals(np.array([[0], [0]]), np.array([1])), Totals(np.array([[30], [30]]), np.array([3]))
    assert estimate_means([few, many], 0)[0].mean == 60 / 8


def test_intervals_are_of_weighted_sums() -> None:
    """Their width is that of a mean of normal numbers: 1.96 standard errors to each side."""
    rng = np.random.default_rng(0)
    samples = [rng.normal(mean, 10, 400) for mean in (5, 15)]
    found = estimate_weighted_sums(samples, np.array([[1, 0], [0.5, 0.5]]), seed=0)
    sums, low, high = np.array(found).T
    np.testing.assert_allclose(sums, [samples[0].mean(), (samples[0].mean() + samples[1].mean()) / 2])
    errors = [10 / 20, 10 / 20 / np.sqrt(2)]
    np.testing.assert_allclose((high - low) / 2, 1.96 * np.array(errors), rtol=0.1)


def test_students_interval() -> None:
    """The quantile for two degrees of freedom is 4.3027."""
    found = estimate_small_mean(np.array([1.0, 2.0, 3.0]))
    half = 4.302653 / np.sqrt(3)
    assert found == pytest.approx((2.0, 2.0 - half, 2.0 + half))


@pytest.mark.parametrize(
    ("scores", "ranks", "shares"),
    [
        ([30, 20, 10], [1, 2, 3], [1, 0, 0]),
        ([10, 20, 20], [3, 1.5, 1.5], [0, 1 / 2, 1 / 2]),
        ([20, 20, 20], [2, 2, 2], [1 / 3, 1 / 3, 1 / 3]),
        ([-10, -20, -20, -20], [1, 3, 3, 3], [1, 0, 0, 0]),
        ([5, 5, 5, 5, 5, 0], [3, 3, 3, 3, 3, 6], [1 / 5] * 5 + [0]),
    ],
)
def test_ranks(scores: list[int], ranks: list[float], shares: list[float]) -> None:
    found = rank_seats(np.array([scores], np.int32))
    assert (found.doubled[0] / 2).tolist() == ranks
    assert (found.shares[0] / SHARES).tolist() == pytest.approx(shares)
