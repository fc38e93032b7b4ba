"""Two processes on one folder: the second is refused with one line, and nothing of the first is harmed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wizard_env import Rules
from wizard_env.evaluation.duplicate_deals import Deals, Results
from wizard_env.evaluation.league import FILE_NAME, play_league
from wizard_env.evaluation.league_file import LeagueFile

RULES = Rules(num_players=3, hand_sizes=(1,))
AGENTS = ["random", "rule_based", "random:"]
BUSY = "is being written by another run: wait for its end"


def play_a_league(folder: Path, spread: Any) -> None:
    play_league(folder, AGENTS, [RULES], 2, 1, spread)


def test_a_second_league_is_refused(tmp_path: Path) -> None:
    """Formerly it cut off what the first was writing, or both wrote the same deals."""
    refused = []

    def spread(function: Callable[[Deals], Results], tasks: list[Deals]) -> Iterator[Results]:
        for task in tasks:
            with pytest.raises(BlockingIOError, match=BUSY):
                play_a_league(tmp_path, map)
            refused.append(task)
            yield function(task)

    play_a_league(tmp_path, spread)
    assert refused
    assert LeagueFile(tmp_path / FILE_NAME).tables
    play_a_league(tmp_path, map)


def test_a_second_data_set_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from wizard_env.evaluation.datasets.parquet import read_decisions
    from wizard_env.evaluation.datasets.writer import write_dataset

    first = write_dataset(tmp_path, AGENTS, [RULES, RULES], 600)
    next(first)
    with pytest.raises(BlockingIOError, match=BUSY):
        next(write_dataset(tmp_path, AGENTS, [RULES, RULES], 600))
    assert sum(first) > 0
    assert sum(len(part["action"]) for part in read_decisions(tmp_path)) >= 600
    assert list(write_dataset(tmp_path, AGENTS, [RULES, RULES], 600)) == []
