"""People in a real Chromium: open seats, invitations, names, leaving, and results that are shared."""

from collections.abc import Iterator
from typing import Any

import pytest
from wizard_table.web.server import make_app

from table.tests.web.chromium import LAST_CHOICES, chromium
from table.tools import screenshot

SIZES = [(1440, 900), (1024, 768), (360, 740), (740, 360)]
LONG_NAME = "Wolfeschlegelsteinha"
OPEN = """async ([seats, person, sizes]) => {
  const opened = await (await fetch("tables", {
    method: "POST", headers: {"Content-Type": "application/json"},
    body: JSON.stringify({seats, person, hand_sizes: sizes}),
  })).json();
  localStorage.setItem(`wizard ${opened.table}`, opened.token);
  return opened.table;
}"""
OUTSIDE = """() => {
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [];
  const boxes = [...document.querySelectorAll("#result *, #guests *, nav button")];
  return wide.concat(boxes.filter((one) => one.checkVisibility()).filter((one) => {
    const {left, right} = one.getBoundingClientRect();
    return left < -1 || right > innerWidth + 1;
  }).map((one) => one.outerHTML.slice(0, 80)));
}"""
CUT = """(one) => [...one.querySelectorAll("*"), one].some((part) =>
  getComputedStyle(part).overflowX !== "visible" && part.scrollWidth > part.clientWidth + 1)"""
