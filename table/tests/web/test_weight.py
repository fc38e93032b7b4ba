"""The weight of the page: the bytes and requests of a first visit, and its time on a slow network."""

import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from wizard_table.commands import OFFERED
from wizard_table.web.server import make_app

from table.tests.web.chromium import chromium
from table.tools import screenshot

MOST_BYTES = 60_000
MOST_REQUESTS = 8
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
"""Milliseconds for each request, and bytes per second: 1.6 Mbit/s down, 750 kbit/s up."""
MOST_SECONDS = 3.0
PLAYABLE = "#play button.main:enabled"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server with the agents that `wizard serve` offers."""
    with screenshot.served(make_app(":memory:", OFFERED)) as address:
        yield address


class Visit:
    """A fresh browser, and what it loads."""

    def __init__(self, browser: Any, language: str) -> None:
        self.page = browser.new_context(locale=language).new_page()
        self.page.set_default_timeout(60_000)
        self.asked: list[str] = []
        self.bytes = 0.0
        self.network = self.page.context.new_cdp_session(self.page)
        self.network.send("Network.enable")
        self.network.on("Network.requestWillBeSent", lambda event: self.asked.append(event["request"]["url"]))
        self.network.on("Network.loadingFinished", self._count)

    def _count(self, event: dict[str, Any]) -> None:
        self.bytes += event["encodedDataLength"]

    def load(self, address: str) -> None:
        with self.page.expect_response("**/tables"):
            self.page.goto(address)
        self.page.wait_for_selector(PLAYABLE)


@pytest.mark.parametrize("language", ["en", "es-ES"])
def test_a_first_visit_is_light(address: str, language: str) -> None:
    """With all headers, until a game can be opened; other pages load what they need besides."""
    with chromium() as browser:
        visit = Visit(browser, language)
        visit.load(address)
        first, asked = visit.bytes, len(visit.asked)
        visit.page.evaluate("location.hash = 'drills'")
        visit.page.wait_for_selector("#result h1")
        visit.page.evaluate("location.hash = ''")
        visit.page.wait_for_selector(PLAYABLE)
    assert 20_000 < first <= MOST_BYTES
    assert asked <= MOST_REQUESTS, visit.asked
    again = [urlsplit(one).path for one in visit.asked[asked:]]
    loaded = [
        path for path in again if path.endswith((".js", ".css")) or path in ("/", "/language", "/agents")
    ]
    assert len(loaded) == 1  # the scripts of the drills
    assert loaded[0] not in [urlsplit(one).path for one in visit.asked[:asked]]


def test_it_is_playable_soon_on_a_slow_network(address: str) -> None:
    """A game can be opened within three seconds; longer where other programs run too."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    with chromium() as browser:
        Visit(browser, "es-ES").load(address)  # the server has sent everything once
        visit = Visit(browser, "es-ES")
        visit.network.send("Network.emulateNetworkConditions", SLOW_4G)
        visit.load(address)
        seconds = visit.page.evaluate("performance.now()") / 1000
    assert 0.6 < seconds < MOST_SECONDS * busy
