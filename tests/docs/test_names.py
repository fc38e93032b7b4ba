"""Names of code and of files that prose mentions exist."""

import ast
import importlib
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT
from tests.test_architecture import PARTS, sources

FOLDERS = (*PARTS, "wizard_env", "wizard_verifiers", "benchmarks", "docs", "examples", "tests", "tools")

NAME = re.compile(r"\bwizard_env(?:\.[A-Za-z_]\w*)+")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./*-]*(?:\.\w+|/))`")


def comments_and_docstrings(path: Path) -> Iterator[str]:
    """Yield the prose in a Python file: docstrings, texts below constants and fields, comments."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def latest_changes() -> str:
    """Return the newest section of the changelog, of its tables only the last column: the new names."""
    section = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    return re.sub(r"^\|.*\|(.*)\|$", r"\1", section, flags=re.MULTILINE)


def prose() -> Iterator[tuple[str, str]]:
    """Yield the name of each file and its prose."""
    for page in (*PAGES, ROOT / "SECURITY.md"):
        yield page.name, page.read_text(encoding="utf-8")
    yield "CHANGELOG.md", latest_changes()
    for path in sources():
        yield str(path.relative_to(ROOT)), "\n".join(comments_and_docstrings(path))
    for path in sorted((ROOT / "configs").glob("*.toml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield path.name, "\n".join(line.partition("#")[2] for line in lines)


def exists(name: str) -> bool:
    """Return whether a dotted name is a module, or is found in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module, rest = ".".join(parts[:length]), parts[length:]
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name and error.name.partition(".")[0] != "wizard_env" and source_of(module).exists():
                return defines(module, rest)  # an extra is not installed
            continue
        for attribute in rest:
            if not hasattr(found, attribute):
                return attribute in getattr(found, "__annotations__", {})
            found = getattr(found, attribute)
        return True
    return False


def source_of(module: str) -> Path:
    """Return the path of a module's source, if it is no package."""
    return (ROOT / "wizard_env" / Path(*module.split(".")[1:])).with_suffix(".py")


def defines(module: str, rest: list[str]) -> bool:
    """Return whether the source of a module, which cannot be imported here, defines a name."""
    source = source_of(module).read_text(encoding="utf-8")
    return not rest or bool(re.search(rf"^(?:class |def |){rest[0]}\b", source, re.MULTILINE))


def test_every_name_that_prose_mentions_exists() -> None:
    names = sorted({(name, where) for where, text in prose() for name in NAME.findall(text)})
    assert len(names) > 50
    assert [(name, where) for name, where in names if not exists(name)] == []


@pytest.mark.parametrize("name", ["wizard_env.gone", "wizard_env.Game.gone", "wizard_env.agents.search.gone"])
def test_a_name_that_is_gone_is_found(name: str) -> None:
    assert not exists(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    for name in PATH.findall(page.read_text(encoding="utf-8")):
        assert list(ROOT.glob(name.rstrip("/"))), f"{page.name} names {name}"
