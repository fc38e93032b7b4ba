"""Agents by name: entry points, options, paths, and what is refused."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.positions import random_weights
from wizard_env.agents import View, agent_names, load
from wizard_env.agents.network import FILE_NAME, NetworkAgent, save_agent
from wizard_env.agents.random import RandomAgent
from wizard_env.loading import place_of, programs
from wizard_env.testing import agent_test


class OtherAgent:
    """An agent of another package; it keeps the options that it was given."""

    def __init__(
        self,
        worlds: int = 1,
        depth: float = 1.0,
        style: str = "plain",
        quick: bool = False,
        command: Any = None,
        timeout: Any = None,
        other: Any = None,
    ) -> None:
        self.given = (worlds, depth, style, quick)
        self.quoted = (command, timeout, other)

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return view.mask.argmax(axis=1)


MINE = OtherAgent


def test_an_agent_is_returned_unchanged() -> None:
    agent = RandomAgent()
    assert load(agent) is agent


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("mine", (1, 1.0, "plain", False)),
        ("mine:worlds=64", (64, 1.0, "plain", False)),
        ("mine:worlds=64,depth=2.5,style=bold,quick=True", (64, 2.5, "bold", True)),
        ("mine: worlds = -3 , style = 'a b'", (-3, 1.0, "a b", False)),
    ],
)
def test_agents_of_other_packages_take_options(text: str, given: tuple[Any, ...]) -> None:
    agent = load(text)
    assert isinstance(agent, OtherAgent)
    assert agent.given == given
    assert "mine" in agent_names()


def test_the_examples_of_load_can_be_loaded() -> None:
    """Those of the agents that come with the package."""
    names = [name for name in re.findall(r'"(\w+(?::[^"]+)?)"', load.__doc__ or "") if "/" not in name]
    known = [name for name in names if name.partition(":")[0] in ("random", "search")]
    assert len(known) >= 2
    for name in known:
        assert load(name) is not None


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(
    ("agent", "error", "message"),
    [
        ("randm", ValueError, "unknown agent 'randm': did you mean 'random'"),
        ("zzz", ValueError, "unknown agent 'zzz': allowed are .*'random'.* or the path of a checkpoint"),
        (":worlds=1", ValueError, "unknown agent ''"),
        ("mine:world=3", TypeError, "'mine' has no option 'world': did you mean 'worlds'"),
        ("mine:worlds", ValueError, "option 'worlds' is not of the form key=value"),
        (7, TypeError, "agent=7: a name, a path or an object with a method `act`"),
        (["random"], TypeError, "a method `act` is needed"),
        ("mine:command='a',b", ValueError, "option 'b' is not of the form key=value"),
        ("mine:command='a", ValueError, "begins a quote that does not end it"),
        ("no/such/folder", (ValueError, FileNotFoundError), "no/such/folder"),
    ],
)
def test_what_cannot_be_loaded(agent: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        load(agent)


@pytest.mark.parametrize("name", ["12:30", "C:", "a:b=1", "own.agents:Mine"])
def test_a_path_that_exists_is_a_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever characters it has, with options after it or without."""
    monkeypatch.chdir(tmp_path)
    save_agent(random_weights(), tmp_path / FILE_NAME)
    for place in (name, f"runs/{name}"):
        Path(place).mkdir(parents=True)
        shutil.copy(tmp_path / FILE_NAME, place)
        for agent, sample in ((place, False), (f"{place}:sample=True", True)):
            loaded = load(agent)
            assert isinstance(loaded, NetworkAgent)
            assert loaded.sample == sample
            assert loaded.path == Path(place)
            assert place_of(agent) == Path(place)


@pytest.mark.usefixtures("added")
def test_options_are_arguments_too(tmp_path: Path) -> None:
    """They win over those in the name."""
    assert load("mine", worlds=64).given == (64, 1.0, "plain", False)  # type: ignore[attr-defined]
    both: Any = load("mine:worlds=2,style=bold", worlds=3, quick=True)
    assert both.given == (3, 1.0, "bold", True)
    save_agent(random_weights(), tmp_path / FILE_NAME)
    for path in (tmp_path, tmp_path / FILE_NAME, f"checkpoint:path={tmp_path}"):
        assert load(path, sample=True).sample  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="'mine' has no option 'world': did you mean 'worlds'"):
        load("mine", world=3)
    with pytest.raises(TypeError, match="it takes no options"):
        load(RandomAgent(), worlds=3)


