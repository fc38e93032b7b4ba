"""Statistics of agents that played the same deals: means with intervals.

Everything that is averaged is first added up for each deal, in whole numbers. Such sums are exact, so agents
that play alike tie exactly, and no figure depends on the order of adding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.evaluation.duplicate import Played, arrange
from wizard_env.extras import extra

with extra("train"):
    from scipy.stats import bootstrap

CONFIDENCE = 0.95
RESAMPLES = 2_000
BATCH = 2**20
"""The most drawn deals to hold in memory at a time."""
SHARES = 60
"""Parts of a first place; 1 to 6 seats may share it, and each gets a whole number of parts."""


@dataclass(frozen=True)
class Standing:
    """What one name has achieved. `_low` and `_high` are 95% intervals, by bootstrap over deals."""

    name: str
    points: float
    """Mean points per game."""
    points_low: float
    points_high: float
    win_share: float
    """Wins per game; a shared first place counts as a part of a win."""
    win_share_low: float
    win_share_high: float
    rank: float
    """Mean place; 1 is the best. Seats with equal points share the mean of their places."""
    rank_low: float
    rank_high: float
    bid_accuracy: float
    """Share of bids met exactly."""
    bid_accuracy_low: float
    bid_accuracy_high: float
    bid_bias: float
    """Mean of bid less tricks won: above 0 for an agent that bids too high."""
    bid_bias_low: float
    bid_bias_high: float
    bid_error: float
    """Mean distance between bid and tricks won."""
    bid_error_low: float
    bid_error_high: float
    games: int
    """How many games, counted once for each seat that the name had."""


@dataclass(frozen=True)
class Difference:
    """How much more one name scores than another that has played the same hands."""

    name: str
    other: str
    points: float
    """Mean points per game of `name` minus those of `other`."""
    points_low: float
    points_high: float


@dataclass(frozen=True)
class Bidding:
    """Some of the rounds of one name; the figures of Standing, but per round."""

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
    """How many bids the means are over."""


class Summary(NamedTuple):
    """The result of `summarize`."""

    standings: list[Standing]
    differences: list[Difference]
    """A line for each pair of names, in the order in which the names were given."""
    by_hand_size: list[Bidding]
    by_position: list[Bidding]


class Totals(NamedTuple):
    """Some quantities, added up over each deal, and how many things each sum is over; whole numbers."""

    sums: NDArray[np.int64]
    """[deals, quantities]"""
    counts: NDArray[np.int64]
    """[quantities], the same on every deal"""


class Estimates(NamedTuple):
    """Means with their intervals, each float64 [quantities]."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def estimate_means(strata: Sequence[Totals], seed: int) -> Estimates:
    """The mean of each quantity, with its 95% interval by percentile bootstrap over deals (Efron 1979).

    Deals are resampled within each stratum, with all their quantities together; so quantities that are equal
    on every deal have equal intervals.

    Args:
        strata: of at least 2 deals each, for example one for each table size.
        seed: of the bootstrap.
    """
    tables = [totals.sums.astype(np.float64) for totals in strata]
    counts = np.sum([len(totals.sums) * totals.counts for totals in strata], axis=0)

    def means(*drawn: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        """[quantities, resamples], given the deals drawn in each stratum, [resamples, deals]."""
        sums = [_times_drawn(deals, len(table)) @ table for deals, table in zip(drawn, tables, strict=True)]
        ratios: NDArray[np.float64] = (np.sum(sums, axis=0) / counts).T
        return ratios

    deals = tuple(np.arange(len(totals.sums)) for totals in strata)
    found = bootstrap(
        deals,
        means,
        n_resamples=RESAMPLES,
        batch=max(1, BATCH // max(map(len, deals))),
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Estimates(means(*deals, axis=-1), found.low, found.high)


def _times_drawn(drawn: NDArray[np.int64], deals: int) -> NDArray[np.float64]:
    """float64 [..., deals]: how often each deal was drawn, from int64 [..., draws]."""
    rows = drawn.size // drawn.shape[-1]
    offsets = np.arange(rows).reshape(*drawn.shape[:-1], 1) * deals
    counted = np.bincount((drawn + offsets).ravel(), minlength=rows * deals)
    return counted.reshape(*drawn.shape[:-1], deals).astype(np.float64)


def places(scores: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places that seats take in some games.

    Args:
        scores: int32 [..., seats].

    Returns:
        int64 [..., seats], twice the seat's place, where 1 is the best and equal seats share the mean of
        their places; and int64 [..., seats], its part of the first place, in SHARES.
    """
    mine, others = scores[..., :, np.newaxis], scores[..., np.newaxis, :]
    doubled = 2 * (others > mine).sum(axis=-1) + (others == mine).sum(axis=-1) + 1
    first = scores == scores.max(axis=-1, keepdims=True)
    return doubled, first * SHARES // first.sum(axis=-1, keepdims=True)


Figures: TypeAlias = dict[str, tuple[NDArray[np.int64], int]]
"""For each figure its sum over each deal, int64 [deals], and how many things per deal that is over."""


class _Line(NamedTuple):
    """What one Standing, Difference or Bidding is made of."""

    kind: type[Standing] | type[Difference] | type[Bidding]
    about: dict[str, str | int]
    figures: Figures


def summarize(played: Played, names: Sequence[str], rules: Rules, seed: int) -> Summary:
    """The standings of the entrants and how they bid.

    Args:
        played: what was played.
        names: of the entrants, in their order.
        rules: of the games.
        seed: of the bootstrap.
    """
    entrants = {name: [i for i, one in enumerate(names) if one == name] for name in names}
    seating = arrange(len(names), rules.num_players)
    doubled_rank, shares = places(played.scores)
    sizes = sorted(set(rules.rounds))
    of_size = np.equal.outer(rules.rounds, sizes)
    standings, by_size, by_position = [], [], []
    for name, members in entrants.items():
        rounds = _add_entrants(played, members)
        tables = len(members) * rules.num_players
        taken = np.isin(seating, members)
        standings.append(
            _Line(
                Standing,
                {"name": name, "games": tables * len(played.scores)},
                _add_rounds(rounds, tables * len(rules.rounds))
                | {
                    "points": (rounds["points"].sum(axis=(0, 2)), tables),
                    "win_share": ((shares * taken).sum(axis=(1, 2)), tables * SHARES),
                    "rank": ((doubled_rank * taken).sum(axis=(1, 2)), tables * 2),
                },
            )
        )
        for size, chosen in zip(sizes, of_size.T, strict=True):
            those = {figure: sums[:, :, chosen] for figure, sums in rounds.items()}
            figures = _add_rounds(those, tables * int(chosen.sum()))
            by_size.append(_bidding(name, size, figures, len(played.scores)))
        for position in range(rules.num_players):
            those = {figure: sums * (played.position == position) for figure, sums in rounds.items()}
            figures = _add_rounds(those, len(members) * len(rules.rounds))
            by_position.append(_bidding(name, position + 1, figures, len(played.scores)))
    groups = (standings, _differences(standings), by_size, by_position)
    built = iter(_estimate([line for group in groups for line in group], seed))
    return Summary(*([next(built) for _ in group] for group in groups))


def _add_entrants(played: Played, members: list[int]) -> dict[str, NDArray[np.int64]]:
    """The figures of rounds, added up over the entrants of a name; each is int64 [seats, deals, rounds]."""
    missed = played.bids[members].astype(np.int64) - played.tricks_won[members]
    parts = {
        "points": played.points[members],
        "bid_accuracy": missed == 0,
        "bid_bias": missed,
        "bid_error": abs(missed),
    }
    return {figure: part.sum(axis=0, dtype=np.int64) for figure, part in parts.items()}


def _add_rounds(rounds: dict[str, NDArray[np.int64]], count: int) -> Figures:
    """The figures of `count` rounds per deal, from int64 [seats, deals, rounds]."""
    return {figure: (sums.sum(axis=(0, 2)), count) for figure, sums in rounds.items()}


def _bidding(name: str, group: int, figures: Figures, deals: int) -> _Line:
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
    """The Standing, Difference or Bidding of every line, all from one bootstrap."""
    columns = [column for line in lines for column in line.figures.values()]
    sums = np.stack([sums for sums, _ in columns], axis=1)
    counts = np.array([count for _, count in columns])
    estimates = zip(*estimate_means([Totals(sums, counts)], seed), strict=True)
    built = []
    for line in lines:
        numbers: dict[str, float] = {}
        for figure in line.figures:
            found = map(float, next(estimates))
            numbers |= dict(zip((figure, f"{figure}_low", f"{figure}_high"), found, strict=True))
        built.append(line.kind(**line.about, **numbers))  # type: ignore[arg-type]
    return built
