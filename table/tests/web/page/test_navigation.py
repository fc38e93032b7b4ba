"""Going from page to page, in one document: nothing of a page is left on the next one."""

from typing import Any

import pytest

from table.tests.web.page.browsing import Visit, play_on, sit_down

ELEMENTS = "document.querySelector('main').outerHTML"
SEATS: list[str | None] = [None, "random", "random", "random"]


@pytest.fixture
def page(visit: Visit, address: str) -> Any:
    """The lobby; the document and its open websockets are marked."""
    page = visit("about:blank")
    page.sockets = set()
    page.on("websocket", lambda socket: keep_while_open(page.sockets, socket))
    page.goto(address)
    page.wait_for_selector("#play button:enabled")
    page.evaluate("window.first = true")
    return page


def keep_while_open(sockets: set[Any], socket: Any) -> None:
    sockets.add(socket)
    socket.on("close", lambda closed: sockets.discard(closed))


def test_pages_leave_nothing_behind(page: Any) -> None:
    """Table, review, drills and the deals of the day, then the lobby: as it was, and with no connection."""
    before = page.evaluate("(document.querySelector('#mine').textContent = '', " + ELEMENTS + ")")
    sit_down(page, SEATS, [1])
    play_on(page)
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
    names = [sit_down(page, SEATS, [size]) for size in (2, 3)]
    page.wait_for_function("document.querySelectorAll('#hand .card').length === 3")
    assert len(page.sockets) == 1
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


def test_an_answer_for_a_page_that_was_left_is_not_shown(page: Any) -> None:
    """The review asks for a moment; the lobby is shown meanwhile."""
    sit_down(page, SEATS, [1])
    play_on(page)
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
