"""Going from page to page, in one document: nothing of a page is left on the next one."""

from collections.abc import Iterator
from typing import Any

import pytest
from wizard_table.web.server import make_app

from table.tests.web.chromium import LAST_CHOICES, chromium
from table.tools import screenshot

ELEMENTS = "document.querySelector('main').outerHTML"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on a free port."""
    app = make_app(tmp_path_factory.mktemp("served") / "tables.sqlite", ["random", "search:worlds=4"])
    with screenshot.served(app) as address:
        yield address


@pytest.fixture
def page(address: str) -> Iterator[Any]:
    """The lobby in a fresh browser; the document and its open websockets are marked."""
    with chromium() as browser:
        page = browser.new_context(bypass_csp=True, reduced_motion="reduce").new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        page.sockets = set()
        page.on("websocket", lambda socket: keep_while_open(page.sockets, socket))
        page.goto(address)
        page.wait_for_selector("#play button:enabled")
        page.evaluate("window.first = true")
        yield page


def keep_while_open(sockets: set[Any], socket: Any) -> None:
    sockets.add(socket)
    socket.on("close", lambda closed: sockets.discard(closed))


def open_table(page: Any, sizes: list[int]) -> str:
    """Open a table of this person and three agents; return its name."""
    page.evaluate(
        """async (sizes) => {
          const seats = [null, 'random', 'random', 'random'];
          const headers = { 'Content-Type': 'application/json' };
          const body = JSON.stringify({ seats, hand_sizes: sizes });
          const opened = await (await fetch('tables', { method: 'POST', headers, body })).json();
          localStorage.setItem(`wizard ${opened.table}`, opened.token);
          location.hash = opened.table;
        }""",
        sizes,
    )
    page.wait_for_selector("#players li")
    page.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
    return str(page.evaluate("location.hash.slice(1)"))


def test_pages_leave_nothing_behind(page: Any) -> None:
    """Table, review, drills and the deals of the day, then the lobby: as it was, and with no connection."""
    before = page.evaluate("(document.querySelector('#mine').textContent = '', " + ELEMENTS + ")")
    open_table(page, [1])
    page.evaluate(LAST_CHOICES)
    page.click("#podium button:has-text('Review')")
    page.wait_for_selector("#review:not([hidden])")
    page.wait_for_selector("#players li")
    page.goto(f"{page.url.partition('#')[0]}#drills")
    page.wait_for_selector("#drill:not([hidden])", state="attached")
    page.goto(f"{page.url.partition('#')[0]}#daily")
    page.wait_for_selector("#result form")
    page.evaluate("localStorage.clear()")
    page.evaluate("location.hash = ''")
    page.wait_for_selector("#play button:enabled")
    assert page.evaluate("(document.querySelector('#mine').textContent = '', " + ELEMENTS + ")") == before
    assert page.evaluate("[window.first, document.title, document.body.outerHTML.slice(0, 6)]") == [
        True,
        "Wizard",
        "<body>",
    ]
    assert page.sockets == set()


def test_one_table_after_another(page: Any) -> None:
    """Each draws its own game over one connection, and keys act at the one that is shown."""
    names = [open_table(page, [size]) for size in (2, 3)]
    assert len(page.sockets) == 1
    assert page.locator("#hand .card").count() == 3
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.go_back()
    page.wait_for_selector("#players li")
    assert page.evaluate("location.hash") == f"#{names[0]}"
    assert page.locator("#hand .card").count() == 2
    assert page.locator("dialog[open]").count() == 0
    page.click(".home")
    page.wait_for_selector("#mine li:nth-child(2) a")
    assert page.is_hidden("#table")
    assert page.evaluate("window.first")


def test_an_answer_for_a_page_that_was_left_is_not_shown(page: Any, address: str) -> None:
    """The review asks for a moment; the lobby is shown meanwhile."""
    open_table(page, [1])
    page.evaluate(LAST_CHOICES)
    held: list[Any] = []
    page.route("**/records/moment", lambda route: held.append(route))
    page.click("#podium button:has-text('Review')")
    while not held:
        page.wait_for_timeout(20)
    page.evaluate("location.hash = ''")
    page.wait_for_selector("#play button:enabled")
    held[0].continue_()
    page.wait_for_timeout(500)
    assert page.is_hidden("#table")
    assert page.is_visible("#play")
