"""The pages of the documentation: their blocks of code, and what these print."""

import importlib.util
import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent.parent
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOLD = re.compile(r"^```python\n(.*?)^```\n(?:\n*```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of a language, in order."""
    text = page.read_text(encoding="utf-8")
    return [code for name, code in _BLOCK.findall(text) if name == language]


def told(page: Path) -> list[tuple[str, str | None]]:
    """Every block of Python with the output that stands below it, if there is one."""
    text = page.read_text(encoding="utf-8") + "\n"
    return [(found[1], found[2]) for found in _TOLD.finditer(text)]


def run(code: str, printed: str | None, names: dict[str, Any], place: str = "block") -> None:
    """Run a block with and among these names; it must print what the page says, where it says so."""
    output = io.StringIO()
    with redirect_stdout(output):
        exec(compile(code, place, "exec"), names)
    if printed is not None:
        lines = [line.rstrip() for line in output.getvalue().splitlines()]
        assert lines == printed.splitlines(), f"{place} printed\n{output.getvalue()}"


def run_page(page: Path) -> dict[str, Any]:
    """Run the blocks of a page one after another, as a reader would; returns the names that they made."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, (code, printed) in enumerate(told(page)):
        run(code, printed, names, f"{page.name}, block {number}")
    return names


def load_script(name: str) -> ModuleType:
    """A script of the folder tools, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
