"""Drills in a real Chromium: dear decisions come back, and nothing but the browser keeps them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wizard_table.web.server import make_app

from table.tests.web.chromium import LAST_CHOICES, chromium
from table.tools import screenshot

JUDGE = "search:worlds=32"
DAY = 24 * 3600 * 1000
KEPT = "localStorage['wizard drills']"
OPEN = """async () => {
  const sent = {method: "POST", headers: {"Content-Type": "application/json"}};
  const wanted = {seats: [null, "random", "random"], hand_sizes: [2, 4]};
  const opened = await (await fetch("tables", {...sent, body: JSON.stringify(wanted)})).json();
  localStorage.setItem(`wizard ${opened.table}`, opened.token);
  localStorage.setItem("wizard, taught", "yes");
  return opened.table;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app = make_app(tmp_path_factory.mktemp("served") / "tables.sqlite", ["random", JUDGE])
    with screenshot.served(app) as address:
        yield address


def open_page(browser: Any, address: str) -> tuple[Any, list[str]]:
    """A page in a fresh context at the lobby, and the list of its errors."""
    page, errors = browser.new_context(bypass_csp=True, reduced_motion="reduce").new_page(), []
    page.set_default_timeout(120_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    page.wait_for_selector("#play")
    return page, errors


def play(page: Any, address: str) -> str:
    """Plays a game as badly as `LAST_CHOICES` does, and returns the name of its table."""
    table: str = page.evaluate(OPEN)
    page.goto(f"{address}#{table}")
    page.wait_for_selector("#players li")
    page.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
    page.evaluate(LAST_CHOICES)
    return table


def kept(page: Any) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = json.loads(page.evaluate(KEPT))
    return games


def decide(page: Any, action: str) -> str:
    """Choose an action from the keyboard, and return what the drill says of it."""
    number = action.removeprefix("bid ")
    if number != action:
        page.keyboard.press(number)
    else:
        page.locator(f'[data-action="{action}"]').focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#next:not([hidden])")
    return str(page.inner_text("#asked"))


def best(page: Any) -> str:
    """The action of the first line of the advice."""
    told: str = page.inner_text("#advice tbody tr:first-child td:first-child")
    found: str = page.evaluate(
        "(told) => [...document.querySelectorAll('#choices [data-action], #hand [data-action]')]"
        ".find((one) => told.startsWith(one.getAttribute('aria-label'))).dataset.action",
        told,
    )
    return found


def test_a_game_becomes_drills(browser: Any, address: str, tmp_path: Path) -> None:
    page, errors = open_page(browser, address)
    assert page.locator("#due").is_hidden()
    table = play(page, address)
    page.wait_for_selector("#podium")
    page.wait_for_function(f"JSON.parse({KEPT})[0].record !== null")
    (game,) = kept(page)
    assert (game["table"], game["seat"]) == (table, 0)
    drills = game["drills"]
    assert 1 <= len(drills) <= 3
    assert {drill["box"] for drill in drills} == {1}
    memory = page.evaluate(KEPT)

    page.reload()  # the game is over already, and counts once
    page.wait_for_selector("#podium")
    assert page.evaluate(KEPT) == memory
    page.goto(address)
    page.wait_for_selector("#due:not([hidden])")
    assert page.inner_text("#due") == f"{len(drills)} due"
    page.context.close()

    # Another server, which has never heard of the table.
    app = make_app(tmp_path / "other.sqlite", ["random", JUDGE])
    with screenshot.served(app) as other:
        page, more = open_page(browser, other)
        page.evaluate(f"(memory) => {{ {KEPT} = memory; }}", memory)
        sent: list[Any] = []
        page.on(
            "response",
            lambda answer: sent.append(answer) if answer.url.endswith("decision") else None,
        )
        page.goto(f"{other}?again#drills")
        page.wait_for_selector("#choices button, #hand button:enabled")
        scene = sent[-1].json()["scene"]
        assert [seat["hand"] is None for seat in scene["seats"]] == [False, True, True]
        assert page.locator("#advice").is_hidden()

        first = drills[0]
        said = decide(page, first["chosen"])  # as wrong as then
        assert said.startswith("Better: ")
        assert "Now as then" in said
        assert page.locator("#advice tbody tr").count() == len(sent[-1].json()["legal"])
        assert page.locator("#advice tr[data-chosen] .past").count() == 1
        better = best(page)
        assert kept(page)[0]["drills"][0]["box"] == 1
        assert page.evaluate("document.activeElement.id") == "next"
        for _ in drills[1:]:
            page.keyboard.press("Enter")  # on the button
            page.wait_for_selector("#next", state="hidden")
            action = page.locator("#choices button:enabled:visible, #hand button:enabled").first
            decide(page, action.get_attribute("data-action"))
        page.keyboard.press("Enter")  # the wrong ones come again, the first of them first
        page.wait_for_selector("#next", state="hidden")
        assert decide(page, better).startswith("Right. Now ")
        (right,) = [one for one in kept(page)[0]["drills"] if one["decisions"] == first["decisions"]]
        assert right["box"] == 2
        assert 0.9 * DAY < right["due"] - page.evaluate("Date.now()") <= DAY
        page.click("#replay")
        page.wait_for_selector("#review:not([hidden])")
        page.wait_for_function("place.textContent !== ''")
        assert page.inner_text("#place").startswith(f"decision {first['decisions'] + 1} of ")
    assert errors == more == []


def test_what_is_learned_is_gone(browser: Any, address: str) -> None:
    """A right answer in the last box ends the drill, and its record is deleted."""
    page, errors = open_page(browser, address)
    play(page, address)
    page.wait_for_function(f"JSON.parse({KEPT})[0].record !== null")
    (game,) = kept(page)
    game["drills"] = [{**game["drills"][0], "box": 5}]
    page.evaluate(f"(games) => {{ {KEPT} = JSON.stringify(games); }}", [game])
    page.goto(f"{address}?again#drills")
    page.wait_for_selector("#choices button, #hand button:enabled")
    decide(page, game["drills"][0]["chosen"])
    better = best(page)
    game["drills"][0]["due"] = 0
    page.evaluate(f"(games) => {{ {KEPT} = JSON.stringify(games); }}", [game])
    page.reload()
    page.wait_for_selector("#choices button, #hand button:enabled")
    assert page.inner_text("#asked").endswith("Box 5 of 5; 0 more due.")
    assert decide(page, better).endswith("Learned: it will not come again.")
    assert [(one["record"], one["drills"]) for one in kept(page)] == [("", [])]
    page.click("#next")
    page.wait_for_selector("#result:not([hidden])")
    assert "None yet." in page.inner_text("#result")
    assert errors == []


def test_judging_goes_on_at_the_next_visit(browser: Any, address: str) -> None:
    """Leaving the table at once loses nothing; a table that is gone is given up."""
    page, errors = open_page(browser, address)
    table = play(page, address)
    game: dict[str, Any] = {"seat": 0, "rounds": 2, "record": None, "drills": []}
    games = [{"table": "gone-for-good", **game}, {"table": table, **game}]
    page.evaluate(f"(games) => {{ {KEPT} = JSON.stringify(games); }}", games)
    page.goto(f"{address}?again#drills")
    page.wait_for_selector("#choices button, #hand button:enabled")
    gone, judged = kept(page)
    assert (gone["record"], gone["drills"]) == ("", [])
    assert judged["record"]
    assert judged["drills"]
    assert errors == []


def test_there_is_nothing_to_do(browser: Any, address: str, tmp_path: Path) -> None:
    """Nothing is kept, nothing is due, or nobody can judge."""
    page, errors = open_page(browser, address)
    page.click("a[href='#drills']")
    page.wait_for_selector("#result:not([hidden])")
    assert "None yet." in page.inner_text("#result")
    drill = {"decisions": 0, "chosen": "bid 0", "box": 2, "due": page.evaluate("Date.now()") + DAY}
    game = {"table": "x", "seat": 0, "rounds": 1, "record": "{}", "drills": [drill]}
    page.evaluate(f"(games) => {{ {KEPT} = JSON.stringify(games); }}", [game])
    page.reload()
    page.wait_for_selector("#result:not([hidden])")
    assert "1 drill waits; it comes again on " in page.inner_text("#result")
    with screenshot.served(make_app(tmp_path / "tables.sqlite", ["random"])) as other:
        page.goto(f"{other}#drills")
        page.wait_for_selector("#error a")
        assert page.inner_text("#error").startswith("No agent of this server can judge decisions.")
    assert errors == []
