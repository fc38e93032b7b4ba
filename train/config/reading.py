"""Reading configs from TOML files; unknown keys and bad values are refused."""

import reprlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from wizard_env.checks import nearest, quoted, shortened
from wizard_env.files import check_kept
from wizard_env.train.config.changes import apply_changes
from wizard_env.train.config.ppo import KEPT
from wizard_env.train.config.run import Config

_Kind = TypeVar("_Kind", bound=BaseModel)

_MAX_BYTES = 1 << 14
"""The largest file that is read; parsing takes seconds for keys of a hundred thousand dots."""
_MAX_REASONS = 5
"""The most mistakes that are named in one file."""
_shorten = reprlib.Repr()
_shorten.maxstring = _shorten.maxother = 80


class ConfigError(ValueError):
    """A config cannot be used; the message names the file, the key, the value and the reason."""


def read_config(path: Path, changes: Sequence[str] = ()) -> Config:
    """Read a config of `wizard train`; raises as `read_toml` does."""
    return read_toml(path, Config, changes)


def read_toml(path: Path, kind: type[_Kind], changes: Sequence[str] = ()) -> _Kind:
    """Read a config of the given kind from a TOML file.

    Args:
        path: the file.
        kind: the class of the config.
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
    """Check values; raises ConfigError as `read_toml` does, without the name of a file."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigError(_reasons(error, kind)) from None


def read_kept(path: Path, kind: type[_Kind]) -> _Kind:
    """Read the config that a run keeps in its folder, as JSON; raises as `read_toml` does."""
    check_kept(path)
    try:
        return kind.model_validate_json(_text(path), context=KEPT)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_reasons(error, kind)}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not a config: {error}") from None


def _text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES} bytes")
    return content.decode("utf-8")


def _reasons(error: ValidationError, kind: type[BaseModel]) -> str:
    return "; ".join(shortened(_reason(item, kind)) for item in error.errors()[:_MAX_REASONS])


def _reason(item: Any, kind: type[BaseModel]) -> str:
    loc = item["loc"]
    message = str(item["msg"]).removeprefix("Value error, ")
    if not loc:
        return message  # about several sections
    # in a union of learners, "learning" is followed by the learner, which is not a key of the file
    in_union = loc[0] == "learning" and len(_learning_classes(kind)) > 1
    key = ".".join(map(str, loc[:1] + loc[2:] if in_union else loc))[: _shorten.maxstring]
    if item["type"] == "union_tag_invalid":
        known = [_learner(each) for each in _learning_classes(kind)]
        given = item["ctx"]["tag"]
        return f"{key}.learner = {quoted(given)}: {nearest(given, known)}"
    if item["type"] == "extra_forbidden":
        return f"unknown key {key}: {nearest(loc[-1], _keys(loc[:-1], kind))}"
    if item["type"] == "missing":
        return f"{key} is required"
    return f"{key} = {_shorten.repr(item['input'])}: {message}"


def _learning_classes(kind: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    return get_args(kind.model_fields["learning"].annotation)


def _learner(learning: type[BaseModel]) -> str:
    (name,) = get_args(learning.model_fields["learner"].annotation)
    return str(name)


def _keys(path: tuple[str | int, ...], kind: type[BaseModel]) -> list[str]:
    """Return the keys that are allowed in a section."""
    found: Any = kind
    for name in path:
        if isinstance(name, int):
            (found,) = get_args(found)  # an element of a list
        elif classes := get_args(found):
            found = next(each for each in classes if _learner(each) == name)
        else:
            found = found.model_fields[name].annotation
    return list(found.model_fields)
