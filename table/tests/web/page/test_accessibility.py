"""The page for people who use a screen reader, the keyboard alone, or colours of their own."""

from typing import Any

import pytest

from table.tests.web.page.browsing import Visit, act, play_on, sit_down, solve_puzzles, until_over
from table.tests.web.page.faults import faults_of

axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

# Read in one step: between two, a finished trick may be swept from the felt, and its cards lose their styles.
TURN_AND_WINNER = """() => {
  const read = (selector, property) =>
    [...document.querySelectorAll(selector)].map((one) => getComputedStyle(one)[property]);
  return {
    acts: read("#players li[data-acts]", "border"),
    others: read("#players li:not([data-acts])", "border"),
    winning: read("#trick li[data-wins] .card", "outlineStyle"),
    losing: read("#trick li:not([data-wins]) .card", "outlineStyle"),
    legal: read("#hand button:enabled", "border"),
    illegal: read("#hand button:disabled", "border"),
  };
}"""
FILL = """(name) => document.querySelector(`#${name} > div`)
  .append(Object.assign(document.createElement("p"), {style: "height: 900px"}))"""


def barriers(page: Any) -> list[tuple[str, list[str]]]:
    """Return the rules that a page breaks as axe sees it, and the elements that break them."""
    violations = axe.run(page).response["violations"]
    return [
        (one["id"], [f"{node['html']}: {node['failureSummary']}" for node in one["nodes"]])
        for one in violations
    ]


@pytest.mark.parametrize(
    ("size", "theme"),
    [("phone", "dark"), pytest.param("desktop", "light", marks=pytest.mark.slow)],
)
def test_axe_finds_nothing(visit: Visit, address: str, size: str, theme: str) -> None:
    """No known barrier for people who use screen readers or need contrast: on any page, at any moment."""
    page = visit(size=size)
    found = {}

    def look(moment: str) -> None:
        found[moment] = barriers(page)

    page.evaluate("(theme) => localStorage.setItem('wizard, theme', theme)", theme)
    page.reload()
    page.wait_for_selector("#seats select", state="attached")
    page.evaluate("document.querySelector('#more-options').open = true")
    look("lobby")
    sit_down(page, [None, None, "random"], [2])
    page.wait_for_function("document.querySelector('#address').value")
    look("waiting")
    page.evaluate("leaving.showModal()")
    look("leaving")
    page.evaluate("leaving.close()")
    page.click("#begin")
    page.wait_for_selector("#hand .card")
    look("open seat")

    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("#play")
    table = sit_down(page, [None, "random", "rule_based"], [2, 4])
    page.wait_for_selector(".choice:not(:disabled)")
    look("bidding")
    page.keyboard.press("h")
    page.wait_for_selector("#told:not([hidden])")
    look("hint")
    page.evaluate("[...document.querySelectorAll('.choice:enabled')].at(-1).click()")
    page.wait_for_selector("#hand button:enabled")
    look("play")
    play_on(page)
    page.wait_for_function("/[^…]$/.test(document.querySelector('#podium .cost').textContent)")
    look("end")
    page.click("#podium button >> text=Review")
    page.wait_for_selector("#advice tbody tr")
    look("review")
    page.evaluate(f"location.hash = 'result/{table}/0'")
    page.wait_for_selector("#result .worth")
    look("own result")
    page.click("#result .links a:last-child")
    page.wait_for_selector("#result .results [aria-current]")
    look("results")
    page.evaluate("location.hash = 'daily'")
    page.wait_for_selector("#result form, #result .results")
    look("daily")
    page.wait_for_function("JSON.parse(localStorage['wizard drills'])[0].record !== null")
    page.evaluate("location.hash = 'drills'")
    page.wait_for_selector("#choices button:enabled, #hand button:enabled")
    look("drill")
    act(page)
    page.wait_for_selector("#next:not([hidden])")
    look("answer")
    page.evaluate("localStorage.removeItem('wizard drills')")
    page.reload()
    page.wait_for_function("asked.textContent.startsWith('Puzzle')")
    look("puzzle")
    solve_puzzles(page)
    page.reload()
    page.wait_for_selector("#result:not([hidden])")
    look("no drill")
    page.evaluate("location.hash = 'profile'")
    page.wait_for_selector("#result .facts")
    look("own results")
    page.evaluate("location.hash = 'sheet'")
    page.wait_for_selector("#result form")
    look("names")
    for number, field in enumerate(page.locator("#result form input.name").all()):
        field.fill(f"Player {number}")
    page.click("#result form .main")
    for _ in range(11):
        page.locator(".numbers button").first.click()
    look("sheet")
    assert len(found) == 19
    assert {moment: rules for moment, rules in found.items() if rules} == {}


def test_forced_colours_keep_the_turn_and_the_winner(visit: Visit) -> None:
    """Borders and outlines mark them if the system sets all colours."""
    page = visit(forced_colors="active")
    sit_down(page, [None, "rule_based", "rule_based", "rule_based"], [6])
    for _ in until_over(page):
        styles = page.evaluate(TURN_AND_WINNER)
        if styles["legal"] and styles["winning"] and styles["losing"]:
            break
        act(page)
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    (acts,) = styles["acts"]
    assert len(styles["others"]) == 3
    assert acts.startswith("4px solid")
    assert not any(other.startswith("4px") for other in styles["others"])
    assert styles["winning"] == ["solid"]
    assert set(styles["losing"]) == {"none"}
    assert set(styles["legal"]).isdisjoint(styles["illegal"])
    assert faults_of(page) == []


@pytest.mark.parametrize("name", ["dialog", "rules", "settings", "invitation", "leaving"])
def test_dialogs_scroll_by_keyboard(visit: Visit, name: str) -> None:
    """Those whose content is higher than the window."""
    page = visit(size="lying")
    page.wait_for_selector("#entrance:visible")
    page.evaluate("(name) => document.getElementById(name).showModal()", name)
    page.evaluate(FILL, name)
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate(
            "(name) => document.activeElement === document.querySelector(`#${name} > div`)", name
        ):
            break
    page.keyboard.press("End")
    page.wait_for_function("(name) => document.querySelector(`#${name} > div`).scrollTop > 100", arg=name)
