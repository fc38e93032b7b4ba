"""The pages of the documentation: their blocks of code, and the outputs of these."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PRINTING = re.compile(r"^```python\n(.*?)^```\n(?:\n*```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of a language, in order."""
    text = page.read_text(encoding="utf-8")
    return [code for name, code in _BLOCK.findall(text) if name == language]


def examples(page: Path) -> list[tuple[str, str | None]]:
    """Return every block of Python with the output shown below it, or None."""
    text = page.read_text(encoding="utf-8") + "\n"
    return [(found[1], found[2]) for found in _PRINTING.finditer(text)]


def run(code: str, printed: str | None, names: dict[str, Any], title: str = "block") -> None:
    """Run a block with these names, and add its own to them; check its output against `printed`."""
    output = io.StringIO()
    with redirect_stdout(output):
        exec(compile(code, title, "exec"), names)
    if printed is not None:
        lines = [line.rstrip() for line in output.getvalue().splitlines()]
        assert lines == printed.splitlines(), f"{title} printed\n{output.getvalue()}"


def run_page(page: Path) -> dict[str, Any]:
    """Run the blocks of a page one after another, as a reader would; returns the names they define."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, (code, printed) in enumerate(examples(page)):
        run(code, printed, names, f"{page.name}, block {number}")
    return names
