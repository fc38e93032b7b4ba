"""The results of a person in Chromium: kept on the device, shared as squares, and deleted."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from table.tests.web.page.browsing import Visit, plain, play_on, sit_down

KEPT = "localStorage['wizard games']"


def facts(page: Any) -> dict[str, str]:
    names = page.locator("#result .facts dt").all_inner_texts()
    return dict(zip(names, map(plain, page.locator("#result .facts dd").all_inner_texts()), strict=True))


def test_a_game_is_kept_shared_and_deleted(visit: Visit, address: str) -> None:
    page = visit()
    page.wait_for_selector("#play button:enabled")
    table = sit_down(page, [None, "random", "random"], [1, 2, 3])
    play_on(page)
    page.wait_for_function(f"{KEPT} !== undefined")
    (game,) = json.loads(page.evaluate(KEPT))
    assert game["table"] == table
    assert [size for size, *_ in game["rounds"]] == [1, 2, 3]

    page.evaluate(f"location.hash = 'result/{table}/0'")
    page.wait_for_selector("#result textarea")
    squares = "".join("🟩" if bid == won else "🟥" for _, bid, won, _ in game["rounds"])
    assert page.locator("#result textarea").input_value().split("\n")[-2] == squares

    sent: list[str] = []
    page.goto(address)
    page.wait_for_selector("#play button:enabled")
    page.on("request", lambda request: sent.append(request.post_data or ""))
    page.click("a[href='#profile']")
    page.wait_for_selector("#result .facts")
    met = squares.count("🟩")
    assert facts(page)["Games"] == "1"
    assert facts(page)["Bids met"] == f"{met / 3:.0%}"
    assert page.locator("#result tbody tr").count() == 3
    assert page.locator("#result svg").count() == 0  # one game is no course
    other = {"table": "x", "match": None, "place": 1, "rounds": [[1, 0, 0, 20], [2, 0, 1, -10]]}
    page.evaluate(f"(other) => {{ {KEPT} = JSON.stringify([...JSON.parse({KEPT}), other]); }}", other)
    page.reload()
    page.wait_for_selector("#result svg")
    assert page.get_attribute("#result svg", "aria-label").endswith("; +5.0")
    assert not any("rounds" in body for body in sent)

    page.click("#result summary")
    page.click("#result details button")
    assert "No game yet." in page.inner_text("#result")
    assert page.evaluate(KEPT) is None


def test_days_in_a_row(visit: Visit, address: str) -> None:
    """The page of the day counts the days whose deals were played to the end."""
    page = visit()
    today = datetime.now(UTC).date()
    games = [
        {
            "table": f"t{days}",
            "match": f"daily-{today - timedelta(days)}",
            "place": 1,
            "rounds": [[1, 0, 0, 20]],
        }
        for days in (1, 2, 4)
    ]
    page.evaluate(f"(games) => {{ {KEPT} = JSON.stringify(games); }}", games)
    page.evaluate("location.hash = 'daily'")
    page.wait_for_selector("#result .facts")
    assert facts(page)["Played"] == "2 days in a row"
    page.evaluate("location.hash = 'profile'")
    page.wait_for_selector("#result .facts dt >> text=Games")
    assert facts(page)["Today's deals"] == "2 days in a row"
    assert facts(page)["Won"] == "3"
