"""An extension of Sphinx that reads the docstrings of this project for the API page."""

import re
from dataclasses import is_dataclass
from typing import Any

from sphinx.util.inspect import signature, stringify_signature

# name: what it is, with further lines indented, from the beginning of a paragraph on
_LINES = re.compile(r"(?:\A|\n\n)((?:\w+: .+(?:\n    .+)*(?:\n|\Z))+)")
_SIGNS = re.compile(r"(`+[^`]*`+)|([*|])")


def as_section(docstring: str, title: str) -> str:
    """Return the docstring with every run of such lines as a section of this title."""

    def indented(found: re.Match[str]) -> str:
        lines = found[1].rstrip("\n").splitlines()
        return f"\n\n{title}:\n" + "\n".join(f"    {line}" for line in lines) + "\n"

    return _LINES.sub(indented, docstring)


def escaped(docstring: str) -> str:
    """Return the docstring with asterisks and bars escaped, except in backticks."""
    return _SIGNS.sub(lambda found: found[1] or rf"\{found[2]}", docstring)


def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring in place, before napoleon reads its sections."""
    text = escaped("\n".join(lines))
    if what in ("attribute", "property"):
        lines[:] = ["", *text.split("\n")]  # or napoleon takes the words before a colon for a type
    else:
        lines[:] = as_section(text, "Attributes" if what in ("class", "exception") else "Args").split("\n")


def arguments(
    app: Any, what: str, name: str, thing: Any, options: Any, *given: Any
) -> tuple[str, str] | None:
    """Return the fields of a dataclass as its arguments, also where a `__new__` checks their names."""
    if not (what == "class" and is_dataclass(thing)):
        return None
    own = signature(thing.__init__, bound_method=True)  # type: ignore[misc]
    return stringify_signature(own, show_return_annotation=False, unqualified_typehints=True), ""


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", process, priority=100)
    app.connect("autodoc-process-signature", arguments)
    return {"parallel_read_safe": True}
