"""The page without a network: the score sheet and puzzles go on; a new version replaces the old one."""

from pathlib import Path
from typing import Any

import pytest
from wizard_table.web import page as page_of_server
from wizard_table.web.server import make_app

from table.tests.web.page.browsing import AGENTS, Visit
from table.tools.serving import served

INSTALLED = "navigator.serviceWorker.ready.then(({ active }) => active.state)"
OTHER_CACHES = """async (old) => {
  for (;;) {
    const names = await caches.keys();
    if (!names.includes(old)) return names;
    await new Promise((wake) => setTimeout(wake, 50));
  }
}"""


def opened(page: Any, where: str, until: str) -> None:
    page.goto("about:blank")
    page.goto(where)
    page.wait_for_selector(until)


def test_the_sheet_and_puzzles_work_without_a_network(visit: Visit, tmp_path: Path) -> None:
    with served(make_app(tmp_path / "tables.sqlite", AGENTS)) as address:
        page = visit(address)
        page.wait_for_selector("#play button:enabled")
        assert page.evaluate("navigator.serviceWorker.getRegistration()") is None  # a first visit is light
        page.click("a[href='#sheet']")
        page.wait_for_selector("#result form")
        page.evaluate(INSTALLED)
        page.wait_for_function("navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)

    opened(page, f"{address}#sheet", "#result form")
    for number in range(3):
        page.locator("#result form input.name").nth(number).fill(f"Player {number}")
    page.click("#result form .main")
    for _ in range(5):
        page.locator(".numbers button").first.click()
    assert page.locator(".pad tbody tr").count() == 2

    opened(page, f"{address}?again#drills", "#choices button, #hand button:enabled")
    assert page.inner_text("#asked").startswith("Puzzle ")
    page.evaluate("document.querySelector('#choices [data-action], #hand [data-action]:enabled').click()")
    page.wait_for_selector("#next:not([hidden])")
    assert page.locator("#advice tbody tr").count() > 2
    assert "You chose" in page.inner_text("#asked")


def test_a_new_version_replaces_the_old_one(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the next visit: the old files are gone."""
    with served(make_app(tmp_path / "tables.sqlite", AGENTS)) as address:
        page = visit(f"{address}#sheet")
        page.wait_for_selector("#result form")
        page.evaluate(INSTALLED)
        (old,) = page.evaluate("caches.keys()")
        newer = page_of_server._worker().replace(page_of_server.static_address(), "static/newer")
        newer = newer.replace("FILES = [", "FILES = []; [")
        monkeypatch.setattr(page_of_server, "_worker", lambda: newer)
        page.reload()
        assert page.evaluate(OTHER_CACHES, old) == [
            old.replace(page_of_server.static_address(), "static/newer")
        ]
