"""For the API page: what a docstring says of attributes, line by line, becomes their table."""

import re
from typing import Any

import griffe

# name: what it is, with further lines indented, from the beginning of a paragraph on
_LINES = re.compile(r"(?:\A|\n\n)((?:\w+: .+(?:\n    .+)*(?:\n|\Z))+)")


def as_section(docstring: str) -> str:
    """The docstring with every run of such lines as a section "Attributes:"."""

    def indented(found: re.Match[str]) -> str:
        lines = found[1].rstrip("\n").splitlines()
        return "\n\nAttributes:\n" + "\n".join(f"    {line}" for line in lines) + "\n"

    return _LINES.sub(indented, docstring)


class Attributes(griffe.Extension):
    """Changes what is said of classes, which have such lines."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        if cls.docstring:
            cls.docstring.value = as_section(cls.docstring.value)
        for name, member in list(cls.members.items()):
            if member.is_attribute and not (member.docstring or "property" in member.labels):
                del cls.members[name]  # said in the class's own docstring, or of no use outside
