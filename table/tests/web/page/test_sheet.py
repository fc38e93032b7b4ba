"""The score sheet in Chromium: people with real cards call their bids and tricks."""

import json
from typing import Any

from table.tests.web.page.browsing import Visit, plain
from wizard_env.engine import score

NAMES = ["Ann", "Ben", "Cid"]
ROUNDS = 20


def begin(page: Any, address: str, hook: bool) -> None:
    page.click("a[href='#sheet']")
    page.wait_for_selector("#result form")
    for field, name in zip(page.locator("#result form input.name").all(), NAMES, strict=False):
        field.fill(name)
    page.locator("#result form input[type=checkbox]").set_checked(hook)
    page.click("#result form .main")
    page.wait_for_selector(".numbers")


def call(page: Any, *numbers: int) -> None:
    for number in numbers:
        page.locator(".numbers button").nth(number).click()


def test_a_round_is_scored_and_taken_back(visit: Visit, address: str) -> None:
    page = visit()
    begin(page, address, hook=True)
    assert page.inner_text(".asked") == "Ben: how many tricks do you bid?"
    assert "Ann deals." in page.inner_text("#result")
    call(page, 0, 0)  # Ben and Cid
    assert page.inner_text(".numbers button:disabled") == "1"
    assert "Not 1: the bids must not add up to 1." in page.inner_text("#result")
    call(page, 0)
    page.reload()  # nothing is lost
    page.wait_for_selector(".numbers")
    assert page.inner_text(".asked") == "Ben: how many tricks did you win?"
    call(page, 0, 1)  # so Ann has won none
    assert page.locator(".pad tbody tr").count() == 2
    cells = [
        plain(text).split() for text in page.locator(".pad tbody tr").last.locator("td").all_inner_texts()
    ]
    assert cells == [["20", "0/0", "+20"], ["20", "0/0", "+20"], ["-10", "1/0", "-10"]]
    assert page.locator(".pad thead th").nth(1).locator(".sign.deals").count() == 1  # Ben deals now
    page.click("text=Undo")
    assert page.inner_text(".asked") == "Cid: how many tricks did you win?"
    for _ in range(4):
        page.click("text=Undo")
    assert page.locator("button >> text=Undo").is_disabled()
    assert page.inner_text(".asked") == "Ben: how many tricks do you bid?"


def test_a_whole_game_with_any_bid(visit: Visit, address: str) -> None:
    """Everybody bids nothing, and the player who is called last wins all: the dealer."""
    page = visit(size="small")
    begin(page, address, hook=False)
    call(page, *[0] * 5 * (ROUNDS - 1), *[0] * 3, *[0] * 2)
    totals = [
        sum(score(0, size if size % 3 == (seat + 1) % 3 else 0) for size in range(1, 21)) for seat in range(3)
    ]
    last = page.locator(".pad tbody tr").first.locator("td b").all_inner_texts()
    assert [int(plain(text)) for text in last] == totals
    assert page.inner_text("#result h2") == f"Won by {NAMES[totals.index(max(totals))]}"
    page.click("text=New game")
    assert page.locator("#result form input.name").first.input_value() == "Ann"
    page.click("text=Back to the game")
    assert page.locator(".pad tbody tr").count() == ROUNDS
    page.click("text=New game")
    page.locator("#result form input.name").nth(2).fill(" ")
    page.click("#result form .main")
    assert page.inner_text("#result .error") == "Enter three to six names."
    assert len(json.loads(page.evaluate("localStorage['wizard sheet']"))["numbers"]) == 5 * ROUNDS
