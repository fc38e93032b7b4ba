"""Statistics over seeds: groups of runs that differ by their seeds, on the same deals.

A result depends on two samples: the seeds of the runs and the deals. Each is resampled by itself, seeds
within each group as Agarwal et al. (Deep Reinforcement Learning at the Edge of the Statistical Precipice,
NeurIPS 2021) do, deals for all groups together, since all play the same ones. The variances add up (Owen, The
Pigeonhole Bootstrap, 2007), and the interval is Student's, with the degrees of freedom of Satterthwaite
(1946): percentiles of five seeds alone would be far too narrow.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.checks import check_integer, quoted
from wizard_env.evaluation.duplicate_deals import (
    Deals,
    Player,
    fingerprints_of,
    leads_of_first,
    load_players,
    play,
)
from wizard_env.evaluation.statistics import Estimate, estimate_small_mean
from wizard_env.evaluation.workers import Map, in_this_process
from wizard_env.extras import extra
from wizard_env.games import LARGEST_SEED, game_seeds
from wizard_env.loading import place_of

with extra("train"):
    from scipy.optimize import brentq
    from scipy.stats import t as student
    from scipy.stats import trim_mean

_RESAMPLES = 2_000
_CONFIDENCE = 0.975
_QUANTILE = 1.96
_TINY = 1e-9
_TOGETHER = 200
"""The most deals of a task; each is a whole game in every seat."""
_POINTS = 200
"""The most points of a curve."""
_SEED = re.compile(r"seed[-_]?\d+")

Statistic = Callable[[Sequence[NDArray[np.float64]]], NDArray[np.float64]]
"""Takes a float64 [resamples, seeds, opponents] of each group; returns float64 [resamples, quantities]."""


class Group(NamedTuple):
    """Runs that differ by their seeds alone, or one agent that has no seed."""

    name: str
    runs: tuple[str, ...]
    """The runs or agents, by the names that `load` accepts."""


@dataclass(frozen=True)
class GroupScore:
    """The lead of a group's runs, each alone among copies of an opponent, in points per game."""

    name: str
    opponent: str
    """Empty for all opponents together."""
    seeds: int
    mean: float
    mean_low: float
    mean_high: float
    iqm: float
    """The interquartile mean: of the middle half of all seeds and opponents."""
    iqm_low: float
    iqm_high: float


@dataclass(frozen=True)
class Improvement:
    """The probability that a run of one group leads by more than a run of the other."""

    name: str
    other: str
    probability: float
    """The mean over the opponents; a tie counts half."""
    low: float
    high: float


@dataclass(frozen=True)
class RunScore:
    """The lead of one run over one opponent, in points per game."""

    name: str
    """Of its group."""
    run: str
    opponent: str
    lead: float


@dataclass(frozen=True)
class SeedScores:
    """The outcome of `compare_groups`."""

    rules: Rules
    games: int
    """Deals of a whole game."""
    seed: int
    scores: list[GroupScore]
    """For each group, one for each opponent and one for all of them, if there are several."""
    improvements: list[Improvement]
    """One for each ordered pair of groups."""
    runs: list[RunScore]
    fingerprints: dict[str, str]
    """Of the runs and opponents, see `wizard_env.evaluation.fingerprints`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain values, for JSON."""
        return asdict(self) | {"rules": self.rules.to_dict()}


@dataclass(frozen=True)
class Curve:
    """A metric of a group by the decisions learned from: the mean over its seeds, with a 95% interval."""

    name: str
    metric: str
    seeds: int
    decisions: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]


def group_of(run: str) -> str:
    """Return the name of a run's group: that of its folder without the seed, or of the folder above.

    "runs/quick-seed3" is of "quick", and so is "runs/quick/seed3". An agent that is no folder is a group of
    its own.
    """
    place = place_of(run)
    if place is None or not place.is_dir():
        return run
    names = [name for name in place.parts if not _SEED.fullmatch(name)]
    return re.sub(f"[-_]{_SEED.pattern}$", "", names[-1]) if names else run


