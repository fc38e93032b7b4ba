"""Agents by name, from the entry-point group `wizard_env.agents` or from custom code."""

import ast
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from wizard_env.checks import check_names, nearest, quoted, shortened
from wizard_env.extras import extra
from wizard_env.view import Agent, OutsideAgent

GROUP = "wizard_env.agents"
_CHECKPOINT = "checkpoint"
"""The agent for the path of a run."""
_HUB = "hf"
"""The agent for "hf:owner/name", with options after another colon."""
_IMPORTED = re.compile(
    r"(?P<source>.+?\.py|\w+(?:\.\w+)*):(?P<object>[^\W\d]\w*)(?::(?P<options>.*))?", re.DOTALL
)
"""A custom agent: "file.py:Class" or "package.module:Class", with options after another colon."""
_OPTION = re.compile(
    r"""
    [^,=]* = \s* (?: "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' ) \s* (?=,|\Z)  # a quoted value keeps its commas
    | [^,]+
    """,
    re.VERBOSE,
)
_programs_allowed: ContextVar[bool] = ContextVar("programs_allowed", default=True)


def load(agent: str | os.PathLike[str] | Agent, **options: Any) -> Agent:
    """Load an agent. An object that is an agent is returned unchanged.

    Args:
        agent: a name, as in "random";
            the path of a run of `wizard train`, or of a file in it, as in "runs/quick";
            an agent on the Hugging Face Hub, as in "hf:owner/name";
            or a custom class, as in "my_agent.py:Careful" or "my_package.agents:Careful".
            Options may follow a colon, as in "search:worlds=64,threads=2" or "runs/quick:sample=True". Quote
            a value with commas as in Python: 'external:command="python my_bot.py 1,2",timeout=5'.
        options: of the agent, as in `load("search", worlds=64)`; they win over those in its name.

    Raises:
        ValueError: no agent has that name; or the imported object is no agent.
        FileNotFoundError: there is no checkpoint, or no code, at that path.
        TypeError: the agent does not have that option; or `agent` is neither a name nor an agent, or an
            object with options.
        PermissionError: the agent runs a program or is imported, within `programs(allowed=False)`.
    """
    if isinstance(agent, os.PathLike):
        return _make_named(_CHECKPOINT, {"path": os.fspath(agent)} | options)
    if not isinstance(agent, str):
        if not callable(getattr(agent, "act", None)):
            needed = "a name, a path or an object with a method `act` is needed"
            raise TypeError(f"agent={quoted(agent)}: {needed}")
        if options:
            raise TypeError(f"agent={quoted(agent)} is made already: it takes no options")
        return agent
    name, _, rest = agent.partition(":")
    if name == _HUB and not rest.startswith("repo="):
        repo, _, rest = rest.partition(":")
        return _make_named(_HUB, {"repo": repo} | _parse(agent, rest) | options)
    if name in agent_names():
        return _make_named(name, _parse(agent, rest) | options)
    path, rest = split_path(agent)
    imported = _match_imported(agent, path)
    if imported and _can_be_imported(imported["source"]):
        return _import_agent(agent, imported, options)
    if _is_path(path):
        if path.endswith(".py"):
            raise ValueError(f"agent {quoted(agent)}: name its class too, as in {path}:MyAgent")
        return _make_named(_CHECKPOINT, {"path": path} | _parse(agent, rest) | options)
    raise ValueError(
        f"unknown agent {quoted(name)}: {nearest(name, agent_names())}, or the path of a checkpoint, "
        "or a class as in 'my_agent.py:MyAgent'"
    )


def place_of(agent: str) -> Path | None:
    """Return the file or folder that the name of an agent leads to; None if there is none."""
    if agent.partition(":")[0] in agent_names():
        return None
    path, _ = split_path(agent)
    if imported := _match_imported(agent, path):
        path = imported["source"]
    return Path(path) if _is_path(path) else None


def split_path(agent: str) -> tuple[str, str]:
    """Split the name of an agent into a path and options: before the last colon that ends an existing path.

    If there is no such path, split before the first colon.
    """
    parts = agent.split(":")
    for count in range(len(parts), 0, -1):
        if _exists(path := ":".join(parts[:count])):
            return path, ":".join(parts[count:])
    return parts[0], ":".join(parts[1:])


def _match_imported(agent: str, path: str) -> re.Match[str] | None:
    """Match the name of a custom class, unless it begins with an existing path that has a colon in it."""
    imported = _IMPORTED.fullmatch(agent)
    return imported if imported and (":" not in path or path == imported["source"]) else None


