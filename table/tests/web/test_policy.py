"""The page in a real Chromium under its own content security policy."""

from pathlib import Path
from typing import Any

import httpx2
from wizard_table.web.server import make_app

from table.tests.web.chromium import chromium
from table.tools import screenshot


def test_the_page_works_under_its_policy(tmp_path: Path) -> None:
    """Lobby and table: scripts, styles, requests and the websocket are let through; nothing else is tried."""
    app = make_app(tmp_path / "tables.sqlite", ["random"])
    with screenshot.served(app) as address, chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(60_000)
        told: list[str] = []
        page.on("console", lambda line: told.append(line.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        heard: list[Any] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda text: heard.append(text)))
        page.goto(address, wait_until="networkidle")
        seats = ["random", "random", "random"]
        opened = httpx2.post(f"{address}tables", json={"seats": seats, "hand_sizes": [1]}).json()
        page.goto(f"{address}#{opened['table']}")
        for _ in range(600):
            if heard:
                break
            page.wait_for_timeout(100)
        page.wait_for_timeout(200)
    assert heard
    assert told == []
