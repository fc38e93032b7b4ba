"""Ratings of agents, from their ranks in games of several players."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.evaluation.duplicate_deals import arrange
from wizard_env.evaluation.league_file import TableScores
from wizard_env.evaluation.statistics import SHARES, estimate_from_sums, rank_seats

SCALE = 400 / np.log(10)
"""Elo's scale: of two agents 400 apart, one finishes ahead of the other ten times as often."""
PRIOR = 5.0
"""The standard deviation of the prior of a strength, in natural logarithms of odds. It is wide, and only
keeps the strength of an agent that always wins, or never, from growing without end."""
_STEPS = 100
_PRECISE = 1e-9
"""A fit has settled when no strength changes by more than this, in natural logarithms of odds."""


@dataclass(frozen=True)
class Rating:
    """The strength of an agent by the Plackett-Luce model; the mean of the league is 0."""

    name: str
    fingerprint: str
    rating: float
    """On the scale of Elo, see `SCALE`."""
    low: float
    """The 95% interval, by bootstrap over deals."""
    high: float
    best_place: int
    """1 + the number of agents that are better beyond doubt: the interval of the difference excludes 0."""
    worst_place: int
    """The number of agents that are not worse beyond doubt."""
    equals: tuple[str, ...]
    """The agents that it cannot be told apart from."""
    win_share: float
    """Wins per game; a shared first place counts as part of a win."""
    rank: float
    """Mean rank; 1 is the best."""
    games: int


def rate(tables: Sequence[TableScores], seed: int) -> list[Rating]:
    """Rate agents by the Plackett-Luce model (Plackett 1975), fitted to all games; the best come first.

    A ranking is a row of choices: the first of all seats, the second of the others, and so on; each seat is
    chosen in proportion to the exponential of its strength. Seats that tie are each chosen from all of them
    and those behind (Breslow 1974). Deals are resampled for the intervals, with the games of all tables on
    them. Two agents can be told apart if the interval of their difference does not include 0.

    seed: of the bootstrap.
    """
    everyone = sorted({member for scored in tables for member in scored.table.members})
    index = {member: number for number, member in enumerate(everyone)}
    games, ranks, shares = (np.zeros(len(everyone), np.int64) for _ in range(3))
    columns: dict[frozenset[int], int] = {}
    counted: list[tuple[Rules, list[int], NDArray[np.int64]]] = []
    for table, scores in sorted(tables, key=lambda one: (one.table.rules.num_players, one.table.members)):
        members = np.array([index[member] for member in table.members])
        seating, ranked = arrange(len(members), len(members)), rank_seats(scores)
        for totals, numbers in ((ranks, ranked.doubled), (shares, ranked.shares)):
            np.add.at(totals, members[seating], numbers.sum(axis=0))
        games[members] += len(scores) * len(members)
        choices = _count_choices(ranked.doubled, seating)
        sets = [
            frozenset(members[_bits(code, len(members))].tolist()) for code in range(1, 2 ** len(members))
        ]
        counted.append((table.rules, [columns.setdefault(one, len(columns)) for one in sets], choices))
    strata = {rules: np.zeros((len(choices), len(columns)), np.int64) for rules, _, choices in counted}
    for rules, places, choices in counted:
        strata[rules][:, places] += choices
    includes = np.array([[number in one for number in range(len(everyone))] for one in columns], np.float64)
    pairs = np.array(list(combinations(range(len(everyone)), 2)), np.int64).reshape(-1, 2)

    def quantities(choices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the strengths, then the differences of all pairs: float64 [resamples, quantities]."""
        strengths = SCALE * _fit(games, choices, includes)
        return np.hstack([strengths, strengths[:, pairs[:, 0]] - strengths[:, pairs[:, 1]]])

    estimates = estimate_from_sums(list(strata.values()), quantities, seed)
    better = np.zeros((len(everyone), len(everyone)), np.int64)
    for (one, other), difference in zip(pairs, estimates[len(everyone) :], strict=True):
        better[one, other], better[other, one] = difference.low > 0, difference.high < 0
    ratings = [
        Rating(
            *member,
            *estimates[number],
            best_place=1 + int(better[:, number].sum()),
            worst_place=len(everyone) - int(better[number].sum()),
            equals=tuple(
                other.name
                for other, one in index.items()
                if one != number and not better[number, one] + better[one, number]
            ),
            win_share=int(shares[number]) / SHARES / int(games[number]),
            rank=int(ranks[number]) / 2 / int(games[number]),
            games=int(games[number]),
        )
        for member, number in index.items()
    ]
    return sorted(ratings, key=lambda rating: -rating.rating)


def _bits(code: int, size: int) -> NDArray[np.bool_]:
    """Return the members that a code stands for: bool [size]."""
    return (code >> np.arange(size)) & 1 > 0


def _count_choices(ranks: NDArray[np.int64], seating: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count how often a table's members were chosen from each set of them: int64 [deals, sets].

    Sets are in the order of their codes, from 1; bit m of a code stands for member m.

    Args:
        ranks: [deals, arrangements, seats]
        seating: [arrangements, seats], the member in each seat.
    """
    size = ranks.shape[-1]
    behind = ranks[..., np.newaxis, :] >= ranks[..., np.newaxis]
    codes = (behind << seating[:, np.newaxis]).sum(axis=-1).reshape(len(ranks), -1)
    rows = np.arange(len(ranks))[:, np.newaxis] << size
    return np.bincount((codes + rows).ravel(), minlength=len(ranks) << size).reshape(len(ranks), -1)[:, 1:]


def _fit(
    chosen: NDArray[np.int64], choices: NDArray[np.float64], includes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the strengths of highest posterior density, by Newton's method: float64 [resamples, agents].

    Args:
        chosen: [agents], how often each agent was chosen.
        choices: [resamples, sets], how often any was chosen from each set.
        includes: [sets, agents], 1 for the agents in each set.
    """
    agents = len(chosen)
    pairs = (includes[:, :, np.newaxis] * includes[:, np.newaxis]).reshape(len(includes), -1)
    strengths = np.zeros((len(choices), agents))
    for _ in range(_STEPS):
        weights = np.exp(strengths)
        totals = weights @ includes.T
        expected = weights * (choices / totals @ includes)
        together = (choices / totals**2 @ pairs).reshape(-1, agents, agents)
        information = -together * weights[:, :, np.newaxis] * weights[:, np.newaxis]
        information[:, range(agents), range(agents)] += expected + PRIOR**-2
        step = np.linalg.solve(information, (chosen - expected - strengths / PRIOR**2)[..., np.newaxis])[
            ..., 0
        ]
        strengths += step / np.maximum(1, abs(step).max(axis=1, keepdims=True))  # far steps may overshoot
        if abs(step).max() < _PRECISE:
            return strengths
    raise ArithmeticError(f"the ratings did not settle in {_STEPS} steps")
