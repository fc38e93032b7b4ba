"""Outputs that would overwrite an input are refused."""

import shutil
from pathlib import Path

import pytest

from tests.commands import Wizard, error_line
from tests.positions import played_at_random
from wizard_env import Rules, write_records
from wizard_env.agents.network import FILE_NAME, find_agent
from wizard_env.agents.pretrained import DISTILLED

RULES = ("--games", 2, "--hand-sizes", 1, "--players", 3)
GAMES, NETWORK, CODE, RESULTS = (
    Path(name) for name in ("games.jsonl", f"run/{FILE_NAME}", "mine.py", "league/results.jsonl")
)
LEAGUE = ("league", "league", "random", "heuristic", "rule_based", *RULES)


@pytest.fixture(autouse=True)
def inputs(wizard: Wizard) -> None:
    """Write a file of each kind in the working folder."""
    write_records(GAMES, [played_at_random(Rules(3, hand_sizes=(1,)), 1)])
    NETWORK.parent.mkdir()
    shutil.copy(find_agent(DISTILLED), NETWORK)
    CODE.write_text("class Mine:\n    def act(self, view, rng):\n        return view.mask.argmax(axis=1)\n")
    RESULTS.parent.mkdir()
    RESULTS.touch()


@pytest.mark.parametrize(
    ("kept", "command"),
    [
        (GAMES, ("replay", GAMES, "--json", GAMES)),
        (GAMES, ("replay", GAMES, "--judge", "search:worlds=1", "--json", GAMES)),
        (NETWORK, ("evaluate", "run/", *RULES, "--json", NETWORK)),
        (NETWORK, ("evaluate", "run/", *RULES, "--records", NETWORK)),
        (NETWORK, ("league", "league", "random", "heuristic", "run/", *RULES, "--report", NETWORK)),
        (NETWORK, ("scorecard", "run/", "--json", NETWORK)),
        (NETWORK, ("exploit", "run/", "--json", NETWORK)),
        (NETWORK, ("exploit", "random", "--start", "run/", "--json", NETWORK)),
        (NETWORK, ("export", "run/", NETWORK)),
        (NETWORK, ("distill", "./run", "run", "--games", "smoke", "--decisions", 500)),
        (CODE, ("evaluate", "mine.py:Mine", *RULES, "--json", CODE)),
        (RESULTS, (*LEAGUE, "--json", RESULTS)),
    ],
    ids=lambda given: " ".join(map(str, given)) if isinstance(given, tuple) else "",
)
def test_an_input_is_not_overwritten(wizard: Wizard, kept: Path, command: tuple[object, ...]) -> None:
    before = kept.read_bytes()
    assert f"is the file {kept}, which is read or written too" in error_line(wizard(*command))
    assert kept.read_bytes() == before


def test_a_bug_in_an_own_agent_names_it_and_its_lines(wizard: Wizard) -> None:
    """Whatever the error is; without the lines of this package."""
    CODE.write_text("class Mine:\n    def act(self, view, rng):\n        return [][0]\n")
    outcome = wizard("evaluate", "mine.py:Mine", "random", *RULES)
    assert outcome.code == 2
    *_, error, agent, line = outcome.err.splitlines()
    assert error == "error: IndexError: list index out of range"
    assert (agent, line) == ("in the agent mine.py:Mine", "  mine.py, line 3, in Mine.act")
