"""`wizard dataset`: its files, output and errors."""

from pathlib import Path

import numpy as np
import pytest

from tests.commands import Wizard, error_line
from wizard_env import read_records

pytest.importorskip("pyarrow")
from wizard_env.evaluation.datasets.parquet import COLUMNS, read_about, read_decisions


def test_the_command(wizard: Wizard) -> None:
    arguments = ("data", "heuristic", "random", "--decisions", "200", "--hand-sizes", "1,2", "--records")
    outcome = wizard("dataset", *arguments)
    assert outcome.code == 0
    assert "a second" in outcome.out
    about = read_about("data")
    assert about["agents"] == ["heuristic", "random"]
    assert set(about["columns"]) == set(COLUMNS)
    parts = list(read_decisions("data"))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}
    (records,) = Path("data").glob("*.jsonl")
    games = list(read_records(records))
    assert [game.seed for game in games] == columns["deal_seed"][columns["step"] == 0].tolist()
    assert [action for game in games for action in game.history] == columns["action"].tolist()
    assert {game.players for game in games} == {("heuristic", "random") * 2, ("random", "heuristic") * 2}
    for game in games[:2]:
        first = columns["agent"][(columns["deal_seed"] == game.seed) & (columns["step"] == 0)]
        acting = columns["seat"][(columns["deal_seed"] == game.seed) & (columns["step"] == 0)]
        assert game.players is not None
        assert game.players[int(acting[0])] == about["agents"][int(first[0])]
    assert "0 written" in wizard("dataset", *arguments).out
    assert "another data set" in error_line(wizard("dataset", *arguments, "--seed", "1"))
