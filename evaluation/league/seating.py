"""Seating the agents of a league at tables."""

from collections.abc import Collection, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

ROUND_ROBIN = 100
"""The most tables for which every combination of agents gets one."""
MEETINGS = 4
"""The fewest tables that a pair of agents shares, in larger leagues."""
_CANDIDATES = 256
"""Random tables to choose the next one from."""

Seating = tuple[str, ...]


def choose_seatings(agents: Sequence[str], size: int, taken: Collection[Seating], seed: int) -> list[Seating]:
    """Choose the tables of a league, each of `size` different agents in the order of their names.

    Few agents meet in all combinations. In larger leagues tables are added one at a time: of some random
    tables for a pair that has met least, the one whose pairs have met least. So all pairs meet about equally
    often; when an agent joins, every new table includes it; and a list that was cut short is completed to
    the same list.

    taken: tables of this size that were chosen before for these agents, or for some of them.
    """
    names = sorted(agents)
    if comb(len(names), size) <= ROUND_ROBIN:
        return list(combinations(names, size))
    numbers = {name: number for number, name in enumerate(names)}
    tables = [tuple(numbers[name] for name in table) for table in sorted(taken)]
    meetings = np.zeros((len(names), len(names)), np.int64)
    for table in tables:
        _count_meetings(meetings, table)
    while (least := meetings[np.triu_indices(len(names), 1)].min()) < MEETINGS:
        rng = np.random.default_rng([seed, size, len(tables)])
        pair = rng.choice(np.argwhere(np.triu(meetings == least, 1)))
        others = np.delete(np.arange(len(names)), pair)
        drawn = rng.permuted(np.tile(others, (_CANDIDATES, 1)), axis=1)[:, : size - 2]
        candidates = np.sort(np.hstack([np.tile(pair, (_CANDIDATES, 1)), drawn]), axis=1)
        met = meetings[candidates[:, :, np.newaxis], candidates[:, np.newaxis]]
        order = np.argsort((met**2).sum(axis=(1, 2)), kind="stable")
        table = next(table for table in map(tuple, candidates[order].tolist()) if table not in tables)
        tables.append(table)
        _count_meetings(meetings, table)
    return [tuple(names[number] for number in table) for table in tables]


def _count_meetings(meetings: NDArray[np.int64], table: tuple[int, ...]) -> None:
    for one, other in combinations(table, 2):
        meetings[one, other] += 1
        meetings[other, one] += 1
