"""Statistics: means with 95% intervals, and ranks.

Whatever is averaged is first added up for each deal, in whole numbers. Such sums are exact, so agents that
play alike tie exactly, and no figure depends on the order of adding.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.extras import extra

with extra("train"):
    from scipy.stats import bootstrap
    from scipy.stats import t as student

_CONFIDENCE = 0.95
_RESAMPLES = 2_000
_BATCH = 2**20
"""The most drawn deals to hold in memory at a time."""
SHARES = 60
"""Shares that a win is divided into, so that any number of winners, from 1 to 6, get equal whole numbers."""


class Totals(NamedTuple):
    """Quantities added up over each deal, and how many of each a deal has; whole numbers."""

    sums: NDArray[np.int64]
    """[deals, quantities]"""
    counts: NDArray[np.int64]
    """[quantities], the same on every deal"""


class Estimate(NamedTuple):
    """A mean with its 95% interval."""

    mean: float
    low: float
    high: float


def estimate_means(strata: Sequence[Totals], seed: int) -> list[Estimate]:
    """Estimate the mean of each quantity, by percentile bootstrap over deals (Efron 1979).

    Deals are resampled within each stratum, with all their quantities together; so quantities that are equal
    on every deal have equal intervals.

    strata: of at least 2 deals each, for example one for each table size.
    """
    counts = np.sum([len(totals.sums) * totals.counts for totals in strata], axis=0)
    return estimate_from_sums([totals.sums for totals in strata], lambda sums: sums / counts, seed)


def estimate_from_sums(
    strata: Sequence[NDArray[np.int64]],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    seed: int,
) -> list[Estimate]:
    """Estimate what depends on sums over all deals, by percentile bootstrap over deals as `estimate_means`.

    Args:
        strata: each int64 [deals, columns].
        statistic: takes sums, float64 [resamples, columns]; returns float64 [resamples, quantities].
    """
    columns = [deals.astype(np.float64) for deals in strata]

    def resampled(*drawn: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        """Return [quantities, resamples], given the deals drawn in each stratum, [resamples, deals]."""
        added = np.sum(
            [_times_drawn(deals, len(one)) @ one for deals, one in zip(drawn, columns, strict=True)], axis=0
        )
        found = statistic(np.atleast_2d(added)).T
        return found.reshape(len(found), *added.shape[:-1])

    deals = [np.arange(len(one)) for one in strata]
    return _bootstrap(deals, resampled, seed, batch=max(1, _BATCH // max(map(len, deals))))


def estimate_weighted_sums(
    samples: Sequence[NDArray[np.float64]], weights: NDArray[np.float64], seed: int
) -> list[Estimate]:
    """Estimate weighted sums of the means of samples, by percentile bootstrap.

    Args:
        samples: of at least two numbers each, resampled independently of each other.
        weights: float64 [sums, samples].
    """

    def sums(*drawn: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        added: NDArray[np.float64] = weights @ np.stack([one.mean(axis=axis) for one in drawn])
        return added

    return _bootstrap(samples, sums, seed)


def estimate_small_mean(sample: NDArray[np.float64]) -> Estimate:
    """Estimate a mean from a few numbers, at least two, with the interval of Student (1908).

    The bootstrap's intervals are too narrow below some twenty numbers.
    """
    mean, error = float(sample.mean()), float(sample.std(ddof=1)) / np.sqrt(len(sample))
    half = float(student.ppf((1 + _CONFIDENCE) / 2, len(sample) - 1)) * error
    return Estimate(mean, mean - half, mean + half)


def _bootstrap(
    samples: Sequence[NDArray[Any]],
    statistic: Callable[..., NDArray[np.float64]],
    seed: int,
    batch: int | None = None,
) -> list[Estimate]:
    found = bootstrap(
        samples,
        statistic,
        n_resamples=_RESAMPLES,
        batch=batch,
        vectorized=True,
        confidence_level=_CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    estimates = np.stack([statistic(*samples, axis=-1), found.low, found.high], axis=1)
    return [Estimate(*numbers) for numbers in estimates.tolist()]


def _times_drawn(drawn: NDArray[np.int64], deals: int) -> NDArray[np.float64]:
    """Count how often each deal was drawn: float64 [..., deals], from int64 [..., draws]."""
    rows = drawn.size // drawn.shape[-1]
    offsets = np.arange(rows).reshape(*drawn.shape[:-1], 1) * deals
    counted = np.bincount((drawn + offsets).ravel(), minlength=rows * deals)
    return counted.reshape(*drawn.shape[:-1], deals).astype(np.float64)


class Ranks(NamedTuple):
    """The ranks of seats in some games, each int64 [..., seats]."""

    doubled: NDArray[np.int64]
    """Twice the rank; 1 is the best, and equal seats share the mean of their ranks."""
    shares: NDArray[np.int64]
    """Shares of the win, see SHARES."""


def rank_seats(scores: NDArray[np.int32]) -> Ranks:
    """Rank the seats of games by their scores, int32 [..., seats]."""
    mine, others = scores[..., :, np.newaxis], scores[..., np.newaxis, :]
    doubled = 2 * (others > mine).sum(axis=-1) + (others == mine).sum(axis=-1) + 1
    first = scores == scores.max(axis=-1, keepdims=True)
    return Ranks(doubled, first * SHARES // first.sum(axis=-1, keepdims=True))
