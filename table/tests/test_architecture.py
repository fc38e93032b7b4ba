"""The table imports the library, never the other way, and its modules import each other in no circle."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_architecture import imports, modules, package

PACKAGE = Path(__file__).parent.parent / "wizard_table"
SOURCES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
"""Every module of the table, and its file."""


def imported_names(path: Path) -> Iterator[tuple[str, str]]:
    """The module and the name of everything that a file imports from another."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("module", modules())
def test_the_library_does_without_the_table(module: str) -> None:
    """And without what only the table needs; the MCP server brings starlette for itself."""
    needed = {imported.partition(".")[0] for imported in imports(modules()[module])}
    assert not needed & {"wizard_table", "table", "babel", "segno"}
    assert "starlette" not in needed or package(module) == "llm"


@pytest.mark.parametrize("module", SOURCES)
def test_the_table_imports_only_what_is_public(module: str) -> None:
    for source, name in imported_names(SOURCES[module]):
        assert source.partition(".")[0] not in ("table", "tests", "tools", "benchmarks")
        if not module.startswith(source):
            assert not any(part.startswith("_") for part in (*source.split("."), name) if part != "__init__")


def test_no_module_of_the_table_reaches_itself() -> None:
    above = {
        module: {one for source, name in imported_names(path) for one in (source, f"{source}.{name}")}
        & SOURCES.keys() - {module, module.rpartition(".")[0]}
        for module, path in SOURCES.items()
    }
    while free := [module for module, needed in above.items() if not needed & above.keys()]:
        for module in free:
            del above[module]
    assert not above, f"these import each other: {sorted(above)}"
