"""Reading configs from TOML files; unknown keys and bad values are refused."""

import reprlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from wizard_env.checks import nearest, shortened
from wizard_env.train.config.changes import apply_changes
from wizard_env.train.config.run import Config

_Kind = TypeVar("_Kind", bound=BaseModel)

MAX_BYTES = 1 << 14
"""The largest file that is read; parsing takes seconds for keys of a hundred thousand dots."""
MAX_REASONS = 5
"""Mistakes that are named of one file."""
_shorten = reprlib.Repr()
_shorten.maxstring = _shorten.maxother = 80


class ConfigError(ValueError):
    """A config cannot be used; the message names the file, the key, the value and the reason."""


def read_config(path: Path, changes: Sequence[str] = ()) -> Config:
    """Read a config of `wizard train`; raises as `read_toml` does."""
    return read_toml(path, Config, changes)


def read_toml(path: Path, kind: type[_Kind], changes: Sequence[str] = ()) -> _Kind:
    """Read a config of the given kind from a TOML file.

    changes: keys to set after reading, as in `learning.epochs=4`, see `apply_changes`.

    Raises:
        ConfigError: the file is not TOML, or too large; a key is unknown or missing; a value is not allowed.
        OSError: the file cannot be read.
    """
    try:
        values = tomllib.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    try:
        return make_config(kind, apply_changes(values, changes))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def make_config(kind: type[_Kind], values: Mapping[str, Any]) -> _Kind:
    """A config of the given kind. Raises ConfigError as `read_toml` does, without the name of a file."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigError(_reasons(error, kind)) from None


def read_kept(path: Path, kind: type[_Kind]) -> _Kind:
    """Read the config that a run keeps in its folder, as JSON; raises as `read_toml` does."""
    try:
        return kind.model_validate_json(_text(path))
    except ValidationError as error:
        raise ConfigError(f"{path}: {_reasons(error, kind)}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not a config: {error}") from None


def _text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES} bytes")
    return content.decode("utf-8")


def _reasons(error: ValidationError, kind: type[BaseModel]) -> str:
    return "; ".join(shortened(_reason(item, kind)) for item in error.errors()[:MAX_REASONS])


def _reason(item: Any, kind: type[BaseModel]) -> str:
    loc = item["loc"]
    message = str(item["msg"]).removeprefix("Value error, ")
    if not loc:
        return message  # about several sections
    # with several kinds of learning, "learning" is followed by the kind, which is not a key of the file
    several = loc[0] == "learning" and len(_kinds_of_learning(kind)) > 1
    place = ".".join(map(str, loc[:1] + loc[2:] if several else loc))[: _shorten.maxstring]
    if item["type"] == "union_tag_invalid":
        known = [name for each in _kinds_of_learning(kind) for name in _learners(each)]
        given = item["ctx"]["tag"]
        return f"{place}.learner = {given!r}: {nearest(given, known)}"
    if item["type"] == "extra_forbidden":
        return f"unknown key {place}: {nearest(loc[-1], _keys(loc[:-1], kind))}"
    if item["type"] == "missing":
        return f"{place} is required"
    return f"{place} = {_shorten.repr(item['input'])}: {message}"


def _kinds_of_learning(kind: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    return get_args(kind.model_fields["learning"].annotation)


def _learners(kind: type[BaseModel]) -> tuple[str, ...]:
    return get_args(kind.model_fields["learner"].annotation)


def _keys(place: tuple[str | int, ...], kind: type[BaseModel]) -> list[str]:
    found: Any = kind
    for name in place:
        if isinstance(name, int):
            (found,) = get_args(found)  # an element of a list
        elif kinds := get_args(found):
            found = next(one for one in kinds if name in _learners(one))
        else:
            found = found.model_fields[name].annotation
    return list(found.model_fields)