def test_a_file_of_the_same_name_does_not_hide_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The meaning of "random" does not depend on the working directory."""
    (tmp_path / "random").mkdir()
    monkeypatch.chdir(tmp_path)
    assert isinstance(load("random"), RandomAgent)


# --- options with commas


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(
    ("options", "given"),
    [
        ('command="a,b",timeout=5', ("a,b", 5, None)),
        ("command='a=1,b=2' , timeout=5", ("a=1,b=2", 5, None)),
        ("""command="it's, so",other='"a,b"'""", ("it's, so", None, '"a,b"')),
        (r'command="a\",b",timeout=5', ('a",b', 5, None)),
        (r"command='a\\',timeout=5", ("a\\", 5, None)),
        ("command=it's,timeout=5", ("it's", 5, None)),
        (",timeout=5,,command=a,", ("a", 5, None)),
    ],
)
def test_a_quoted_value_keeps_its_commas(options: str, given: tuple[Any, ...]) -> None:
    agent = load(f"mine:{options}")
    assert isinstance(agent, OtherAgent)
    assert agent.quoted == given


@pytest.mark.parametrize(
    "name",
    [
        "external:command=python",
        "variant:of='external:command=python'",
        "llm:model=stand-in,url=http://elsewhere/v1",
        "mcp:port=0",
    ],
)
def test_programs_are_refused_where_somebody_else_chose_the_names(name: str) -> None:
    """Also inside another agent; afterwards they are allowed again."""
    with (
        programs(allowed=False),
        pytest.raises(
            PermissionError, match="runs a program, calls a server or opens a port on this machine"
        ),
    ):
        load(name)
    with programs(allowed=False), programs(allowed=True), pytest.raises((ChildProcessError, TypeError)):
        load("external:command=no-such-program")
    with pytest.raises(ChildProcessError):
        load("external:command=no-such-program")


# --- own agents


CODE = """
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Cautious:
    bold: bool = False
    command: str = ""

    def act(self, view, rng):
        return view.mask.argmax(axis=1)


class Open:
    def __init__(self, *arguments, **options):
        self.options = options

    def act(self, view, rng):
        return view.mask.argmax(axis=1)


def made(bold=True):
    return Cautious(bold)


ready = Cautious()
number = 3


def late(first):
    return Cautious(first)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a file of agents."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_agent.py").write_text(CODE)
    return tmp_path / "my_agent.py"


def test_an_own_agent_is_named_by_its_file(own: Path) -> None:
    """As own rewards and encodings are; with options after another colon, as any agent has them."""
    for name, given in (
        ("my_agent.py:Cautious", (False, "")),
        (f"{own}:Cautious:", (False, "")),
        ("./my_agent.py:Cautious:bold=True,command='a, b'", (True, "a, b")),
        ("my_agent.py:made", (True, "")),
        ("my_agent.py:made:bold=False", (False, "")),
        ("my_agent.py:ready", (False, "")),
    ):
        agent: Any = load(name)
        assert (agent.bold, agent.command) == given
    assert load("my_agent.py:Open:any=1").options == {"any": 1}  # type: ignore[attr-defined]
    assert not [name for name in sys.modules if name.endswith("my_agent")]
    agent_test("my_agent.py:Cautious", num_games=1)


def test_an_own_agent_is_named_by_its_module(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(own.parent)
    package = own.parent / "my_package"
    package.mkdir()
    (package / "agents.py").write_text(CODE)
    assert load("my_package.agents:Cautious:bold=True").bold  # type: ignore[attr-defined]
    assert load("my_agent:Cautious") is not None


@pytest.mark.parametrize(
    ("agent", "error", "message"),
    [
        ("my_agent.py", ValueError, "'my_agent.py': name its class too, as in my_agent.py:MyAgent"),
        ("my_agent.py:Bold", ValueError, "my_agent.py has no 'Bold'"),
        ("my_agent.py:number", ValueError, "my_agent.py:number makes no agent"),
        ("my_agent.py:Cautious:bald=1", TypeError, "has no option 'bald': did you mean 'bold'"),
        ("my_agent.py:late", TypeError, "needs the option 'first', as in my_agent.py:late:first="),
        ("no_agent.py:Cautious", FileNotFoundError, "there is no file no_agent.py"),
        ("no.module:Cautious", ModuleNotFoundError, "'no'"),
        ("serach:Cautious", ValueError, "unknown agent 'serach': did you mean 'search'"),
        ("broken.py:Cautious", ValueError, "broken.py, line 2: SyntaxError"),
    ],
)
def test_own_agents_that_cannot_be_loaded(own: Path, agent: str, error: Any, message: str) -> None:
    (own.parent / "broken.py").write_text("\nclass Cautious\n")
    with pytest.raises(error, match=message):
        load(agent)


@pytest.mark.parametrize("agent", ["my_agent.py:Cautious", "variant:of='my_agent.py:Cautious'", "json:loads"])
def test_code_is_refused_where_somebody_else_chose_the_names(own: Path, agent: str) -> None:
    """Nothing of it runs, as with programs."""
    own.write_text("raise SystemExit")
    with programs(allowed=False), pytest.raises(PermissionError, match="on this machine: allow it with"):
        load(agent)


@pytest.mark.parametrize(
    ("agent", "place"),
    [
        ("my_agent.py:Cautious:bold=True", "my_agent.py"),
        ("runs/quick:sample=True", "runs/quick"),
        ("random", None),
        ("hf:owner/name", None),
    ],
)
def test_the_place_that_a_name_leads_to(own: Path, agent: str, place: str | None) -> None:
    assert place_of(agent) == (place and Path(place))
