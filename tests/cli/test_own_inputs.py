"""Outputs that would overwrite an input are refused, under any name of the file."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Wizard, error_line
from tests.positions import played_at_random
from wizard_env import Rules, write_records
from wizard_env.agents.network import FILE_NAME, find_agent
from wizard_env.agents.pretrained import DISTILLED

RULES = ("--games", 2, "--hand-sizes", 1, "--players", 3)


@pytest.fixture(params=["itself", "symbolic link", "hard link", "longer path"])
def spelled(request: pytest.FixtureRequest, wizard: Wizard) -> Any:
    """Return another name of a file, or its own."""

    def name(path: Path) -> Path:
        other = Path("other")
        if request.param == "symbolic link":
            other.symlink_to(path)
        elif request.param == "hard link":
            other.hardlink_to(path)
        return {"itself": path, "longer path": Path("..") / Path.cwd().name / path}.get(request.param, other)

    return name


def refused(wizard: Wizard, kept: Path, *command: object) -> None:
    before = kept.read_bytes()
    assert f"is the file {kept}, which is read or written too" in error_line(wizard(*command))
    assert kept.read_bytes() == before


@pytest.mark.parametrize("options", [(), ("--judge", "search:worlds=1")])
def test_records(wizard: Wizard, spelled: Any, options: tuple[str, ...]) -> None:
    games = Path("games.jsonl")
    write_records(games, [played_at_random(Rules(3, hand_sizes=(1,)), 1)])
    refused(wizard, games, "replay", games, *options, "--json", spelled(games))


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("evaluate", "{}", *RULES), "--json"),
        (("evaluate", "{}", *RULES), "--records"),
        (("league", "league", "random", "heuristic", "{}", *RULES), "--report"),
        (("scorecard", "{}"), "--json"),
        (("exploit", "{}"), "--json"),
        (("exploit", "random", "--start", "{}"), "--json"),
        (("export", "{}"), ""),
    ],
)
def test_networks(wizard: Wizard, spelled: Any, command: tuple[Any, ...], option: str) -> None:
    """The network is named by its folder."""
    network = Path("run") / FILE_NAME
    network.parent.mkdir()
    shutil.copy(find_agent(DISTILLED), network)
    given = [str(word).format("run/") for word in command]
    refused(wizard, network, *given, *([option] if option else []), spelled(network))


def test_own_agents(wizard: Wizard, spelled: Any) -> None:
    code = Path("mine.py")
    code.write_text("class Mine:\n    def act(self, view, rng):\n        return view.mask.argmax(axis=1)\n")
    refused(wizard, code, "evaluate", "mine.py:Mine", *RULES, "--json", spelled(code))


def test_a_league(wizard: Wizard, spelled: Any) -> None:
    league = ("league", "league", "random", "heuristic", "rule_based", *RULES)
    assert wizard(*league).code == 0
    results = Path("league/results.jsonl")
    refused(wizard, results, *league, "--json", spelled(results))


def test_a_network_is_not_distilled_into_itself(wizard: Wizard) -> None:
    network = Path("run") / FILE_NAME
    network.parent.mkdir()
    shutil.copy(find_agent(DISTILLED), network)
    refused(wizard, network, "distill", "./run", "run", "--games", "smoke", "--decisions", 500)
