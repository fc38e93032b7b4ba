"""Drills in Chromium: dear decisions come back, then puzzles, and nothing but the browser keeps them."""

import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from wizard_table.web.server import make_app

from table.tests.web.page.browsing import AGENTS, Visit, plain, play_on, sit_down, solve_puzzles
from table.tools.serving import served

DAY = 24 * 3600 * 1000
KEPT = "localStorage['wizard drills']"
BOXES = "localStorage['wizard puzzles']"


def play(page: Any) -> str:
    """Play a game badly until its drills are kept, and return the name of its table."""
    page.wait_for_selector("#play button:enabled")
    table = sit_down(page, [None, "random", "random"], [2, 4])
    play_on(page)
    page.wait_for_function(f"JSON.parse({KEPT})[0].record !== null")
    return table


def keep(page: Any, games: list[dict[str, Any]]) -> None:
    page.evaluate(f"(games) => {{ {KEPT} = JSON.stringify(games); }}", games)


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


def test_a_game_becomes_drills(visit: Visit, address: str, tmp_path: Path) -> None:
    page = visit()
    assert page.locator("#due").is_hidden()
    table = play(page)
    (game,) = kept(page)
    assert (game["table"], game["seat"]) == (table, 0)
    drills = game["drills"]
    assert 1 <= len(drills) <= 3
    assert {drill["box"] for drill in drills} == {1}

    page.reload()  # the game is over already, and counts once
    page.wait_for_selector("#podium")
    assert kept(page) == [game]
    page.goto(address)
    page.wait_for_selector("#due:not([hidden])")
    assert page.inner_text("#due") == f"{len(drills)} due"

    # Another server, which has never heard of the table.
    with served(make_app(tmp_path / "other.sqlite", AGENTS)) as other:
        page = visit(other)
        keep(page, [game])
        with page.expect_response("**/records/decision") as sent:
            page.goto(f"{other}?again#drills")
        page.wait_for_selector("#choices button, #hand button:enabled")
        view = sent.value.json()
        assert [seat["hand"] is None for seat in view["scene"]["seats"]] == [False, True, True]
        assert page.locator("#advice").is_hidden()

        first = drills[0]
        said = decide(page, first["chosen"])  # as wrong as then
        assert said.startswith("Better: ")
        assert "Same choice again" in said
        assert page.locator("#advice tbody tr").count() == len(view["legal"])
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
        assert decide(page, better).startswith("Right. This time ")
        (right,) = [one for one in kept(page)[0]["drills"] if one["decisions"] == first["decisions"]]
        assert right["box"] == 2
        assert 0.9 * DAY < right["due"] - page.evaluate("Date.now()") <= DAY
        page.click("#replay")
        page.wait_for_selector("#review:not([hidden])")
        page.wait_for_function("place.textContent !== ''")
        assert page.inner_text("#place").startswith(f"Decision {first['decisions'] + 1} of ")

        # A right answer in the last box ends the drill, and its record is deleted.
        keep(page, [{**game, "drills": [{**first, "box": 5}]}])
        page.goto(f"{other}?last#drills")
        page.wait_for_selector("#choices button, #hand button:enabled")
        assert page.inner_text("#asked").endswith("Step 5 of 5. More due today: 0.")
        assert decide(page, better).endswith("Learned: it will not come again.")
        assert [(one["record"], one["drills"]) for one in kept(page)] == [("", [])]
        page.click("#next")  # nothing of the person's own is left
        page.wait_for_function("asked.textContent.startsWith('Puzzle')")


def test_judging_goes_on_at_the_next_visit(visit: Visit, address: str) -> None:
    """Leaving the table at once loses nothing; a table that is gone is given up."""
    page = visit()
    table = play(page)
    game: dict[str, Any] = {"seat": 0, "rounds": 2, "record": None, "drills": []}
    keep(page, [{"table": "gone-for-good", **game}, {"table": table, **game}])
    page.goto(f"{address}?again#drills")
    page.wait_for_function(f"JSON.parse({KEPT}).every(({{ record }}) => record !== null)")
    gone, judged = kept(page)
    assert (gone["record"], gone["drills"]) == ("", [])
    assert judged["record"]
    assert judged["drills"]


def puzzles(address: str) -> list[dict[str, Any]]:
    with urlopen(f"{address}puzzles") as answer:
        found: list[dict[str, Any]] = json.load(answer)["puzzles"]
    return found


def test_puzzles_come_where_no_drill_is_due(visit: Visit, tmp_path: Path) -> None:
    """The figures of an answer are stored: even a server that cannot judge offers them."""
    with served(make_app(tmp_path / "tables.sqlite", ["random"])) as address:
        first, second = puzzles(address)[:2]
        page = visit(address)
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url.removeprefix(address)))
        page.click("a[href='#drills']")
        page.wait_for_selector("#choices button, #hand button:enabled")
        assert page.inner_text("#asked").startswith("Puzzle 1:")
        wrong = first["choices"][-1]
        said = plain(decide(page, wrong["action"]))
        assert said.startswith("Better: ")
        assert f", worth about {round(wrong['points'])} points. It comes again today." in said
        assert page.locator("#advice tbody tr").count() == len(first["choices"])
        assert page.locator("#replay").is_hidden()
        page.click("#next")
        page.wait_for_function("asked.textContent.startsWith('Puzzle 2:')")
        said = decide(page, second["choices"][0]["action"])
        assert said.startswith("Right. You chose ")
        assert said.endswith("It comes again in 1 day.")
        assert not any(url.startswith("records") for url in sent)
        boxes = json.loads(page.evaluate(BOXES))
        assert [boxes[one["name"]]["box"] for one in (first, second)] == [1, 2]

        page.goto("about:blank")
        page.goto(f"{address}#drills")  # the wrong one comes again first
        page.wait_for_selector("#choices button, #hand button:enabled")
        assert page.inner_text("#asked").startswith("Puzzle 1:")


def test_there_is_nothing_to_do(visit: Visit, address: str) -> None:
    """Every puzzle is solved or rests, and no drill is due."""
    page = visit()
    solve_puzzles(page)
    page.click("a[href='#drills']")
    page.wait_for_selector("#result:not([hidden])")
    assert "You have solved every puzzle." in page.inner_text("#result")
    due = page.evaluate("Date.UTC(2099, 0, 31, 12)")
    drill = {"decisions": 0, "chosen": "bid 0", "box": 2, "due": due}
    keep(page, [{"table": "x", "seat": 0, "rounds": 1, "record": "{}", "drills": [drill]}])
    page.reload()
    page.wait_for_selector("#result:not([hidden])")
    assert "1 drill waits; it comes again on 31/01/2099." in page.inner_text("#result")
    resting = {puzzles(address)[0]["name"]: {"box": 2, "due": due + DAY}}
    page.evaluate(
        f"(resting) => {{ {BOXES} = JSON.stringify({{ ...JSON.parse({BOXES}), ...resting }}); }}", resting
    )
    page.reload()
    page.wait_for_selector("#result:not([hidden])")
    assert "2 drills wait; the first comes again on 31/01/2099." in page.inner_text("#result")
