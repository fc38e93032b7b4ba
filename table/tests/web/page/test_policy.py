"""The page in Chromium under its own content security policy."""

from typing import Any

from table.tests.web.page.browsing import play_on, sit_down


def test_the_page_works_under_its_policy(browser: Any, address: str) -> None:
    """Lobby, table and a page that is loaded later: all is let through, and nothing else is tried."""
    page = browser.new_context().new_page()
    page.set_default_timeout(60_000)
    told: list[str] = []
    page.on("console", lambda line: told.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(address)
    page.wait_for_selector("#play button:enabled")
    with page.expect_websocket():
        sit_down(page, [None, "random", "random"], [1])
    play_on(page)
    page.click("#podium button >> text=Review")
    page.wait_for_selector("#review:not([hidden])")
    with page.expect_download():
        page.click("#save")
    page.context.close()
    assert told == []
