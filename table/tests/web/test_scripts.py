"""The page's scripts: who imports whom, and that they name only elements that the page has."""

import posixpath
import re
from graphlib import TopologicalSorter

import pytest
from wizard_table.web.page import PAGE

from wizard_env.session import PERSON

SCRIPTS = {
    file.relative_to(PAGE).as_posix(): file.read_text(encoding="utf-8") for file in sorted(PAGE.rglob("*.js"))
}
IMPORTS = {
    name: {
        posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))
        for imported in re.findall(r'\b(?:from|import)\s*\(?\s*"(\.[^"]+)"', script)
    }
    for name, script in SCRIPTS.items()
}
START = "main.js"
LATER = "later.js"
"""Imports the pages that a first visit does without."""
PAGES = {"lobby/lobby.js", "pages/drills.js", "pages/review.js", "table/table.js"}
CONNECTS = re.compile(r"\b(?:fetch|WebSocket|XMLHttpRequest|EventSource|sendBeacon)\b")


def behind(script: str) -> set[str]:
    """The scripts that one imports, directly or through others."""
    found: set[str] = set()
    waiting = [script]
    while waiting:
        new = IMPORTS[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def test_there_is_no_import_circle() -> None:
    assert set(TopologicalSorter(IMPORTS).static_order()) == set(SCRIPTS)


def test_the_page_loads_every_script() -> None:
    assert re.findall(r'<script src="([^"]+)"', (PAGE / "index.html").read_text(encoding="utf-8")) == [
        f"static/{START}"
    ]
    assert behind(START) | {START} == set(SCRIPTS)


def test_two_scripts_connect_and_drawing_does_without() -> None:
    """Over HTTP and over the websocket. One more fetches the texts, before all others run."""
    connecting = {name for name, script in SCRIPTS.items() if CONNECTS.search(script)}
    assert connecting == {"shared/connection.js", "shared/socket.js", "language.js"}
    assert not behind("table/drawing.js") & {"shared/connection.js", "shared/socket.js", "shared/address.js"}


@pytest.mark.parametrize("page", sorted(PAGES))
def test_pages_are_reached_by_address(page: str) -> None:
    """Only the first script opens them, some by way of another; no page calls another."""
    importing = [name for name, imported in IMPORTS.items() if page in imported]
    assert importing in ([START], [LATER])
    assert [name for name, imported in IMPORTS.items() if LATER in imported] == [START]


def test_the_elements_that_scripts_name_are_on_the_page() -> None:
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    scripts = "".join(SCRIPTS.values())
    named = set(re.findall(r'\$\("(\w+)"\)', scripts))
    for several in re.findall(r"for \(const name of \[([^\]]+)\]\) \$\(name\)", scripts):
        named |= set(re.findall(r'"(\w+)"', several))
    assert {"table", "players", "adviser", "paces"} <= named
    for name in named:
        assert f'id="{name}"' in html


def test_people_without_a_name_are_named_as_the_server_does() -> None:
    assert f'NAMELESS = "{PERSON}"' in SCRIPTS["shared/elements.js"]
