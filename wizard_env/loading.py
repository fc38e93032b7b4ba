"""Agents by name: the entry-point group `wizard_env.agents`, to which any package can add."""

import ast
import inspect
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from wizard_env.checks import check_names, nearest
from wizard_env.extras import extra
from wizard_env.view import Agent

GROUP = "wizard_env.agents"
CHECKPOINT = "checkpoint"
HUB = "hf"
"""Agents on the Hugging Face Hub: "hf:owner/name", with options after another colon."""

_programs_allowed: ContextVar[bool] = ContextVar("programs_allowed", default=True)

_OPTION = re.compile(
    r"""
    [^,=]* = \s* (?: "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' ) \s* (?=,|\Z)  # a quoted value keeps its commas
    | [^,]+
    """,
    re.VERBOSE,
)


def load(agent: str | os.PathLike[str] | Agent) -> Agent:
    """Load an agent.

    Args:
        agent: a name, with options after a colon, as in "random" or "search:worlds=64,depth=2";
            or the path of a run written by `wizard train`, or of a file in it, as in "runs/quick" or
            "runs/quick:sample=True"; or "hf:owner/name" for one that was pushed to the Hugging Face Hub, as
            in "hf:owner/name:sample=True"; or an agent, which is returned unchanged. Quote a value that
            contains commas as in Python:
            'external:command="python my_bot.py 1,2",timeout=5'.

    Raises:
        ValueError: no agent has that name.
        FileNotFoundError: there is no checkpoint at that path.
        TypeError: the agent does not have that option; or `agent` is neither a name nor an agent.
        PermissionError: the agent runs a program, within `programs(allowed=False)`.
    """
    if isinstance(agent, os.PathLike):
        return _make(_find(CHECKPOINT), {"path": os.fspath(agent)})
    if not isinstance(agent, str):
        if callable(getattr(agent, "act", None)):
            return agent
        raise TypeError(f"agent={agent!r}: a name, a path or an object with a method `act` is needed")
    name, _, options = agent.partition(":")
    if name == HUB and not options.startswith("repo="):
        repo, _, options = options.partition(":")
        return _make(_find(HUB), {"repo": repo} | _parse(agent, options))
    if name not in agent_names() and ("/" in name or (name and Path(name).exists())):
        return _make(_find(CHECKPOINT), {"path": name} | _parse(agent, options))
    return _make(_find(name), _parse(agent, options))


def import_named(name: str) -> Any:
    """What a name such as "package.module:function" or "file.py:function" stands for.

    The code of the module or file runs.

    Raises:
        ValueError: there is no such thing in it.
        PermissionError: it would run within `programs(allowed=False)`.
    """
    if not _programs_allowed.get():
        raise PermissionError(
            f"{name!r} runs the code of {name.partition(':')[0]} on this machine: allow it with "
            "--allow-programs if you trust whoever wrote the config"
        )
    place, _, inside = name.partition(":")
    if place.endswith(".py"):
        spec = spec_from_file_location(Path(place).stem, place)
        if spec is None or spec.loader is None or not Path(place).is_file():
            raise FileNotFoundError(f"{name!r}: there is no file {place}")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = import_module(place)
    try:
        return getattr(module, inside)
    except AttributeError:
        raise ValueError(f"{name!r}: {place} has no {inside!r}") from None


@contextmanager
def programs(allowed: bool) -> Iterator[None]:
    """Whether `load` may start programs for as long as the block runs, where somebody else chose the names.

    An agent whose class has a true `runs_programs` is then refused, also inside another agent.
    """
    before = _programs_allowed.set(allowed)
    try:
        yield
    finally:
        _programs_allowed.reset(before)


def agent_names() -> list[str]:
    """The names that `load` accepts."""
    return sorted(entry_points(group=GROUP).names)


def _find(name: str) -> EntryPoint:
    found = entry_points(group=GROUP)
    if name not in found.names:
        raise ValueError(
            f"unknown agent {name!r}: {nearest(name, agent_names())}, or the path of a checkpoint"
        )
    return next(iter(found.select(name=name)))


def _make(entry: EntryPoint, options: dict[str, Any]) -> Agent:
    with extra():
        factory = entry.load()
    if getattr(factory, "runs_programs", False) and not _programs_allowed.get():
        raise PermissionError(
            f"agent {entry.name!r} with {options} runs a program on this machine: allow it with "
            "--allow-programs if you trust whoever wrote the config"
        )
    parameters = inspect.signature(factory).parameters
    check_names(f"agent {entry.name!r}", options, parameters)
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in options:
            raise TypeError(f"agent {entry.name!r} needs the option {name!r}, as in {entry.name}:{name}=...")
    agent: Agent = factory(**options)
    return agent


def _parse(agent: str, options: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for option in _OPTION.findall(options):
        key, equals, value = (part.strip() for part in option.partition("="))
        if not equals:
            raise ValueError(f"agent {agent!r}: option {option!r} is not of the form key=value")
        values[key] = _literal(value)
        if value[:1] in ('"', "'") and values[key] is value:
            raise ValueError(f"agent {agent!r}: option {option!r} begins a quote that does not end it")
    return values


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
