"""Cross-play: each of several agents alone among copies of each other, and among copies of itself.

Agents that learned by self-play can agree on conventions that only their copies understand; the difference
between self-play and cross-play shows it (Hu et al., "Other-Play" for Zero-Shot Coordination, ICML 2020).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.checks import check_integer, quoted
from wizard_env.evaluation.duplicate_deals import (
    Deals,
    Entrant,
    Results,
    fingerprints_of,
    load_players,
    play,
)
from wizard_env.evaluation.statistics import Estimate, estimate_from_sums
from wizard_env.evaluation.workers import Map, in_this_process
from wizard_env.games import LARGEST_SEED, game_seeds

_TOGETHER = 200
"""The most deals of a task; each is a whole game in every seat."""
_SELF, _CROSS, _GAP, _HELD_OUT, _GROUPS = "self", "cross", "gap", "held out", "groups"

_Pairs = Sequence[tuple[int, int]]
_Means = dict[tuple[str, ...], NDArray[np.float64]]
"""The weights of cells, by the kind of the mean and the names that it is of."""


@dataclass(frozen=True)
class Cell:
    """The results of one agent alone among copies of another. `_low` and `_high` are 95% intervals."""

    name: str
    among: str
    """The other agent; the same for self-play."""
    points: float
    """Mean points per game."""
    points_low: float
    points_high: float
    bid_accuracy: float
    """Share of bids met exactly."""
    bid_accuracy_low: float
    bid_accuracy_high: float


@dataclass(frozen=True)
class Compatibility:
    """An agent with copies of itself and with others, in points per game; None without such others."""

    name: str
    """Of the agent; empty for the mean of all."""
    self_play: Estimate
    cross_play: Estimate | None
    """The mean among the other agents, those that are held out excepted."""
    difference: Estimate | None
    """Self-play less cross-play."""
    held_out: Estimate | None
    """The mean among the agents that are held out."""


@dataclass(frozen=True)
class GroupCell:
    """The mean of the cells of two groups in points per game; within a group without self-play."""

    name: str
    among: str
    points: float
    points_low: float
    points_high: float


@dataclass(frozen=True)
class Crossplay:
    """The outcome of `cross_play`; intervals are 95% by bootstrap over deals."""

    rules: Rules
    games: int
    """Deals of a whole game."""
    seed: int
    names: list[str]
    held_out: list[str]
    cells: list[Cell]
    """Row by row: each agent among the agents, then among those that are held out."""
    compatibility: list[Compatibility]
    """One for each agent, then one for the mean of all."""
    groups: list[GroupCell]
    """One for each ordered pair of groups, if there is a group of several agents."""
    fingerprints: dict[str, str]
    """Of the agents by name, see `wizard_env.evaluation.fingerprints`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain values, for JSON; an estimate is [mean, low, high]."""
        return asdict(self) | {"rules": self.rules.to_dict()}


def cross_play(
    agents: Sequence[Entrant | str],
    rules: Rules,
    games: int,
    seed: int = 0,
    *,
    held_out: Sequence[Entrant | str] = (),
    groups: Mapping[str, str] | None = None,
    spread: Map = in_this_process,
) -> Crossplay:
    """Play every agent alone among copies of every other and of itself, in all seats of the same deals.

    Self-play is played as `evaluate` plays an agent that is named once for each seat, and equals it.

    Args:
        agents: names or agents, at least one, with different names.
        rules: of the games.
        games: the number of deals, at least 2; a deal is a whole game.
        seed: of the deals and of the bootstrap.
        held_out: agents to meet besides, such as strangers to all runs.
        groups: the group of each agent by name; an agent without is a group of its own.
        spread: where to play, see `wizard_env.evaluation.workers`.
    """
    players = load_players([*agents, *held_out])
    columns = [player.name for player in players]
    names = columns[: len(agents)]
    if not names:
        raise ValueError("no agents: at least one is needed")
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise ValueError(f"{quoted(twice)} is named twice: the agents of cross-play must all be different")
    if games < 2:
        raise ValueError(f"games={games}: at least 2 are needed for an interval")
    seeds = game_seeds(check_integer("seed", seed, 0, LARGEST_SEED), games)
    tasks = [
        Deals((row, *[column] * (rules.num_players - 1)), rules, seeds[start : start + _TOGETHER])
        for row in players[: len(names)]
        for column in players
        for start in range(0, games, _TOGETHER)
    ]
    played = iter(spread(play, tasks))
    parts = -(-games // _TOGETHER)
    pairs = [(row, column) for row in range(len(names)) for column in range(len(columns))]
    sums = [_sums(Results.join([next(played) for _ in range(parts)]), row == column) for row, column in pairs]
    points, met = (np.stack(each, axis=1) for each in zip(*sums, strict=True))
    seats = rules.num_players
    per_cell = games * seats * np.where([row == column for row, column in pairs], seats, 1)
    means = _agent_means(names, pairs)
    means |= _group_means([(groups or {}).get(name, name) for name in columns], pairs, len(names))
    weights = np.stack(list(means.values()))

    def quantities(added: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the points and bids met of each cell, then the means of cells."""
        cells, bids = added[:, : len(pairs)] / per_cell, added[:, len(pairs) :] / per_cell / len(rules.rounds)
        return np.hstack([cells, bids, cells @ weights.T])

    estimates = iter(estimate_from_sums([np.hstack([points, met])], quantities, seed))
    cells, bids = ([next(estimates) for _ in pairs] for _ in range(2))
    found = {key: next(estimates) for key in means}
    return Crossplay(
        rules=rules,
        games=games,
        seed=seed,
        names=names,
        held_out=columns[len(names) :],
        cells=[
            Cell(names[row], columns[column], *one, *other)
            for (row, column), one, other in zip(pairs, cells, bids, strict=True)
        ],
        compatibility=[
            Compatibility(
                name, found[_SELF, name], *(found.get((kind, name)) for kind in (_CROSS, _GAP, _HELD_OUT))
            )
            for name in [*names, ""]
        ],
        groups=[GroupCell(key[1], key[2], *one) for key, one in found.items() if key[0] == _GROUPS],
        fingerprints=fingerprints_of(players),
    )


