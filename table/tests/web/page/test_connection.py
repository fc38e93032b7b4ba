"""The page in Chromium while its server starts, is silent, or cannot be reached."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from wizard_table.web.readiness import READY, Readiness
from wizard_table.web.server import make_app

from table.tests.web.page.browsing import Visit
from table.tests.web.page.proxy import Proxy, proxied
from table.tools.serving import served

AGENTS = ["random", "heuristic"]
SILENT = "#connection span:not([hidden])"
ENABLED = "#choices button:enabled, #hand button:enabled"
FORBIDDEN = """for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new Error('forbidden'); } });"""
FULL = "Storage.prototype.setItem = () => { throw new Error('QuotaExceededError'); };"


def app_with(readiness: Readiness = READY) -> Starlette:
    return make_app(":memory:", AGENTS, readiness=readiness)


def open_table(address: str, **options: Any) -> dict[str, Any]:
    body = {"seats": [None, "random", "random"], "hand_sizes": [3]} | options
    opened: dict[str, Any] = httpx2.post(f"{address}tables", json=body).json()
    return opened


def sit(page: Any, address: str, **options: Any) -> None:
    """Open a table, take its first seat and begin."""
    opened = open_table(address, **options)
    page.evaluate(
        "([table, token]) => localStorage.setItem(`wizard ${table}`, token)", list(opened.values())[::2]
    )
    page.goto(f"{address}#{opened['table']}")
    page.wait_for_selector("#players li")
    if page.is_visible("#begin"):
        page.click("#begin")
    page.wait_for_selector("#hand .card")


# --- a cold start


def test_the_lobby_waits_for_a_server_that_starts(visit: Visit) -> None:
    """The button tells the progress and enables itself; nothing is refused."""
    readiness = Readiness(done=5, total=46)
    with served(app_with(readiness)) as address:
        page = visit(address)
        page.wait_for_selector("#play")
        button = page.locator("#play button")
        assert button.inner_text() == "Preparing 5 of 46"
        assert button.is_disabled()
        readiness.done = 40
        page.wait_for_selector("#play :text('Preparing 40 of 46')")
        readiness.ready = True
        page.wait_for_selector("#play button:enabled")
        assert button.inner_text() == "Play"
        button.click()
        page.wait_for_selector("#players li")
        assert page.inner_text("#error") == ""


def test_links_wait_for_a_server_that_starts(visit: Visit) -> None:
    """A seat by link, a match and a table to watch appear once it is ready."""
    readiness = Readiness(ready=True)
    with served(app_with(readiness)) as address:
        seats = {
            "#join button.main": open_table(address, seats=[None, None, "random"])["table"],
            "#players li": open_table(address, seats=["random"] * 3)["table"],
            "#result button.main": "daily",
        }
        for shown, name in seats.items():
            readiness.ready, readiness.done, readiness.total = False, 0, 3
            page = visit(f"{address}#{name}")
            page.wait_for_selector("text=Preparing 0 of 3 >> visible=true")
            readiness.ready = True
            page.wait_for_selector(f"{shown}:not([disabled])")
            assert page.inner_text("#error") == ""


def test_a_table_waits_for_a_server_that_starts_again(visit: Visit) -> None:
    """The connection is refused meanwhile; the table comes back by itself."""
    readiness = Readiness(ready=True)
    with served(app_with(readiness)) as server, proxied(server) as proxy:
        page = visit(proxy.address)
        sit(page, proxy.address)
        readiness.ready, readiness.total = False, 7
        proxy.cut()
        page.wait_for_selector("text=Preparing 0 of 7")
        assert page.locator("#choices button:enabled, #hand button:enabled").count() == 0
        readiness.ready = True
        page.wait_for_selector("#choices button:enabled, #hand button:enabled")
        page.wait_for_selector("#starting", state="hidden")


def test_a_connection_that_is_back_lets_people_leave(visit: Visit) -> None:
    """Invitations do not need it, and the buttons that only show something neither."""
    readiness = Readiness(ready=True)
    with served(app_with(readiness)) as server, proxied(server) as proxy:
        page = visit(proxy.address)
        sit(page, proxy.address, seats=[None, None, "random"])
        readiness.ready = False
        proxy.cut()
        page.wait_for_selector("#leave:disabled")
        assert page.is_enabled("#invite")
        readiness.ready = True
        page.wait_for_selector("#leave:enabled")
        page.click("#leave")
        page.wait_for_selector("#play button:enabled")


# --- a server that is silent


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """A proxy to a server that is ready."""
    with served(app_with()) as server, proxied(server) as proxy:
        yield proxy


def test_a_silent_server_is_noticed_at_the_table(visit: Visit, proxy: Proxy) -> None:
    """A word after three seconds, another connection after ten."""
    page = visit("about:blank")
    page.clock.install()
    opened: list[Any] = []
    page.on("websocket", lambda socket: opened.append(socket))
    page.goto(proxy.address)
    sit(page, proxy.address)
    page.wait_for_selector(ENABLED)
    proxy.stall()
    page.locator(ENABLED).first.click()
    page.clock.run_for(2000)
    assert page.locator(SILENT).count() == 0
    page.clock.run_for(1500)
    page.wait_for_selector(SILENT)
    assert len(opened) == 1
    page.clock.run_for(8000)
    page.wait_for_selector(ENABLED, state="detached")
    proxy.flow()
    page.clock.run_for(1000)
    page.wait_for_selector(ENABLED)
    page.wait_for_selector(SILENT, state="detached")
    assert len(opened) > 1


def test_a_table_that_nobody_acts_at_is_watched_too(visit: Visit, proxy: Proxy) -> None:
    page = visit("about:blank")
    page.clock.install()
    page.goto(proxy.address)
    sit(page, proxy.address)
    proxy.stall()
    page.clock.run_for(7000)
    page.wait_for_selector(SILENT)
    proxy.flow()
    page.wait_for_selector(SILENT, state="detached")


def test_a_first_connection_that_is_refused(visit: Visit, proxy: Proxy) -> None:
    """The page says so, and tries again until the table is there."""
    page = visit("about:blank")
    opened = open_table(proxy.address, seats=["random"] * 3)
    refused: list[Any] = []
    page.route_web_socket(
        "**/tables/*",
        lambda route: refused.append(route.close()) if len(refused) < 2 else route.connect_to_server(),
    )
    page.goto(f"{proxy.address}#{opened['table']}")
    page.wait_for_selector(SILENT)
    page.wait_for_selector("#players li")
    page.wait_for_selector(SILENT, state="detached")
    assert len(refused) == 2


@pytest.mark.parametrize(
    "event",
    ["window.dispatchEvent(new Event('online'))", "document.dispatchEvent(new Event('visibilitychange'))"],
)
def test_it_is_tried_again_at_once_when_there_is_hope(visit: Visit, proxy: Proxy, event: str) -> None:
    """The network is back, or the person is. Else the pauses have become long by then."""
    page = visit("about:blank")
    page.clock.install()
    page.goto(proxy.address)
    sit(page, proxy.address)
    tried: list[Any] = []
    page.route("**/ready", lambda route: tried.append(route.abort()))
    proxy.cut()
    page.wait_for_selector(SILENT)
    while len(tried) < 5:  # after 0.5, 1, 2 and 4 seconds
        page.clock.run_for(500)
    page.unroute("**/ready")
    page.evaluate(event)
    page.wait_for_selector(SILENT, state="detached", timeout=2000)


def test_the_lobby_of_a_silent_server(visit: Visit, proxy: Proxy) -> None:
    """A word after three seconds; it goes with the next answer."""
    page = visit("about:blank")
    page.clock.install()
    page.goto(proxy.address)
    page.wait_for_selector("#play button:enabled")
    proxy.stall()
    page.clock.run_for(8500)  # the tables are asked for every five seconds
    page.wait_for_selector(SILENT)
    proxy.flow()
    page.wait_for_selector(SILENT, state="detached")
    page.click("#play button")
    page.wait_for_selector("#players li")


@pytest.mark.parametrize("missing", ["language", "agents", "ready"])
def test_a_page_without_an_answer_is_not_empty(visit: Visit, proxy: Proxy, missing: str) -> None:
    page = visit("about:blank")
    held: list[Any] = []
    page.route(
        f"**/{missing}", lambda route: held.append(route.abort()) if len(held) < 3 else route.continue_()
    )
    page.goto(proxy.address)
    page.wait_for_selector(SILENT)
    page.wait_for_selector("#play")
    page.wait_for_selector(SILENT, state="detached")


# --- a browser that keeps nothing


@pytest.mark.parametrize("storage", [FORBIDDEN, FULL])
def test_the_page_works_without_storage(visit: Visit, proxy: Proxy, storage: str) -> None:
    """Settings, the seat and the games under review are kept for as long as the page is open."""
    page = visit("about:blank")
    page.add_init_script(storage)
    page.goto(proxy.address)
    page.wait_for_selector("#play")
    page.fill("#friendly", "Ann")
    page.evaluate("theme.value = 'dark'; theme.onchange()")
    page.click("#friend button")
    page.wait_for_selector("#players li")
    table = page.url
    page.click(".home")
    page.wait_for_selector("#play")
    assert page.input_value("#friendly") == "Ann"
    assert page.evaluate("[theme.value, document.documentElement.dataset.theme]") == ["dark", "dark"]
    page.click("#mine a")
    page.wait_for_selector("#players li")
    assert page.url == table
