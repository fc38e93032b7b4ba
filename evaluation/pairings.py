"""Which agents sit at which table of a league."""

from collections.abc import Collection, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

ROUND_ROBIN = 100
"""The most tables for which every combination of agents gets one."""
MEETINGS = 4
"""How many tables each pair of agents shares at least, in larger leagues."""
CANDIDATES = 256
"""Random tables to choose the next one from."""

Seating = tuple[str, ...]


def choose_seatings(agents: Sequence[str], size: int, taken: Collection[Seating], seed: int) -> list[Seating]:
    """The tables of a league, each of different agents in the order of their names.

    All combinations, if there are few. Otherwise the tables chosen before, and then, one at a time, a table
    for one of the pairs that have met least: out of some random tables, the one whose pairs have met least.
    So all pairs meet about equally often; when an agent joins, every new table includes it; and a list that
    was cut short is completed to the same list.

    Args:
        agents: names, all different.
        size: how many agents sit at a table, at most the number of agents.
        taken: tables of this size that were chosen before for these agents, or for some of them.
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
    """int64 [tables]: how often the pairs of each table have met, squared and added up."""
    pairs = np.stack(
        [meetings[tables[:, i], tables[:, j]] for i, j in combinations(range(tables.shape[1]), 2)]
    )
    squares: NDArray[np.int64] = (pairs**2).sum(axis=0)
    return squares
