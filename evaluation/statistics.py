"""Statistics of agents that played the same deals: means with intervals.

Whatever is averaged is first added up for each deal, in whole numbers. Such sums are exact, so agents that
play alike tie exactly, and no figure depends on the order of adding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.evaluation.duplicate_deals import Results, arrange
from wizard_env.extras import extra

with extra("train"):
    from scipy.stats import bootstrap

_CONFIDENCE = 0.95
_RESAMPLES = 2_000
_BATCH = 2**20
"""The most drawn deals to hold in memory at a time."""
SHARES = 60
"""Shares of a win; 1 to 6 seats may have won together, and each gets a whole number of shares."""


@dataclass(frozen=True)
class Standing:
    """The results of one name. `_low` and `_high` are 95% intervals, by bootstrap over deals."""

    name: str
    points: float
    """Mean points per game."""
    points_low: float
    points_high: float
    win_share: float
    """Wins per game; a shared first place counts as part of a win."""
    win_share_low: float
    win_share_high: float
    rank: float
    """Mean rank; 1 is the best. Seats with equal points share the mean of their ranks."""
    rank_low: float
    rank_high: float
    bid_accuracy: float
    """Share of bids met exactly."""
    bid_accuracy_low: float
    bid_accuracy_high: float
    bid_bias: float
    """Mean of bid minus tricks won: above 0 for an agent that bids too high."""
    bid_bias_low: float
    bid_bias_high: float
    bid_error: float
    """Mean distance between bid and tricks won."""
    bid_error_low: float
    bid_error_high: float
    games: int
    """Games, counted once for each seat that the name had."""


@dataclass(frozen=True)
class Difference:
    """The lead of one name over another that played the same hands."""

    name: str
    other: str
    points: float
    """Mean points per game of `name` minus those of `other`."""
    points_low: float
    points_high: float


@dataclass(frozen=True)
class Bidding:
    """The rounds of one name at one hand size or position; the figures of Standing, but per round."""

    name: str
    group: int
    """The hand size, or the position in the bidding: 1 for the first bidder."""
    points: float
    """Mean points per round."""
    points_low: float
    points_high: float
    bid_accuracy: float
    bid_accuracy_low: float
    bid_accuracy_high: float
    bid_bias: float
    bid_bias_low: float
    bid_bias_high: float
    bid_error: float
    bid_error_low: float
    bid_error_high: float
    bids: int
    """Bids that the means are over."""


class Summary(NamedTuple):
    """The result of `summarize`."""

    standings: list[Standing]
    differences: list[Difference]
    """One for each pair of names, in the order in which the names were given."""
    by_hand_size: list[Bidding]
    by_position: list[Bidding]


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

    Args:
        strata: of at least 2 deals each, for example one for each table size.
        seed: of the bootstrap.
    """
    sums = [totals.sums.astype(np.float64) for totals in strata]
    counts = np.sum([len(totals.sums) * totals.counts for totals in strata], axis=0)

    def means(*drawn: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        """Return [quantities, resamples], given the deals drawn in each stratum, [resamples, deals]."""
        added = [_times_drawn(deals, len(one)) @ one for deals, one in zip(drawn, sums, strict=True)]
        ratios: NDArray[np.float64] = (np.sum(added, axis=0) / counts).T
        return ratios

    deals = [np.arange(len(totals.sums)) for totals in strata]
    return _bootstrap(deals, means, seed, batch=max(1, _BATCH // max(map(len, deals))))


def estimate_weighted_sums(
    samples: Sequence[NDArray[np.float64]], weights: NDArray[np.float64], seed: int
) -> list[Estimate]:
    """Estimate weighted sums of the means of samples, by percentile bootstrap.

    Args:
        samples: of at least two numbers each, resampled independently of each other.
        weights: float64 [sums, samples].
        seed: of the bootstrap.
    """

    def sums(*drawn: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        """Return [sums, resamples]."""
        added: NDArray[np.float64] = weights @ np.stack([one.mean(axis=axis) for one in drawn])
        return added

    return _bootstrap(samples, sums, seed)


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
    """The part of the win, in SHARES."""


def rank_seats(scores: NDArray[np.int32]) -> Ranks:
    """Rank the seats of games by their scores, int32 [..., seats]."""
    mine, others = scores[..., :, np.newaxis], scores[..., np.newaxis, :]
    doubled = 2 * (others > mine).sum(axis=-1) + (others == mine).sum(axis=-1) + 1
    first = scores == scores.max(axis=-1, keepdims=True)
    return Ranks(doubled, first * SHARES // first.sum(axis=-1, keepdims=True))


_Figures: TypeAlias = dict[str, tuple[NDArray[np.int64], int]]
"""For each figure its sum over each deal, int64 [deals], and how many a deal has."""


class _Line(NamedTuple):
    """The ingredients of one Standing, Difference or Bidding."""

    kind: type[Standing] | type[Difference] | type[Bidding]
    about: dict[str, str | int]
    figures: _Figures


def summarize(results: Results, names: Sequence[str], rules: Rules, seed: int) -> Summary:
    """Work out the standings of the entrants, their differences and their bids.

    Args:
        results: of the entrants' games.
        names: of the entrants, in their order.
        rules: of the games.
        seed: of the bootstrap.
    """
    entrants = {name: [i for i, one in enumerate(names) if one == name] for name in names}
    seating = arrange(len(names), rules.num_players)
    ranks = rank_seats(results.scores)
    sizes = sorted(set(rules.rounds))
    of_size = np.equal.outer(rules.rounds, sizes)
    standings, by_size, by_position = [], [], []
    for name, members in entrants.items():
        rounds = _add_entrants(results, members)
        seats = len(members) * rules.num_players
        taken = np.isin(seating, members)
        standings.append(
            _Line(
                Standing,
                {"name": name, "games": seats * len(results.scores)},
                _add_rounds(rounds, seats * len(rules.rounds))
                | {
                    "points": (rounds["points"].sum(axis=(0, 2)), seats),
                    "win_share": ((ranks.shares * taken).sum(axis=(1, 2)), seats * SHARES),
                    "rank": ((ranks.doubled * taken).sum(axis=(1, 2)), seats * 2),
                },
            )
        )
        for size, chosen in zip(sizes, of_size.T, strict=True):
            those = {figure: sums[:, :, chosen] for figure, sums in rounds.items()}
            figures = _add_rounds(those, seats * int(chosen.sum()))
            by_size.append(_bidding(name, size, figures, len(results.scores)))
        for position in range(rules.num_players):
            those = {figure: sums * (results.position == position) for figure, sums in rounds.items()}
            figures = _add_rounds(those, len(members) * len(rules.rounds))
            by_position.append(_bidding(name, position + 1, figures, len(results.scores)))
    groups = (standings, _differences(standings), by_size, by_position)
    built = iter(_estimate([line for group in groups for line in group], seed))
    return Summary(*([next(built) for _ in group] for group in groups))


def _add_entrants(results: Results, members: list[int]) -> dict[str, NDArray[np.int64]]:
    """Add up the figures of rounds over the entrants of a name: each int64 [seats, deals, rounds]."""
    missed = results.bids[members].astype(np.int64) - results.tricks_won[members]
    parts = {
        "points": results.points[members],
        "bid_accuracy": missed == 0,
        "bid_bias": missed,
        "bid_error": abs(missed),
    }
    return {figure: part.sum(axis=0, dtype=np.int64) for figure, part in parts.items()}


def _add_rounds(rounds: dict[str, NDArray[np.int64]], count: int) -> _Figures:
    """Add up the figures of `count` rounds per deal, each int64 [seats, deals, rounds]."""
    return {figure: (sums.sum(axis=(0, 2)), count) for figure, sums in rounds.items()}


def _bidding(name: str, group: int, figures: _Figures, deals: int) -> _Line:
    _, bids = figures["points"]
    return _Line(Bidding, {"name": name, "group": group, "bids": bids * deals}, figures)


def _differences(standings: list[_Line]) -> list[_Line]:
    lines = []
    for mine, theirs in combinations(standings, 2):
        (points, games), (their_points, their_games) = mine.figures["points"], theirs.figures["points"]
        difference = points * their_games - their_points * games
        about = {"name": mine.about["name"], "other": theirs.about["name"]}
        lines.append(_Line(Difference, about, {"points": (difference, games * their_games)}))
    return lines


def _estimate(lines: list[_Line], seed: int) -> list[Any]:
    """Make the Standing, Difference or Bidding of every line, all from one bootstrap."""
    columns = [column for line in lines for column in line.figures.values()]
    sums = np.stack([sums for sums, _ in columns], axis=1)
    counts = np.array([count for _, count in columns])
    estimates = iter(estimate_means([Totals(sums, counts)], seed))
    built = []
    for line in lines:
        numbers: dict[str, float] = {}
        for figure in line.figures:
            mean, low, high = next(estimates)
            numbers |= {figure: mean, f"{figure}_low": low, f"{figure}_high": high}
        built.append(line.kind(**line.about, **numbers))  # type: ignore[arg-type]
    return built
