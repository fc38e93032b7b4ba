"""Ratings of agents, from their places in games of several players."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wizard_env.evaluation.duplicate import arrange
from wizard_env.evaluation.league_file import Matchup, Member
from wizard_env.evaluation.statistics import SHARES, places
from wizard_env.extras import extra

with extra("train"):
    from openskill.models import PlackettLuce, PlackettLuceRating

ORDER_SEED = 0
"""The seed for the order in which games are rated."""
NORMAL = 1.96
"""Half the width of a normal distribution's 95% interval, in standard deviations."""


@dataclass(frozen=True)
class Rating:
    """The strength of an agent by the Plackett-Luce model; every agent starts at 25."""

    name: str
    fingerprint: str
    mu: float
    """The estimated strength."""
    sigma: float
    """Its standard deviation."""
    low: float
    """The lower end of the 95% interval, 1.96 standard deviations below `mu`."""
    high: float
    """The upper end."""
    win_share: float
    """Wins per game; a shared first place counts as a part of a win."""
    rank: float
    """Mean place; 1 is the best."""
    games: int


def rate(scores: Sequence[tuple[Matchup, NDArray[np.int32]]]) -> list[Rating]:
    """Rate agents with openskill's PlackettLuce (Weng and Lin, A Bayesian Approximation Method
    for Online Ranking, JMLR 12, 2011).

    The method rates one game at a time, so the order of the games matters a little. They are sorted by
    rules, agents, deals and arrangements and then shuffled, always in the same way. Agents do not get better
    or worse along the way (tau is 0).

    Args:
        scores: for each table int32 [deals, arrangements, seats].

    Returns:
        The ratings, the best first.
    """
    model = PlackettLuce(tau=0.0)
    games = [game for table, found in sorted(scores, key=_order) for game in _games(table, found)]
    everyone = sorted({member for table, _ in scores for member in table.members})
    ratings = {member: model.rating() for member in everyone}
    totals = {member: np.zeros(3, np.int64) for member in everyone}
    for number in np.random.default_rng(ORDER_SEED).permutation(len(games)):
        members, doubled_ranks, shares = games[number]
        teams = model.rate([[ratings[member]] for member in members], ranks=doubled_ranks)
        for member, (rating,), *numbers in zip(members, teams, doubled_ranks, shares, strict=True):
            ratings[member] = rating
            totals[member] += (*numbers, 1)
    rated = [_rating(member, ratings[member], *map(int, totals[member])) for member in everyone]
    return sorted(rated, key=lambda rating: -rating.mu)


def _order(scores: tuple[Matchup, NDArray[np.int32]]) -> tuple[int, tuple[Member, ...]]:
    table, _ = scores
    return table.rules.num_players, table.members


def _games(
    table: Matchup, scores: NDArray[np.int32]
) -> Iterator[tuple[list[Member], list[float], list[int]]]:
    """Every game of a table: its agents, and by seat twice the rank and the part of the first place."""
    doubled, shares = places(scores)
    for number, seats in enumerate(arrange(len(table.members), len(table.members))):
        members = [table.members[member] for member in seats]
        for ranks, parts in zip(doubled[:, number].tolist(), shares[:, number].tolist(), strict=True):
            yield members, ranks, parts


def _rating(member: Member, rating: PlackettLuceRating, ranks: int, shares: int, games: int) -> Rating:
    return Rating(
        name=member.name,
        fingerprint=member.fingerprint,
        mu=rating.mu,
        sigma=rating.sigma,
        low=rating.mu - NORMAL * rating.sigma,
        high=rating.mu + NORMAL * rating.sigma,
        win_share=shares / SHARES / games,
        rank=ranks / 2 / games,
        games=games,
    )
