"""Standings of agents that played the same deals: their points, ranks and bids, with 95% intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.evaluation.duplicate_deals import Results, arrange
from wizard_env.evaluation.statistics import SHARES, Totals, estimate_means, rank_seats


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


_Figures: TypeAlias = dict[str, tuple[NDArray[np.int64], int]]
"""For each figure its sum over each deal, int64 [deals], and how many a deal has."""


class _Line(NamedTuple):
    """The ingredients of one Standing, Difference or Bidding."""

    kind: type[Standing] | type[Difference] | type[Bidding]
    about: dict[str, str | int]
    figures: _Figures


def summarize(results: Results, names: Sequence[str], rules: Rules, seed: int) -> Summary:
    """Return the standings of the entrants, their differences and their bids. seed: of the bootstrap."""
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
            by_size.append(_make_bidding(name, size, figures, len(results.scores)))
        for position in range(rules.num_players):
            those = {figure: sums * (results.position == position) for figure, sums in rounds.items()}
            figures = _add_rounds(those, len(members) * len(rules.rounds))
            by_position.append(_make_bidding(name, position + 1, figures, len(results.scores)))
    groups = (standings, _compare(standings), by_size, by_position)
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


def _make_bidding(name: str, group: int, figures: _Figures, deals: int) -> _Line:
    _, bids = figures["points"]
    return _Line(Bidding, {"name": name, "group": group, "bids": bids * deals}, figures)


def _compare(standings: list[_Line]) -> list[_Line]:
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
