"""A duplicate match by link in a real Chromium: two people, the same deals, both see the difference."""

from pathlib import Path
from typing import Any

from wizard_table.web.server import make_app

from table.tests.web.chromium import chromium, plain
from table.tools import screenshot

PLAY = """async (place) => {
  pace.value = 0;
  pace.dispatchEvent(new Event('input'));
  while (podium.hidden) {
    document.querySelector('#scored:not([hidden]) button')?.click();
    [...document.querySelectorAll('#choices button:enabled, #hand button:enabled')].at(place)?.click();
    await new Promise((wake) => setTimeout(wake, 100));
  }
}"""
"""Plays the first (0) or last (-1) legal choice every time."""
OPEN = """async () => {
  const sent = {method: "POST", headers: {"Content-Type": "application/json"}};
  const wanted = {seats: [null, "random", "random"], hand_sizes: [2, 3], person: "Ada"};
  const opened = await (await fetch("tables", {...sent, body: JSON.stringify(wanted)})).json();
  localStorage.setItem(`wizard ${opened.table}`, opened.token);
  return opened.table;
}"""

INVITE = """async (table) => {
  const token = localStorage.getItem(`wizard ${table}`);
  const sent = {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({token})};
  return (await (await fetch(`tables/${table}/match`, sent)).json()).address;
}"""
NAMES = "(cards) => cards.map((card) => card.getAttribute('aria-label'))"


def test_two_people_play_the_same_deals_by_link(tmp_path: Path) -> None:
    told: list[str] = []
    app = make_app(tmp_path / "tables.sqlite", ["random"])
    with screenshot.served(app) as address, chromium() as browser:

        def visit(where: str) -> Any:
            page = browser.new_context(bypass_csp=True).new_page()
            page.set_default_timeout(120_000)
            page.on("pageerror", lambda error: told.append(str(error)))
            page.goto(where)
            return page

        first = visit(address)
        table = first.evaluate(OPEN)
        first.goto(f"{address}#{table}")
        first.wait_for_selector("#players li")
        first.evaluate("same.open = true")
        first.click("#same button")
        first.wait_for_selector("#same input")
        link = first.input_value("#same input")
        assert table not in link
        first.evaluate(PLAY, -1)

        friend = visit(link)
        friend.fill("#result input", "Grace")
        friend.click("#result button")
        friend.wait_for_selector("#players li")
        friend.evaluate("same.open = true")
        friend.evaluate(PLAY, 0)
        friend.wait_for_selector("#same table:nth-of-type(2) tbody tr:nth-child(2)")
        first.click("#same div p button:last-child")
        first.wait_for_selector("#same table:nth-of-type(2) tbody tr:nth-child(2)")
        column = "#same > div > table:nth-of-type(2) td:last-child"
        differences = [
            [int(plain(cell)) for cell in page.locator(column).all_inner_texts()] for page in (first, friend)
        ]
        named = [page.inner_text("#same tbody button") for page in (first, friend)]
        again = first.context.new_page()
        again.goto(link)  # the page leads back to the game that this browser has begun
        again.wait_for_selector("#result .results [aria-current]")
        assert again.locator("#result form").count() == 0
        assert again.get_attribute("#result a.main", "href") == f"#{table}"
        parted = friend.locator("#same details, #same div > p:not(:last-child)").count()
    assert told == []
    assert named == ["Grace", "Ada"]
    assert differences[0] == [-one for one in differences[1]]
    assert parted >= 1


def test_two_guests_open_the_same_link(tmp_path: Path) -> None:
    """Each browser gets one table of its own with the same deals; each is compared with both others."""
    told: list[str] = []
    app = make_app(tmp_path / "tables.sqlite", ["random"])
    with screenshot.served(app) as address, chromium() as browser:

        def visit(where: str) -> Any:
            page = browser.new_context(bypass_csp=True).new_page()
            page.set_default_timeout(120_000)
            page.on("pageerror", lambda error: told.append(str(error)))
            page.goto(where)
            return page

        host = visit(address)
        table = host.evaluate(OPEN)
        link = host.evaluate(INVITE, table)
        guests = [visit(link), visit(link)]
        tab = guests[0].context.new_page()
        tab.goto(link)
        tab.wait_for_selector("#result button")
        tables = {table}
        for guest, name in zip(guests, ("Grace", "Edsger"), strict=True):
            guest.fill("#result input", name)
            guest.click("#result button")
            guest.wait_for_selector("#players li")
            tables.add(guest.evaluate("location.hash.slice(1)"))
        assert len(tables) == 3
        tab.click("#result button")  # the same browser, whose other tab sat down meanwhile
        tab.wait_for_selector("#players li")
        assert tab.evaluate("location.hash") == guests[0].evaluate("location.hash")
        tab.close()

        hands = [guest.locator("#hand .card").evaluate_all(NAMES) for guest in guests]
        assert hands[0] == hands[1] != []
        host.goto(f"{address}#{table}")
        host.wait_for_selector("#players li")
        for place, page in zip((-1, 0, -1), (host, *guests), strict=True):
            page.evaluate(PLAY, place)
        leads = {}
        for name, page in zip(("Ada", "Grace", "Edsger"), (host, *guests), strict=True):
            page.reload()
            page.wait_for_selector("#podium")
            page.evaluate("same.open = true")
            page.wait_for_selector("#same table tbody tr:nth-child(2)")
            for line in page.locator("#same > div > table:first-of-type tbody tr").all_inner_texts():
                other, rounds, lead = line.split()
                assert rounds == "2"
                leads[name, other] = int(plain(lead))
    assert told == []
    assert len(leads) == 6
    for one, other in leads:
        assert leads[one, other] == -leads[other, one]
    assert leads["Ada", "Edsger"] == 0  # they chose alike, so agents did