def group_runs(runs: Sequence[str], labels: dict[str, str]) -> list[Group]:
    """Group runs by `group_of`, in the order in which the groups first appear.

    labels: other names of groups; groups of the same label are one.

    Raises ValueError for a run that is named twice, and for a group of a single run.
    """
    groups: dict[str, list[str]] = {}
    for run in runs:
        groups.setdefault(labels.get(group_of(run), group_of(run)), []).append(run)
    for name, members in groups.items():
        if len(set(members)) < max(2, len(members)):
            raise ValueError(
                f"group {quoted(name)} has the runs {', '.join(members)}: an interval over seeds needs at "
                "least 2 different ones"
            )
    return [Group(name, tuple(members)) for name, members in groups.items()]


def compare_groups(
    groups: Sequence[Group],
    opponents: Sequence[str],
    rules: Rules,
    games: int,
    seed: int = 0,
    spread: Map = in_this_process,
) -> SeedScores:
    """Measure every run alone among copies of each opponent, in all seats of the same deals.

    Args:
        groups: of at least two runs each; the interval of a group of one agent is over deals alone.
        opponents: at least one, what `load` takes.
        rules: of the games.
        games: the number of deals, at least 2; a deal is a whole game.
        seed: of the deals and of the bootstrap.
        spread: where to play, see `wizard_env.evaluation.workers`.
    """
    against = load_players(opponents)
    players = load_players([run for group in groups for run in group.runs])
    by_run = iter(measure_leads(players, against, rules, games, seed, spread))
    leads = [np.stack([next(by_run) for _ in group.runs]) for group in groups]
    return SeedScores(
        rules=rules,
        games=games,
        seed=seed,
        scores=[
            score
            for group, found in zip(groups, leads, strict=True)
            for score in _score(group, found, opponents, seed)
        ],
        improvements=[
            Improvement(
                groups[one].name, groups[other].name, *estimate_improvement(leads[one], leads[other], seed)
            )
            for one, other in permutations(range(len(groups)), 2)
        ],
        runs=[
            RunScore(group.name, run, opponent, float(lead))
            for group, found in zip(groups, leads, strict=True)
            for run, row in zip(group.runs, found.mean(axis=2), strict=True)
            for opponent, lead in zip(opponents, row, strict=True)
        ],
        fingerprints=fingerprints_of((*players, *against)),
    )


def measure_leads(
    players: Sequence[Player],
    against: Sequence[Player],
    rules: Rules,
    games: int,
    seed: int = 0,
    spread: Map = in_this_process,
) -> NDArray[np.float64]:
    """Measure each player's lead among copies of each opponent, on the same deals, over all seats.

    Returns float64 [players, opponents, deals], in points per game. Arguments and errors as for
    `compare_groups`.
    """
    if games < 2:
        raise ValueError(f"games={games}: at least 2 are needed for an interval")
    seeds = game_seeds(check_integer("seed", seed, 0, LARGEST_SEED), games)
    tasks = [
        Deals((player, *[other] * (rules.num_players - 1)), rules, seeds[start : start + _TOGETHER])
        for player in players
        for other in against
        for start in range(0, games, _TOGETHER)
    ]
    played = np.concatenate([leads_of_first(one.points) for one in spread(play, tasks)])
    return played.reshape(len(players), len(against), games)


def _score(group: Group, leads: NDArray[np.float64], opponents: Sequence[str], seed: int) -> list[GroupScore]:
    columns = [(name, leads[:, [number]]) for number, name in enumerate(opponents)]
    columns += [("", leads)] if len(opponents) > 1 else []
    return [
        GroupScore(group.name, name, len(leads), *mean, *iqm)
        for name, column in columns
        for mean, iqm in [estimate_mean_and_iqm(column, seed)]
    ]