def _sums(results: Results, self_play: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the points and the bids met of the first entrant, or of all in self-play: each int64 [deals]."""
    entrants = slice(None) if self_play else slice(1)
    met = results.bids[entrants] == results.tricks_won[entrants]
    sums = (each.sum(axis=(0, 1, 3), dtype=np.int64) for each in (results.points[entrants], met))
    return next(sums), next(sums)


def _agent_means(names: Sequence[str], pairs: _Pairs) -> _Means:
    """Return the means of cells that make up `Compatibility`, and those of all agents under the name ""."""
    count, rows, among = len(names), *np.array(pairs).T
    kinds = {_SELF: rows == among, _CROSS: (rows != among) & (among < count), _HELD_OUT: among >= count}
    means: _Means = {}
    for name, mine in [*((name, rows == row) for row, name in enumerate(names)), ("", rows >= 0)]:
        means |= {(kind, name): _mean(mine & cells) for kind, cells in kinds.items() if cells.any()}
        if (_CROSS, name) in means:
            means[_GAP, name] = means[_SELF, name] - means[_CROSS, name]
    return means


def _group_means(groups: Sequence[str], pairs: _Pairs, agents: int) -> _Means:
    """Return the means of the cells of each pair of groups, if there is a group of several agents."""
    rows, among = np.array(pairs).T
    if len(set(groups)) == len(groups):
        return {}
    names = np.array(groups)
    cells = {
        (one, other): (names[rows] == one) & (names[among] == other) & (rows != among)
        for one in dict.fromkeys(groups[:agents])
        for other in dict.fromkeys(groups)
    }
    return {(_GROUPS, *key): _mean(chosen) for key, chosen in cells.items() if chosen.any()}


def _mean(cells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights of a mean of some cells, float64 [cells]."""
    weights: NDArray[np.float64] = cells / cells.sum()
    return weights
