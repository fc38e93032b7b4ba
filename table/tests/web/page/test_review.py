"""The review of a finished game in Chromium: decision by decision, with an agent's advice."""

from pathlib import Path

from table.tests.web.page.browsing import Visit, figures, play_on, sit_down
from wizard_env.records.game_records import read_records


def test_reviewing_a_game(visit: Visit, tmp_path: Path) -> None:
    """It opens at the costliest decision, as the judge saw it, moves by keys, keeps its place, and saves."""
    page = visit(size="phone")
    sit_down(page, [None, "random", "rule_based"], [1, 4])
    play_on(page)
    page.wait_for_function("document.querySelector('#podium .cost').textContent.includes('costliest')")
    cost = page.inner_text("#podium .cost")
    page.click("#podium button >> text=Review")
    page.wait_for_selector("#advice tr[data-chosen]")
    assert page.inner_text("#adviser option:checked") == "Hard"
    advice = page.inner_text("#advice tbody")
    best, chosen = page.locator("#advice tbody tr").first, page.locator("#advice tr[data-chosen]")
    assert best.get_attribute("data-chosen") is None
    assert f"{chosen.locator('td').first.inner_text()} instead of" in cost
    page.click("#luck summary")
    page.wait_for_selector("#sums tfoot")
    rows = [figures(line) for line in page.inner_text("#sums table").splitlines()[1:]]
    for index, points, par, luck, lost in rows[:2]:
        assert index in (1, 2)
        assert points == par + luck - lost
    assert rows[2] == [sum(column) for column in zip(*(row[1:] for row in rows[:2]), strict=True)]
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "game.jsonl")
    (game,) = read_records(tmp_path / "game.jsonl")
    decisions = len(game.history)
    assert page.inner_text("#place") != f"Decision 1 of {decisions}"
    assert page.locator("#players .chip").count() > 3
    page.select_option("#adviser", "rule_based")
    page.wait_for_function(
        "(before) => document.querySelector('#advice tbody').innerText !== before", arg=advice
    )

    page.keyboard.press("Home")
    page.wait_for_selector(f"#place:text-is('Decision 1 of {decisions}')")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("round.textContent.startsWith('Round 2')")
    assert page.locator("#course polyline").count() == 3
    number = int(page.inner_text("#place").split()[1])
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"#place:text-is('Decision {number + 1} of {decisions}')")
    page.click("#after")
    page.wait_for_selector(f"#place:text-is('Decision {number + 2} of {decisions}')")
    page.keyboard.press("ArrowLeft")
    place = f"Decision {number + 1} of {decisions}"
    page.wait_for_selector(f"#place:text-is('{place}')")
    page.reload()
    page.wait_for_selector(f"#place:text-is('{place}')")
    page.keyboard.press("End")
    page.wait_for_selector(f"#place:text-is('after {decisions} decisions')")
    assert "The game is over" in page.inner_text("#status")


def test_a_record_that_the_server_refuses(visit: Visit, address: str) -> None:
    page = visit()
    page.evaluate("sessionStorage.setItem('wizard review', JSON.stringify(['not a record', null, null]))")
    page.goto(f"{address}#review")
    page.wait_for_selector("#error a")
    assert "This is not the record" in page.inner_text("#error")
    assert page.locator("#table").is_hidden()
