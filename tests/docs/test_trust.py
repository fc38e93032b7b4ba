"""The page on trust names tests that exist."""

import ast
import re

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "trust.md"


def test_every_test_that_the_page_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 20
    for file, name in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (file, name)


def test_every_promise_is_held_by_a_test() -> None:
    """A paragraph that begins in bold names one."""
    for paragraph in PAGE.read_text(encoding="utf-8").split("\n\n"):
        if paragraph.startswith("**"):
            assert "::test_" in paragraph, paragraph.splitlines()[0]
