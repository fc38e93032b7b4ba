"""Ratings of agents, from their ranks in games of several players."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wizard_env.evaluation.duplicate_deals import arrange
from wizard_env.evaluation.league_file import Member, TableScores
from wizard_env.evaluation.statistics import SHARES, rank_seats
from wizard_env.extras import extra

with extra("train"):
    from openskill.models import PlackettLuce, PlackettLuceRating

_ORDER_SEED = 0
"""The seed for the order in which games are rated."""
_HALF_WIDTH = 1.96
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
    """The 95% interval ends 1.96 standard deviations from `mu`."""
    high: float
    win_share: float
    """Wins per game; a shared first place counts as part of a win."""
    rank: float
    """Mean rank; 1 is the best."""
    games: int


class _Game(NamedTuple):
    """A game to rate, by seat."""

    members: list[Member]
    doubled_ranks: list[float]
    shares: list[int]


def rate(tables: Sequence[TableScores]) -> list[Rating]:
    """Rate agents with openskill's PlackettLuce; the best come first.

    The method (Weng and Lin, A Bayesian Approximation Method for Online Ranking, JMLR 12, 2011) rates one
    game at a time, so the order of the games matters a little. They are sorted by rules, agents, deals and
    arrangements and then shuffled, always in the same way. Agents do not improve along the way (tau is 0).
    """
    model = PlackettLuce(tau=0.0)
    ordered = sorted(tables, key=lambda one: (one.table.rules.num_players, one.table.members))
    games = [game for scored in ordered for game in _games_of(scored)]
    everyone = sorted({member for scored in tables for member in scored.table.members})
    ratings = {member: model.rating() for member in everyone}
    totals = {member: np.zeros(3, np.int64) for member in everyone}
    for number in np.random.default_rng(_ORDER_SEED).permutation(len(games)):
        game = games[number]
        teams = model.rate([[ratings[member]] for member in game.members], ranks=game.doubled_ranks)
        lines = zip(game.members, teams, game.doubled_ranks, game.shares, strict=True)
        for member, (rating,), *numbers in lines:
            ratings[member] = rating
            totals[member] += (*numbers, 1)
    rated = [_make_rating(member, ratings[member], *map(int, totals[member])) for member in everyone]
    return sorted(rated, key=lambda rating: -rating.mu)


def _games_of(scored: TableScores) -> Iterator[_Game]:
    """Yield the games of a table, arrangement by arrangement."""
    everyone, ranks = scored.table.members, rank_seats(scored.scores)
    for number, seats in enumerate(arrange(len(everyone), len(everyone))):
        members = [everyone[member] for member in seats]
        lines = zip(ranks.doubled[:, number].tolist(), ranks.shares[:, number].tolist(), strict=True)
        yield from (_Game(members, doubled, shares) for doubled, shares in lines)


def _make_rating(member: Member, rating: PlackettLuceRating, ranks: int, shares: int, games: int) -> Rating:
    return Rating(
        name=member.name,
        fingerprint=member.fingerprint,
        mu=rating.mu,
        sigma=rating.sigma,
        low=rating.mu - _HALF_WIDTH * rating.sigma,
        high=rating.mu + _HALF_WIDTH * rating.sigma,
        win_share=shares / SHARES / games,
        rank=ranks / 2 / games,
        games=games,
    )