COVERED = """() => {
  const panel = guests.getBoundingClientRect();
  return [...document.querySelectorAll("#players li")].filter((one) => {
    const box = one.getBoundingClientRect();
    const beside = box.left >= panel.right || panel.left >= box.right;
    return !beside && box.top < panel.bottom && panel.top < box.bottom;
  }).map((one) => one.textContent);
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app = make_app(tmp_path_factory.mktemp("served") / "tables.sqlite", ["random", "search:worlds=2"])
    with screenshot.served(app) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """Errors of the pages; there are none at the end."""
    told: list[str] = []
    yield told
    assert told == []


def visit(browser: Any, where: str, errors: list[str], size: tuple[int, int] = (1440, 900)) -> Any:
    page = browser.new_context(bypass_csp=True, viewport={"width": size[0], "height": size[1]}).new_page()
    page.set_default_timeout(20_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script("try { localStorage.setItem('wizard, taught', 'yes') } catch {}")
    page.goto(where)
    return page


def sit(page: Any, address: str, seats: list[str | None], person: str, sizes: list[int]) -> str:
    table: str = page.evaluate(OPEN, [seats, person, sizes])
    page.goto(f"{address}#{table}")
    page.wait_for_selector("#players li")
    return table


@pytest.mark.parametrize("size", SIZES)
def test_a_table_waits_for_guests(
    browser: Any, address: str, errors: list[str], size: tuple[int, int]
) -> None:
    """Open seats are called so, no card is shown and nobody is to act; the link is there to be copied."""
    page = visit(browser, address, errors, size)
    table = sit(page, address, [None, None, "search:worlds=2", None], "Ann", [3])
    page.wait_for_function("document.querySelector('#address').value")
    assert page.input_value("#address").endswith(f"/join/{table}")
    plates = page.locator("#players li").all_inner_texts()
    assert [text.split("\n")[0] for text in plates] == ["You", "Open seat 2", "Hard", "Open seat 4"]
    assert page.locator(".card:visible").count() == 0
    assert page.inner_text("#status") == "2 seats are open."
    assert page.locator("#players [data-acts]").count() == 0
    assert page.locator("#players li", has_text="Open seat 2").evaluate(CUT) is False
    assert page.evaluate(COVERED) == []
    assert page.evaluate(OUTSIDE) == []
    page.click("#begin")
    page.wait_for_selector("#hand .card")
    assert page.locator("#guests").is_hidden()
    assert page.locator("#invite").is_visible()  # two seats are open still
    assert page.evaluate(OUTSIDE) == []


def test_leaving_costs_a_question_only_where_others_play(
    browser: Any, address: str, errors: list[str]
) -> None:
    host = visit(browser, address, errors)
    table = sit(host, address, [None, None, "random"], "Ann", [2])
    host.wait_for_selector("#leave:visible")
    guest = visit(browser, f"{address}#{table}", errors, (360, 740))
    guest.fill("#joiner", LONG_NAME)
    guest.click("#join button.main")
    guest.wait_for_selector("#hand .card")
    host.wait_for_selector("#hand .card")
    plate = host.locator("#players li", has_text=LONG_NAME)
    assert plate.locator(".name").inner_text().replace("\n", "") == LONG_NAME
    assert plate.evaluate(CUT) is False
    assert guest.inner_text("#leave") == "Leave"
    guest.click("#leave")
    guest.click("#leaving button:not(.main)")
    assert guest.evaluate("location.hash") == f"#{table}"
    guest.click("#leave")
    guest.click("#left")
    guest.wait_for_selector("#entrance:visible")
    host.wait_for_selector("#players .absent")
    alone = visit(browser, address, errors)
    sit(alone, address, [None, "random", "random"], "Ben", [2])
    alone.wait_for_selector("#hand .card")
    alone.click("#leave")
    alone.wait_for_selector("#entrance:visible")


def test_a_result_is_shared_and_beaten(browser: Any, address: str, errors: list[str]) -> None:
    """From the table to the page that is copied; the friend plays the same deals and both are in the list."""
    first = visit(browser, address, errors)
    table = sit(first, address, [None, "random", "search:worlds=2"], "Ada", [1, 2])
    first.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
    first.evaluate(LAST_CHOICES)
    first.goto("about:blank")
    first.goto(f"{address}#result/{table}/0")
    first.wait_for_selector("#result .sums tfoot")
    text = first.input_value("#result textarea")
    assert text.split("\n")[1].endswith(f"/share/{table}/0")
    assert "of 3" in text
    assert "Can you do better?" in text
    assert "search:" not in first.inner_text("main")
    friend = visit(browser, text.split("\n")[1], errors)
    friend.wait_for_url(f"**/#result/{table}/0")
    friend.wait_for_selector("#result .sums tfoot", state="attached")
    assert friend.locator("#result .sums").is_hidden()  # it would give the deals away
    for size in SIZES:
        friend.set_viewport_size({"width": size[0], "height": size[1]})
        assert friend.evaluate(OUTSIDE) == []
    friend.click("text=Play the same deals")
    friend.wait_for_selector("#result .results")
    shown = friend.inner_text("#result")
    assert "Random and Hard" in shown
    assert "2 rounds, of 1 and 2 cards" in shown
    assert friend.get_attribute("#result .back", "href") == "#"
    friend.fill("#result input", LONG_NAME)
    friend.click("#result button")
    friend.wait_for_selector("#players li")
    match = friend.evaluate(
        "Object.keys(localStorage).find((key) => key.startsWith('wizard match'))"
    ).split()[-1]
    friend.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
    friend.evaluate(LAST_CHOICES)
    friend.goto("about:blank")
    friend.goto(f"{address}#match/{match}")
    friend.wait_for_selector("#result .results [aria-current]")
    rows = friend.locator("#result .results tbody tr").all_inner_texts()
    assert len(rows) == 2
    assert LONG_NAME in friend.inner_text("#result .results [aria-current]")
    for size in SIZES:
        friend.set_viewport_size({"width": size[0], "height": size[1]})
        assert friend.evaluate(OUTSIDE) == []


def test_the_day_has_a_page(browser: Any, address: str, errors: list[str]) -> None:
    page = visit(browser, f"{address}#daily", errors)
    page.wait_for_selector("#result form")
    assert page.inner_text("#result h1") == "Today's deals"
    assert "5 rounds, of 2, 4, 6, 8 and 10 cards" in page.inner_text("#result")
    assert "3 \N{MULTIPLICATION SIGN} Hard" in page.inner_text("#result")
    assert "Nobody has played these deals yet." in page.inner_text("#result")
    page.fill("#result input", "Ada")
    page.click("#result button")
    page.wait_for_selector("#players li")
    page.goto("about:blank")
    page.goto(f"{address}#daily")
    page.wait_for_selector("#result .results [aria-current]")
    assert page.inner_text("#result a.button") == "Continue your game"
    page.click("#result .back")
    page.wait_for_selector("#entrance:visible")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_at_open_tables_and_results(
    browser: Any, address: str, errors: list[str], theme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found: dict[str, Any] = {}

    def look(moment: str) -> None:
        violations = axe.run(page).response["violations"]
        found[moment] = [(one["id"], [node["html"] for node in one["nodes"]]) for one in violations]

    page = visit(browser, address, errors, (360, 740))
    page.emulate_media(color_scheme=theme)
    sit(page, address, [None, None, "random"], "Ann", [2])
    page.wait_for_selector("#guests:visible")
    look("waiting")
    page.evaluate("leaving.showModal()")
    look("leaving")
    page.evaluate("leaving.close()")
    page.click("#begin")
    page.wait_for_selector("#hand .card")
    look("open seat")
    page.goto("about:blank")
    page.goto(address)
    table = sit(page, address, [None, "random", "search:worlds=2"], "Ada", [1, 2])
    page.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
    page.evaluate(LAST_CHOICES)
    page.goto("about:blank")
    page.goto(f"{address}#result/{table}/0")
    page.wait_for_selector("#result .sums tfoot")
    look("own result")
    page.click("#result .links a:last-child")
    page.set_default_timeout(20_000)
    page.wait_for_selector("#result .results [aria-current]")
    look("results")
    assert found == {name: [] for name in ("waiting", "leaving", "open seat", "own result", "results")}


def test_the_bars_of_a_round_are_one_slider(browser: Any, address: str, errors: list[str]) -> None:
    """A click goes to the nearest bar, arrow keys to the next; the value is told in words."""
    page = visit(browser, address, errors)
    table = sit(page, address, [None, "random", "search:worlds=2"], "Ada", [4])
    page.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
    page.evaluate(LAST_CHOICES)
    page.click("#podium button >> text=Review")
    page.wait_for_selector("#review:visible")
    page.click("#judge")
    page.wait_for_selector("#bars .column")
    assert page.locator("#bars button, #bars a").count() == 0
    box = page.locator("#bars").bounding_box()
    assert min(box["width"], box["height"]) >= 24
    page.locator("#bars .column").nth(2).click()
    page.wait_for_selector("#bars .column:nth-child(3)[data-shown]")
    assert page.get_attribute("#bars", "aria-valuenow") == "3"
    page.focus("#bars")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#bars .column:nth-child(4)[data-shown]")
    assert ": " in page.get_attribute("#bars", "aria-valuetext")
    page.keyboard.press("Home")
    page.wait_for_selector("#bars .column:nth-child(1)[data-shown]")
    assert page.evaluate("document.activeElement.id") == "bars"
    assert table


def test_dialogs_scroll_by_keyboard(browser: Any, address: str, errors: list[str]) -> None:
    """Those whose content is higher than the window."""
    page = visit(browser, address, errors, (740, 360))
    page.wait_for_selector("#entrance:visible")
    for name in ("dialog", "rules", "settings", "invitation", "leaving"):
        page.evaluate("(name) => document.getElementById(name).showModal()", name)
        page.evaluate(
            """(name) => document.querySelector(`#${name} > div`)
            .append(Object.assign(document.createElement("p"), {style: "height: 900px"}))""",
            name,
        )
        page.keyboard.press("Tab")
        for _ in range(9):
            if page.evaluate(
                "(name) => document.activeElement === document.querySelector(`#${name} > div`)", name
            ):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("End")
        page.wait_for_function("(name) => document.querySelector(`#${name} > div`).scrollTop > 100", arg=name)
        page.evaluate("(name) => document.getElementById(name).close()", name)
