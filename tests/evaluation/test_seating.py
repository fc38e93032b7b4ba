"""Seating: the agents of a league meet about equally often."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np
import pytest

from wizard_env.evaluation.league import MEETINGS, ROUND_ROBIN, choose_seatings


def meetings(tables: Iterable[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    return Counter(pair for table in tables for pair in combinations(table, 2))


@pytest.mark.parametrize(("count", "size"), [(3, 3), (6, 3), (8, 4), (7, 6)])
def test_few_agents_meet_in_all_combinations(count: int, size: int) -> None:
    names = [f"agent {number}" for number in range(count)]
    assert choose_seatings(names[::-1], size, [], 0) == list(combinations(names, size))


@pytest.mark.parametrize(("count", "size"), [(12, 3), (10, 4), (20, 4), (15, 5), (12, 6)])
def test_many_agents_meet_about_equally_often(count: int, size: int) -> None:
    names = [f"agent {number:02}" for number in range(count)]
    tables = choose_seatings(names, size, [], 0)
    assert comb(count, size) > ROUND_ROBIN
    assert len(tables) == len(set(tables)) < comb(count, size)
    assert all(len(set(table)) == size and list(table) == sorted(table) for table in tables)
    met = meetings(tables)
    assert len(met) == comb(count, 2)
    assert min(met.values()) == MEETINGS
    assert max(met.values()) <= 2 * MEETINGS
    assert np.mean(list(met.values())) < 1.35 * MEETINGS


def test_a_newcomer_sits_at_every_new_table() -> None:
    names = [f"agent {number:02}" for number in range(12)]
    before = choose_seatings(names, 4, [], 0)
    after = choose_seatings([*names, "a newcomer"], 4, before, 0)
    new = set(after) - set(before)
    assert set(before) <= set(after)
    assert all("a newcomer" in table for table in new)
    met = meetings(after)
    assert min(met["a newcomer", name] for name in names) >= MEETINGS
    assert max(met["a newcomer", name] for name in names) <= MEETINGS + 2


@pytest.mark.parametrize("kept", [0, 1, 10])
def test_a_list_that_was_cut_short_is_completed_to_the_same_list(kept: int) -> None:
    names = [f"agent {number:02}" for number in range(12)]
    tables = choose_seatings(names, 4, [], 3)
    assert choose_seatings(names, 4, tables[kept::-1][1:], 3)[kept:] == tables[kept:]
    assert choose_seatings(names, 4, [], 4) != tables
