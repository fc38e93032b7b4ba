"""Pickles of agents and environments hold plain values, for other machines and versions of Python."""

import logging
import pickle
import pickletools
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from wizard_env import Game, Games, Rules, load, wizard_v0
from wizard_env.agents import network

SHORT: dict[str, Any] = {"num_players": 3, "hand_sizes": (1, 2)}
AGENTS = [
    "random",
    "rule_based",
    "heuristic",
    "variant:of=champion",
    "champion",
    "champion:backend=torch",
    "champion:sample=True",
    "adaptive",
    "partner:name=early_17",
    "search:worlds=2",
    "champion+search:worlds=2",
    "adaptive+search:worlds=2",
]
MADE: dict[str, Any] = {
    "game": lambda: Game(Rules(**SHORT), 1),
    "games": lambda: Games(Rules(**SHORT), 2),
    "view": lambda: Games(Rules(**SHORT), 2).view(),
    "pettingzoo": lambda: wizard_v0.env(**SHORT),
    "gymnasium": lambda: gymnasium.make("wizard_env/Wizard-v0", opponents="champion", **SHORT).unwrapped,
    "vector": lambda: gymnasium.make_vec("wizard_env/Wizard-v0", 2, opponents="adaptive", **SHORT).unwrapped,
} | {name: lambda name=name: load(name) for name in AGENTS}
PYTHON = {"__builtin__", "copy_reg", "collections", "functools", "_codecs"}
PLAIN = PYTHON | {"wizard_env", "numpy", "gymnasium", "pettingzoo"}


def packages_in(pickled: bytes) -> set[str]:
    """The packages whose objects a pickle of protocol 2 names."""
    named = [str(argument) for opcode, argument, _ in pickletools.genops(pickled) if opcode.name == "GLOBAL"]
    return {name.partition(" ")[0].partition(".")[0] for name in named}


@pytest.mark.parametrize("name", MADE)
def test_a_pickle_holds_plain_values(name: str) -> None:
    """No paths, whose class has another name in every second version of Python, and nothing of torch."""
    made = MADE[name]()
    if name in AGENTS:
        made.act(Games(Rules(**SHORT), 2).view(), np.random.default_rng(0))
    pickled = pickle.dumps(made, protocol=2)
    assert packages_in(pickled) <= PLAIN
    assert isinstance(pickle.loads(pickled), type(made))


@pytest.mark.parametrize("name", ["champion:backend=torch", "variant:of=champion:backend=torch"])
def test_an_agent_continues_where_torch_is_missing(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The backend is chosen anew, and the log says so."""
    pytest.importorskip("torch")
    agent, view, rng = load(name), Games(Rules(**SHORT), 20).view(), np.random.default_rng(0)
    pickled, actions = pickle.dumps(agent), agent.act(view, rng)
    there: Any = pickle.loads(pickled)
    assert getattr(there, "agent", there).backend == "torch"
    monkeypatch.setattr(network, "find_spec", lambda _: None)
    with caplog.at_level(logging.WARNING):
        there = pickle.loads(pickled)
    assert getattr(there, "agent", there).backend == "numpy"
    assert "torch is not installed" in caplog.text
    assert there.act(view, rng).tolist() == actions.tolist()


def test_the_path_of_a_network_survives_a_pickle() -> None:
    agent: Any = load("champion")
    size = len(pickle.dumps(agent))
    agent.act(Games(Rules(**SHORT), 2).view(), np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(agent))
    assert again.path == agent.path
    assert isinstance(again.path, Path)
    assert len(pickle.dumps(agent)) < size + 100, "what can be computed again is not kept"
