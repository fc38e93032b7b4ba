"""Reading configs from TOML files; unknown keys and bad values are refused."""

import codecs
import reprlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from wizard_env.checks import nearest, quoted, shortened
from wizard_env.files import check_kept
from wizard_env.train.config.run import Config

_MAX_BYTES = 1 << 14
"""The largest file that is read; parsing takes seconds for keys of a hundred thousand dots."""
_MAX_REASONS = 5
"""The most mistakes that are named in one file."""
_LEARNERS: tuple[type[BaseModel], ...] = get_args(Config.model_fields["learning"].annotation)
_shorten = reprlib.Repr()
_shorten.maxstring = _shorten.maxother = 80


class ConfigError(ValueError):
    """A config cannot be used; the message names the file, the key, the value and the reason."""


def read_config(path: Path, changes: Sequence[str] = ()) -> Config:
    """Read a config from a TOML file.

    Args:
        path: the file.
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
        return make_config(apply_changes(values, changes))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def make_config(values: Mapping[str, Any]) -> Config:
    """Check values; raises ConfigError as `read_config` does, without the name of a file."""
    try:
        return Config.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigError(_reasons(error)) from None


def read_kept(path: Path) -> Config:
    """Read the config that a run keeps in its folder, as JSON; raises as `read_config` does."""
    check_kept(path)
    try:
        return Config.model_validate_json(_text(path))
    except ValidationError as error:
        raise ConfigError(f"{path}: {_reasons(error)}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not a config: {error}") from None


def apply_changes(values: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Return the values of a config with some keys set.

    Args:
        values: the sections and keys of a file.
        changes: each `section.key=value` or `key=value`; the value as TOML writes it, or else text.

    Raises:
        ValueError: a change is not of that form.
    """
    changed: dict[str, Any] = {
        name: dict(value) if isinstance(value, dict) else value for name, value in values.items()
    }
    for change in changes:
        path, equals, text = (part.strip() for part in change.partition("="))
        *sections, key = path.split(".")
        if not equals or not key or len(sections) > 1:
            raise ValueError(f"{quoted(change)} is not of the form section.key=value")
        inside = changed
        for section in sections:
            inside = changed.setdefault(section, {})
            if not isinstance(inside, dict):
                raise ValueError(f"{quoted(change)}: {section} is not a section")
        try:
            inside[key] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            inside[key] = text
    return changed


def _text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES} bytes")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError("it is in UTF-16, as the > of PowerShell may write it: save it in UTF-8")
    return content.decode("utf-8-sig")  # Notepad may write a mark


def _reasons(error: ValidationError) -> str:
    return "; ".join(shortened(_reason(item)) for item in error.errors()[:_MAX_REASONS])


def _reason(item: Any) -> str:
    loc = item["loc"]
    message = str(item["msg"]).removeprefix("Value error, ")
    if not loc:
        return message  # about several sections
    # "learning" is followed by the learner, which is not a key of the file
    key = ".".join(map(str, loc[:1] + loc[2:] if loc[0] == "learning" else loc))[: _shorten.maxstring]
    if item["type"] == "union_tag_invalid":
        given = item["ctx"]["tag"]
        return f"{key}.learner = {quoted(given)}: {nearest(given, [_learner(each) for each in _LEARNERS])}"
    if item["type"] == "extra_forbidden":
        return f"unknown key {key}: {nearest(loc[-1], _keys(loc[:-1]))}"
    if item["type"] == "missing":
        return f"{key} is required"
    return f"{key} = {_shorten.repr(item['input'])}: {message}"


def _learner(learning: type[BaseModel]) -> str:
    (name,) = get_args(learning.model_fields["learner"].annotation)
    return str(name)


def _keys(path: tuple[str | int, ...]) -> list[str]:
    """Return the keys that are allowed in a section."""
    found: Any = Config
    for name in path:
        if isinstance(name, int):
            (found,) = get_args(found)  # an element of a list
        elif classes := get_args(found):
            found = next(each for each in classes if _learner(each) == name)
        else:
            found = found.model_fields[name].annotation
    return list(found.model_fields)
