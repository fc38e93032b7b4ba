"""People at one table in Chromium: who is away, the time for a decision, and emotes."""

import re
from typing import Any

import pytest

from table.tests.web.page.browsing import Visit, hurry, show_options, sit_down

SEATS: list[str | None] = [None, None, "random"]


def meet(visit: Visit, address: str, **options: Any) -> tuple[Any, Any]:
    """Ann and Ben at a table of three; each page has a clock that tests can set forward."""
    first, second = visit(), visit()
    for page in (first, second):
        page.clock.install()
    table = sit_down(first, SEATS, [3], person="Ann", **options)
    second.goto(f"{address}#{table}")
    second.fill("#joiner", "Ben")
    second.click("#join button.main")
    for page in (first, second):
        page.wait_for_selector("#hand .card")
    return first, second


def test_the_wait_for_who_is_away_is_counted_down(visit: Visit, address: str) -> None:
    first, second = meet(visit, address)
    second.goto("about:blank")
    first.wait_for_selector("#notice:visible")
    told = re.fullmatch(r"Ben is away\. The computer takes over in (\d+) s\.", first.inner_text("#notice"))
    assert told is not None
    assert 30 < int(told[1]) <= 60
    assert "Ben is away" in first.text_content("#news")
    first.clock.run_for(5_000)  # more would look like a silent server
    assert first.inner_text("#notice") in {told[0].replace(told[1], str(left)) for left in range(56)}
    second.go_back()
    first.wait_for_selector("#notice", state="hidden")


def test_an_invitation_names_the_options(visit: Visit, address: str) -> None:
    options = {"clock": 30, "bid_restriction": "no_even", "magic_edition": True}
    table = sit_down(visit(), SEATS, [3, 4], **options)
    guest = visit(f"{address}#{table}")
    guest.wait_for_selector("#join:visible")
    expected = "2 rounds, bids must not add up to the tricks, Magic Edition, 30 s for a decision"
    assert guest.inner_text("#length") == expected


def test_the_time_for_a_decision_is_shown_where_people_act(visit: Visit, address: str) -> None:
    pages = meet(visit, address, clock=15)
    for page in pages:
        page.wait_for_selector("#players [data-acts] .clock")
        assert page.inner_text("#options") == "15 s for a decision"
        page.clock.run_for(6_000)
        page.wait_for_selector(".clock[data-soon]")
    (acting,) = [page for page in pages if page.locator("#choices button:enabled").count()]
    assert re.fullmatch(r"\d+ seconds? left", acting.text_content("#news"))
    assert "left" not in next(page for page in pages if page != acting).text_content("#news")


def test_a_decision_of_the_clock_is_told(visit: Visit, address: str) -> None:
    pages = meet(visit, address, clock=2)
    hurry(pages[0])
    for page in pages:
        page.wait_for_selector("#notice:visible")
        assert page.inner_text("#notice").startswith("Time is up. The computer decided for ")


@pytest.mark.parametrize("people", [1, 2])
def test_the_clock_is_offered_where_people_meet(visit: Visit, people: int) -> None:
    page = visit()
    show_options(page)
    if people == 2:
        page.locator("#seats select").nth(2).select_option("")
    assert page.locator("#clock").is_visible() == (people == 2)


def test_emotes(visit: Visit, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shown at the sender's seat for some seconds, and told; one setting puts them out of sight."""
    monkeypatch.setattr("wizard_table.web.hub.EMOTE_SECONDS", 0.0)  # the pages' clocks run ahead
    first, second = meet(visit, address)
    assert first.locator("#back").is_hidden()
    first.click("#emote")
    assert first.locator("#emotes button").count() == 6
    first.click("#emotes button[aria-label='laugh']")
    assert first.locator("#emote").is_disabled()
    second.wait_for_selector("#players li:nth-child(1) .emote")
    assert second.text_content("#news") == "Ann: laugh"
    for page in (first, second):
        page.clock.run_for(5_000)
        assert page.locator(".emote").count() == 0
    assert first.locator("#emote").is_enabled()
    second.evaluate("document.querySelector('#emoting').click()")
    assert second.locator("#emote").is_hidden()
    first.click("#emote")
    first.click("#emotes button[aria-label='thumbs up']")
    first.wait_for_selector("#players li:nth-child(1) .emote")
    assert second.locator(".emote").count() == 0
