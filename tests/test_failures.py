"""Errors in an agent's own code: the agent and the lines of its own files, nothing for others."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wizard_env import Game, View, load
from wizard_env.evaluation.datasets.decisions import act_with_probabilities
from wizard_env.failures import note_own_code, own_code_notes
from wizard_env.view import actions_by_owner, ask

MINE = """
import json
class Mine:
    def act(self, view, rng):
        return self.choose(view.mask)
    def choose(self, mask):
        return {how}
"""
VIEW, RNG = View.of([Game(seed=1)]), np.random.default_rng(0)


@pytest.mark.parametrize(
    ("how", "kind"),
    [("mask.reshape(2, 3)", ValueError), ("mask[10**6]", IndexError), ("json.loads('{')", ValueError)],
)
def test_the_agent_and_its_lines_are_noted(tmp_path: Path, how: str, kind: type, monkeypatch: Any) -> None:
    """Paths as a person in the folder writes them; notes are kept between processes, and written once."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE.format(how=how), encoding="utf-8")
    with pytest.raises(kind) as raised:
        actions_by_owner([load("mine.py:Mine")], np.zeros(1, np.int64), VIEW, RNG)
    note_own_code(raised.value)
    notes = own_code_notes(raised.value)
    assert notes == [
        "in the agent mine.py:Mine",
        "  mine.py, line 5, in Mine.act",
        "  mine.py, line 7, in Mine.choose",
    ]
    if kind is IndexError:
        assert own_code_notes(pickle.loads(pickle.dumps(raised.value))) == notes


@pytest.mark.parametrize("of_a_data_set", [False, True])
def test_an_agent_that_ends_the_program_has_failed(tmp_path: Path, of_a_data_set: bool) -> None:
    """Otherwise a run would end as if all were well, without a result."""
    path = tmp_path / "mine.py"
    path.write_text(MINE.format(how="exit()") + "    act_and_tell = act\n" * of_a_data_set, encoding="utf-8")
    agent = load(f"{path}:Mine")
    with pytest.raises(RuntimeError, match="an agent has ended the program: SystemExit") as raised:
        act_with_probabilities([agent], np.zeros(1, np.int64), VIEW, RNG)
    assert own_code_notes(raised.value)[0] == f"in the agent {path}:Mine"


def test_an_agent_of_the_package_gets_no_note() -> None:
    """An agent of the package gets no note: its errors are about its arguments."""
    agent = load("champion")
    with pytest.raises(AttributeError) as raised:
        ask(agent, object(), RNG)  # type: ignore[arg-type]
    assert own_code_notes(raised.value) == []