def estimate_mean_and_iqm(leads: NDArray[np.float64], seed: int) -> list[Estimate]:
    """Estimate the mean of a group over its seeds and opponents, and its interquartile mean.

    leads: float64 [seeds, opponents, deals], at least two deals.
    """

    def statistic(groups: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        flat = groups[0].reshape(len(groups[0]), -1)
        return np.stack([flat.mean(axis=1), trim_mean(flat, 0.25, axis=1)], axis=1)

    found = statistic([leads.mean(axis=2)[np.newaxis]])[0]
    variances = _variances([leads], statistic, seed)
    freedom = np.array([max(len(leads) - 1, 1), leads.shape[2] - 1])
    total = variances.sum(axis=0)
    parts = (variances**2 / freedom[:, np.newaxis]).sum(axis=0)
    degrees = np.divide(total**2, parts, out=np.ones_like(total), where=parts > 0)
    half = student.ppf(_CONFIDENCE, degrees) * np.sqrt(total)
    return [Estimate(*numbers) for numbers in np.stack([found, found - half, found + half], axis=1).tolist()]


def estimate_improvement(one: NDArray[np.float64], other: NDArray[np.float64], seed: int) -> Estimate:
    """Estimate the probability that a run of `one` leads by more than a run of `other`.

    It is the mean of Mann and Whitney's statistic over the opponents. The interval is that of Newcombe (2006,
    his method 5), which holds for few seeds and at 0 and 1, with the variance by deals added.

    Args:
        one, other: float64 [seeds, opponents, deals], at least two deals.
    """

    def statistic(groups: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        gaps = groups[0][:, :, np.newaxis] - groups[1][:, np.newaxis]
        shares: NDArray[np.float64] = (gaps > 0).mean(axis=(1, 2, 3)) + (gaps == 0).mean(axis=(1, 2, 3)) / 2
        return shares[:, np.newaxis]

    groups = [one, other]
    found = float(statistic([leads.mean(axis=2)[np.newaxis] for leads in groups])[0, 0])
    by_deals = float(_variances(groups, statistic, seed)[-1, 0])
    count = (len(one) + len(other)) / 2 - 1

    def excess(chance: float) -> float:
        unequal = 1 + count * ((1 - chance) / (2 - chance) + chance / (1 + chance))
        variance = chance * (1 - chance) * unequal / (len(one) * len(other)) + by_deals
        return float(abs(found - chance) - _QUANTILE * np.sqrt(variance))

    # the variance is 0 at 0 and at 1, which would be a root there
    low = brentq(excess, 0.0, found - _TINY) if excess(0.0) > 0 else 0.0
    high = brentq(excess, found + _TINY, 1.0) if excess(1.0) > 0 else 1.0
    return Estimate(found, float(low), float(high))


def _variances(groups: Sequence[NDArray[np.float64]], statistic: Statistic, seed: int) -> NDArray[np.float64]:
    """Return the variances of quantities by the seeds of each group, and by the deals.

    groups: each float64 [seeds, opponents, deals].
    Returns float64 [groups + 1, quantities].
    """
    rng = np.random.default_rng(seed)
    means, deals = [leads.mean(axis=2) for leads in groups], groups[0].shape[2]
    found = []
    for mean in means:
        drawn = rng.integers(len(mean), size=(_RESAMPLES, len(mean)))
        resampled = [one[drawn] if one is mean else one[np.newaxis] for one in means]
        found.append(statistic(resampled).var(axis=0, ddof=1) * len(mean) / max(len(mean) - 1, 1))
    weights = rng.multinomial(deals, np.full(deals, 1 / deals), size=_RESAMPLES) / deals
    resampled = [np.moveaxis(leads @ weights.T, 2, 0) for leads in groups]
    found.append(statistic(resampled).var(axis=0, ddof=1))
    return np.stack(found)


def average_curves(
    name: str, metric: str, curves: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]
) -> Curve:
    """Average a metric over seeds, on the range of decisions that all runs have, with Student's intervals.

    curves: for each of at least two runs its decisions and its values, float64 [points].

    Raises ValueError if the runs have no range in common.
    """
    start, stop = max(each[0][0] for each in curves), min(each[0][-1] for each in curves)
    if start > stop:
        raise ValueError(
            f"the runs of {quoted(name)} have no decisions in common: {start:,.0f} to {stop:,.0f}"
        )
    grid = np.linspace(start, stop, min(_POINTS, max(len(each[0]) for each in curves)))
    values = np.stack([np.interp(grid, *each) for each in curves])
    mean, low, high = np.array([estimate_small_mean(column) for column in values.T]).T.tolist()
    return Curve(name, metric, len(curves), grid.tolist(), mean, low, high)
