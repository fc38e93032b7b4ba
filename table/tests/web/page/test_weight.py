"""The weight of the page: the bytes of a first visit, and its time on a slow network."""

import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from wizard_table.commands import OFFERED
from wizard_table.web.server import make_app

from table.tools.serving import served

MOST_BYTES = 90_000
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
"""Milliseconds for each request, and bytes per second: 1.6 Mbit/s down, 750 kbit/s up."""
MOST_SECONDS = 3.0
PLAYABLE = "#play button.main:enabled"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server with the agents that `wizard serve` offers."""
    with served(make_app(":memory:", OFFERED)) as address:
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


@pytest.mark.parametrize("language", ["en", "de-DE"])
def test_a_first_visit_is_light(browser: Any, address: str, language: str) -> None:
    """With all headers, until a game can be opened; other pages load what they need besides."""
    visit = Visit(browser, language)
    visit.load(address)
    first, asked = visit.bytes, [urlsplit(one).path for one in visit.asked]
    visit.page.evaluate("location.hash = 'profile'")
    visit.page.wait_for_selector("#result h1")
    later = [urlsplit(one).path for one in visit.asked][len(asked) :]
    visit.page.goto("about:blank")
    visit.asked.clear()
    visit.load(address)
    again = [urlsplit(one).path for one in visit.asked]
    visit.page.context.close()
    assert 20_000 < first <= MOST_BYTES
    assert any(path.endswith("/later.js") for path in later)
    assert not any(path.endswith("/later.js") for path in asked)
    assert all(path.startswith("/static/") for path in later)
    assert len(asked) == len(set(asked))
    assert {path for path in again if path.startswith("/static/")} <= set(asked)


def test_it_is_playable_soon_on_a_slow_network(browser: Any, address: str) -> None:
    """A game can be opened within three seconds; longer where other programs run too."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    first, visit = Visit(browser, "es-ES"), Visit(browser, "es-ES")
    first.load(address)  # the server has sent everything once
    visit.network.send("Network.emulateNetworkConditions", SLOW_4G)
    visit.load(address)
    seconds = visit.page.evaluate("performance.now()") / 1000
    for one in (first, visit):
        one.page.context.close()
    assert 0.6 < seconds < MOST_SECONDS * busy
