"""Agents by name: the entry-point group `wizard_env.agents`, which anybody can add to."""

import ast
import inspect
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from wizard_env.rules import check_names, nearest
from wizard_env.view import Agent

GROUP = "wizard_env.agents"
CHECKPOINT = "checkpoint"


def load(agent: str | Agent) -> Agent:
    """Find an agent.

    Args:
        agent: a name, with options after a colon, as in "random" or "search:worlds=64,depth=2";
            or the path of a run that `wizard train` has written, as in "runs/quick"; or an agent, which is
            returned as it is.

    Raises:
        ValueError: no agent has that name.
        FileNotFoundError: there is no checkpoint at that path.
        TypeError: the agent has no such option; or `agent` is neither a name nor an agent.
    """
    if not isinstance(agent, str):
        if callable(getattr(agent, "act", None)):
            return agent
        raise TypeError(f"agent={agent!r}: a name, a path or an object with a method `act` is needed")
    name, _, options = agent.partition(":")
    if name not in agent_names() and ("/" in agent or (agent and Path(agent).exists())):
        return _make(_find(CHECKPOINT), {"path": agent})
    return _make(_find(name), _parse(agent, options))


def agent_names() -> list[str]:
    """The names that `load` knows."""
    return sorted(entry_points(group=GROUP).names)


def _find(name: str) -> EntryPoint:
    found = entry_points(group=GROUP)
    if name not in found.names:
        raise ValueError(f"no agent {name!r}: {nearest(name, agent_names())}, or the path of a checkpoint")
    return next(iter(found.select(name=name)))


def _make(entry: EntryPoint, options: dict[str, Any]) -> Agent:
    factory = entry.load()
    check_names(f"agent {entry.name!r}", options, inspect.signature(factory).parameters)
    agent: Agent = factory(**options)
    return agent


def _parse(agent: str, options: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for option in filter(None, options.split(",")):
        key, equals, value = option.partition("=")
        if not equals:
            raise ValueError(f"agent {agent!r}: option {option!r} is not of the form key=value")
        values[key.strip()] = _literal(value.strip())
    return values


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
