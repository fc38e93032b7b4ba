"""Changes to a config from outside its file: `--set learning.learning_rate=1e-3`."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from wizard_env.checks import quoted


def apply_changes(values: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Return the values of a config with some keys set.

    Args:
        values: the sections and keys of a file.
        changes: each `section.key=value` or `key=value`; the value as in TOML, where text may go unquoted.

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
        inside[key] = read_value(text)
    return changed


def read_value(text: str) -> Any:
    """Read a value as TOML writes it, or as text if it is none: 1e-3, [64, 64], true, heuristic."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
