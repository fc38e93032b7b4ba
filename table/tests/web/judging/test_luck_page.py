"""Luck and skill in a real Chromium: the sheet at the table, and the page to share."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from wizard_table.web.server import make_app

from table.tests.web.chromium import LAST_CHOICES, chromium, plain
from table.tools import screenshot


def figures(row: str) -> list[Decimal]:
    return [Decimal(figure) for figure in re.findall(r"[+-]?\d+(?:\.\d)?", plain(row))]


def test_luck_and_skill(tmp_path: Path) -> None:
    """Round by round at the table; then at an address that anyone may open."""
    app = make_app(tmp_path / "tables.sqlite", ["random", "search:worlds=32"])
    with screenshot.served(app) as address, chromium() as browser:
        page: Any = browser.new_context(bypass_csp=True).new_page()
        page.set_default_timeout(120_000)
        told: list[str] = []
        page.on("pageerror", lambda error: told.append(str(error)))
        page.goto(address)
        opened = page.evaluate(
            """async () => (await fetch("tables", {
              method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify({seats: [null, "random", "random"], hand_sizes: [2, 4]}),
            })).json()"""
        )
        page.evaluate(
            "([table, token]) => localStorage.setItem(`wizard ${table}`, token)",
            [opened["table"], opened["token"]],
        )
        page.goto(f"{address}#{opened['table']}")
        page.wait_for_selector("#players li")
        page.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
        page.evaluate(LAST_CHOICES)
        page.evaluate("luck.open = true")
        page.wait_for_selector("#luck tbody tr:nth-child(2)")
        sheet = page.inner_text("#luck table")
        rows = [figures(line) for line in sheet.splitlines()[1:]]
        link = page.get_attribute("#podium a[href*=result]", "href")
        stranger: Any = browser.new_page()
        stranger.set_default_timeout(120_000)
        stranger.goto(f"{address}{link}")
        stranger.wait_for_selector("#result .losses li")
        costs = stranger.locator("#result .losses li").all_inner_texts()
        shared = stranger.inner_text("#result table")
    assert told == []
    assert shared == sheet
    for number, points, par, luck, lost in rows[:2]:
        assert number in (1, 2)
        assert points == par + luck - lost
    assert rows[2] == [sum(column) for column in zip(*(row[1:] for row in rows[:2]), strict=True)]
    assert 1 <= len(costs) <= 3
    losses = [figures(cost)[-1] for cost in costs]
    assert losses == sorted(losses)
    assert all(loss < 0 for loss in losses)