def _is_path(name: str) -> bool:
    return "/" in name or _exists(name)


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises OSError for a long name


def import_named(name: str) -> Any:
    """Import an object by a name such as "package.module:function" or "file.py:function".

    Raises ValueError if the object is missing or the code fails, FileNotFoundError or ModuleNotFoundError
    for a missing file or module, and PermissionError within `programs(allowed=False)`.
    """
    source, _, inside = name.rpartition(":")
    _check_programs_allowed(f"{quoted(name)} runs the code of {source}")
    if source.endswith(".py") and not Path(source).is_file():
        raise FileNotFoundError(f"{quoted(name)}: there is no file {source}")
    try:
        module = _run_file(source) if source.endswith(".py") else import_module(source)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{source}.".startswith(f"{error.name}."):
            raise
        raise ValueError(f"{quoted(name)}: {_describe_failure(error, source)}") from error
    try:
        return getattr(module, inside)
    except AttributeError:
        raise ValueError(f"{quoted(name)}: {source} has no {quoted(inside)}") from None


def _run_file(path: str) -> ModuleType:
    """Run a file of code as a module, which is in `sys.modules` only while it runs."""
    spec = spec_from_file_location(f"own_code.{Path(path).stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)  # dataclasses look themselves up there
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


def _describe_failure(error: Exception, source: str) -> str:
    """Say why the code of a module or file failed, and in which line of the file."""
    file = os.path.abspath(source)  # noqa: PTH100 - as the import system spells it
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{source}{'' if line is None else f', line {line}'}: {type(error).__name__}: {reason}"


@contextmanager
def programs(allowed: bool) -> Iterator[None]:
    """Allow `load` to run programs, call servers, open ports and import code within this block, or refuse it.

    Refusing is for names that somebody else chose. An `OutsideAgent` is refused inside another agent too.
    """
    before = _programs_allowed.set(allowed)
    try:
        yield
    finally:
        _programs_allowed.reset(before)


def _check_programs_allowed(action: str) -> None:
    if not _programs_allowed.get():
        raise PermissionError(
            f"{action} on this machine: allow it with --allow-programs if you trust the author of the config"
        )


def agent_names() -> list[str]:
    """Return the names that `load` accepts."""
    return sorted(entry_points(group=GROUP).names)


def _make_named(name: str, options: dict[str, Any]) -> Agent:
    """Make an agent of the entry-point group."""
    with extra():
        factory = next(iter(entry_points(group=GROUP).select(name=name))).load()
    if isinstance(factory, type) and issubclass(factory, OutsideAgent):
        _check_programs_allowed(
            f"agent {quoted(name)} with {shortened(options)} runs a program, calls a server or opens a port"
        )
    return _make(name, factory, options)


def _can_be_imported(source: str) -> bool:
    """Return whether a module or file may exist; a single word may be a misspelled name of an agent."""
    return "." in source or source in sys.modules or find_spec(source) is not None


def _import_agent(agent: str, imported: re.Match[str], more: dict[str, Any]) -> Agent:
    name = f"{imported['source']}:{imported['object']}"
    found, options = import_named(name), _parse(agent, imported["options"] or "") | more
    made = _make(name, found, options) if callable(found) else found
    if not callable(getattr(made, "act", None)):
        raise ValueError(f"agent {quoted(agent)}: {name} makes no agent, which has a method `act`")
    return made


def _make(name: str, factory: Callable[..., Any], options: dict[str, Any]) -> Agent:
    """Call the factory of an agent; its parameters are the agent's options."""
    parameters = inspect.signature(factory).parameters.values()
    named = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    if all(one.kind is not one.VAR_KEYWORD for one in parameters):
        check_names(f"agent {quoted(name)}", options, [one.name for one in named])
    for one in named:
        if one.default is one.empty and one.name not in options:
            raise TypeError(
                f"agent {quoted(name)} needs the option {one.name!r}, as in {name}:{one.name}=..."
            )
    agent: Agent = factory(**options)
    return agent


def _parse(agent: str, options: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for option in _OPTION.findall(options):
        key, equals, value = (part.strip() for part in option.partition("="))
        if not equals:
            raise ValueError(f"agent {quoted(agent)}: option {quoted(option)} is not of the form key=value")
        values[key] = _literal(value)
        if value[:1] in ('"', "'") and values[key] is value:
            raise ValueError(
                f"agent {quoted(agent)}: option {quoted(option)} begins a quote that does not end it"
            )
    return values


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
