"""The documentation site: it builds, has every page, and needs no network and no server."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

DOCS = ROOT / "docs"
LOADED = re.compile(
    r"<(?:link(?![^>]*canonical)|script|img|source|iframe)\b[^>]*?(?:href|src)=\"(?:[a-z]+:)?//"
)
LOADED_BY_SHEETS = re.compile(r"(?:url\(|@import\s+)[\"']?(?:[a-z]+:)?//")


def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """Warnings of dangling links and anchors, and of pages in no navigation, end the build."""
    pytest.importorskip("sphinx")
    site = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "-q",
        "-d",
        str(tmp_path / "doctrees"),
        str(DOCS),
        str(site),
    ]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    for page in DOCS.rglob("*.md"):
        shown = (site / page.relative_to(DOCS).with_suffix(".html")).read_text(encoding="utf-8")
        assert LOADED.search(shown) is None, page.name
    for sheet in site.rglob("*.css"):
        assert LOADED_BY_SHEETS.search(sheet.read_text(encoding="utf-8")) is None, sheet.name
    index = (site / "searchindex.js").read_text(encoding="utf-8")  # a script, which needs no server
    assert index.startswith("Search.setIndex(")
    assert "jester" in index
