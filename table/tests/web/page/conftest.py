"""One browser and one server for all tests of the page; each test has contexts of its own."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from wizard_table.web.server import make_app

from table.tests.web.page.browsing import AGENTS, SIZES, Visit
from table.tools.serving import served

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
QUIET = "try { localStorage.setItem('wizard, taught', 'yes') } catch {}"
"""The lessons for newcomers are over."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium; without it the tests are skipped."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs Chromium")
    with playwright.sync_playwright() as machine:
        browser = machine.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server."""
    app = make_app(tmp_path_factory.mktemp("served") / "tables.sqlite", AGENTS)
    with served(app) as address:
        yield address


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    """Open pages, each in a fresh context, by default the lobby; none of them reports an error."""
    contexts: list[Any] = []
    told: list[str] = []

    def open_page(where: str = address, size: str = "desktop", **options: Any) -> Any:
        # Playwright's wait_for_function needs eval, which the page's own policy forbids: see test_policy.py.
        context = browser.new_context(
            viewport=SIZES[size], bypass_csp=True, reduced_motion="reduce", **options
        )
        contexts.append(context)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: told.append(str(error)))
        page.add_init_script(QUIET)
        page.goto(where)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert told == []


@pytest.fixture(autouse=True)
def same_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table has the same deals; the person at seat 0 bids in the first round, and chooses no trump."""
    monkeypatch.setattr("wizard_table.web.setup.fresh_seed", lambda: 1)
