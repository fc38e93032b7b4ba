"""Who sits at which table of a league."""

from collections.abc import Collection, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

ROUND_ROBIN = 100
"""Up to so many tables, every combination of agents is one."""
MEETINGS = 4
"""At how many tables each pair of agents sits together at least, where that would be too many."""
CANDIDATES = 256

Seating = tuple[str, ...]


def choose_seatings(agents: Sequence[str], size: int, taken: Collection[Seating], seed: int) -> list[Seating]:
    """The tables of a league: each of different agents, in the order of their names.

    All combinations, if there are few. Else the tables that were taken before, and then one after the
    other a table for one of the pairs that have met least, the best of some random ones: that whose
    pairs have met least. So all pairs meet about equally often; an agent that joins gets tables of its
    own, and nobody else does; and a list that was cut short is completed to the same list.

    Args:
        agents: their names, all different.
        size: how many sit at a table, at most as many as there are agents.
        taken: tables of this size that have been chosen for these agents, or for some of them.
        seed: of the choice.
    """
    names = sorted(agents)
    if comb(len(names), size) <= ROUND_ROBIN:
        return list(combinations(names, size))
    numbers = {name: number for number, name in enumerate(names)}
    tables = [tuple(numbers[name] for name in table) for table in sorted(taken)]
    meetings = np.zeros((len(names), len(names)), np.int64)
    for table in tables:
        _meet(meetings, table)
    while (least := meetings[np.triu_indices(len(names), 1)].min()) < MEETINGS:
        rng = np.random.default_rng([seed, size, len(tables)])
        pair = rng.choice(np.argwhere(np.triu(meetings == least, 1)))
        others = np.delete(np.arange(len(names)), pair)
        drawn = rng.permuted(np.tile(others, (CANDIDATES, 1)), axis=1)[:, : size - 2]
        candidates = np.sort(np.hstack([np.tile(pair, (CANDIDATES, 1)), drawn]), axis=1)
        order = np.argsort(_crowding(meetings, candidates), kind="stable")
        table = next(table for table in map(tuple, candidates[order].tolist()) if table not in tables)
        tables.append(table)
        _meet(meetings, table)
    return [tuple(names[number] for number in table) for table in tables]


def _meet(meetings: NDArray[np.int64], table: tuple[int, ...]) -> None:
    for one, other in combinations(table, 2):
        meetings[one, other] += 1
        meetings[other, one] += 1


def _crowding(meetings: NDArray[np.int64], tables: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64 [tables]: the sum of squares of how often the pairs of a table have met."""
    pairs = np.stack(
        [meetings[tables[:, i], tables[:, j]] for i, j in combinations(range(tables.shape[1]), 2)]
    )
    squares: NDArray[np.int64] = (pairs**2).sum(axis=0)
    return squares
