"""The documentation site: it builds, has every page, and needs no network."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

DOCS = ROOT / "docs"
SOURCES = ("src", "srcset", "data", "poster")
ELSEWHERE = re.compile(r"^(?:[a-z]+:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site in a new folder.

    Warnings of dangling links and anchors, and of pages in no navigation, end the build.
    """
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    doctrees = tmp_path_factory.mktemp("doctrees")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-d", str(doctrees), str(DOCS), str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


class References(HTMLParser):
    """References to everything that a page loads by itself; links are left out."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.found.append(given.get("href") or "")
        elif tag != "a":
            self.found += [value for name in SOURCES if (value := given.get(name))]


def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > len(list(DOCS.rglob("*.md")))  # and the search
    return found


def test_every_page_is_built(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS).with_suffix(".html")).is_file()
    assert not list(site.rglob("*.py"))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """Scripts, style sheets, pictures and fonts of all pages are in the site."""
    for page in pages(site):
        for reference in References(page).found:
            assert not ELSEWHERE.match(reference), f"{page.name} loads {reference}"
            if not reference.startswith(("data:", "#")):
                assert (page.parent / reference.partition("?")[0]).is_file(), f"{page.name} loads {reference}"


def test_style_sheets_load_nothing_from_elsewhere(site: Path) -> None:
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        loaded = re.findall(r"(?:url\(|@import\s+)[\"']?([^\"')]+)", text)
        assert not [target for target in loaded if ELSEWHERE.match(target)], sheet.name


def test_search_needs_no_server(site: Path) -> None:
    """The index is a script, which a page may load from a file."""
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert index.startswith("Search.setIndex(")
    assert "jester" in index


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_reader_finds_a_word_in_the_files(site: Path) -> None:
    """The search works from a page in a subfolder, without a network and without errors."""
    playwright = pytest.importorskip("playwright.sync_api")
    asked: list[str] = []
    with playwright.sync_playwright() as machine:
        arguments = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox", "--disable-gpu"]}
        browser = machine.chromium.launch(**arguments)
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: asked.append(str(error)))
        page.goto((site / "tutorials" / "train.html").as_uri())
        page.fill("input[name=q]", "Jester")
        page.press("input[name=q]", "Enter")
        found = page.wait_for_selector("#search-results li a", timeout=60_000)
        assert (site / found.get_attribute("href").partition("#")[0].partition("?")[0]).is_file()
        page.wait_for_timeout(200)
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
