"""Ratings of agents by the places they take in games of several players."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce, PlackettLuceRating

from wizard_env.train.arena.duplicate import arrange
from wizard_env.train.arena.league_file import Matchup, Member
from wizard_env.train.arena.statistics import SHARES, places

ORDER_SEED = 0
NORMAL = 1.96
"""So many standard deviations to either side hold 95% of a normal distribution."""


@dataclass(frozen=True)
class Rating:
    """How strong an agent is, by the Plackett-Luce model: 25 is what everybody begins with."""

    name: str
    fingerprint: str
    mu: float
    """The estimate."""
    sigma: float
    """Its standard deviation."""
    low: float
    """The 95% interval, 1.96 standard deviations to either side."""
    high: float
    win_share: float
    """Wins per game, a shared first place counting in parts."""
    rank: float
    """Mean place, 1 the best."""
    games: int


def rate(scores: Sequence[tuple[Matchup, NDArray[np.int32]]]) -> list[Rating]:
    """Rate agents with openskill's PlackettLuce (Weng and Lin, A Bayesian Approximation Method
    for Online Ranking, JMLR 12, 2011).

    The method takes one game after the other, so the order matters a little: the games are put in
    the order of their rules, agents, deals and arrangements and then shuffled, the same way each
    time. Agents do not get better or worse meanwhile (tau is 0).

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
    """Every game of a table: who sits there, and by seat twice the rank and the share of the first place."""
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
