"""The boxes of every page: nothing is cut, sticks out, or lies on what one can press."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wizard_table.web.server import make_app
from wizard_table.web.setup import Setup, digest
from wizard_table.web.store import Save, Store

from table.tests.web.page.browsing import OPEN, SIZES, Visit, hurry, solve_puzzles
from table.tests.web.page.faults import faults_of
from table.tools.serving import served
from wizard_env import Rules, View, load
from wizard_env.records.game_records import record
from wizard_env.session import Session

AGENTS = ["heuristic", "search:worlds=2"]
TOKEN = "a seat for the boxes"
NAMES = [
    "Wolfeschlegelsteinha",
    "Maria da Conceição S",
    "Ann",
    "Immmmmmmmmmmmmmmmmmm",
    "Jo Bloggs the Second",
]
"""Names of up to 20 letters, as many as the page lets people enter."""
FEW = ("small", "desktop")
OTHERS = ("small", "held", "lying")
"""Sizes at which the largest hands are tried at every commit."""
LARGEST = tuple(f"boxes-{players}-players" for players in (3, 4, 5, 6))


def played_until(rules: Rules, seed: int, stop: Callable[[Session], bool]) -> Session:
    """Return a game with a person at seat 0, played by a heuristic until the condition holds."""
    session = Session(rules, [None] * rules.num_players, seed)
    agent, rng = load("heuristic"), np.random.default_rng(0)
    while session.game.seat is not None and not stop(session):
        session.act(session.game.seat, int(agent.act(View.of([session.game]), rng)[0]))
    return session


def at(phase: str, round_number: int, cards: int) -> Callable[[Session], bool]:
    """The condition that seat 0 acts in a phase of a round, with that many cards."""
    return lambda session: (
        session.game.seat == 0
        and (session.game.phase, session.game.round_number) == (phase, round_number)
        and len(session.game.hands[0]) == cards
    )


JOIN = """([table, person]) => fetch(`tables/${table}/seats`, {
  method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({person}),
})"""
"""Takes a seat for somebody who does not come to the table."""


@cache
def positions() -> dict[str, Session]:
    """Return the games of the tables, by the name of the table."""
    six = Rules(6)
    secret = Rules(4, bid_reveal="secret", magic_edition=True)
    return {
        "boxes-bidding": played_until(six, 5, at("bid", 10, 10)),
        "boxes-playing": played_until(six, 5, at("play", 9, 5)),
        "boxes-last-card": played_until(Rules(6, hand_sizes=(5, 6, 7, 8, 9, 10)), 5, at("play", 6, 1)),
        "boxes-trump": played_until(
            Rules(4), 10, lambda session: session.game.phase == "trump" and session.game.seat == 0
        ),
        "boxes-secret": played_until(secret, 18, at("play", 8, 6)),
        **{
            name: played_until(Rules(players, hand_sizes=(60 // players,)), 5, at("bid", 1, 60 // players))
            for players, name in enumerate(LARGEST, 3)
        },
        "boxes-over": played_until(Rules(6, hand_sizes=(1, 2, 3)), 5, lambda session: False),
    }


def save_tables(path: Path) -> None:
    """Put the tables into a store; all people but the first have left, so agents play for them."""
    store = Store(path)
    for name, session in positions().items():
        rules = session.game.rules
        people = range(1, rules.num_players)
        setup = Setup(
            rules,
            (None,) * rules.num_players,
            session.game.seed,
            stand_in="heuristic",
            taken=dict.fromkeys(range(rules.num_players), digest(TOKEN)),
            people=dict(zip(people, NAMES, strict=False)),
            left=tuple(people),
        )
        store.save_all([Save(name, setup.to_json(), session.game.history, time.time())])
    store.close()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a server with the tables, at which nobody has played on yet."""
    save_tables(tmp_path / "tables.sqlite")
    with served(make_app(tmp_path / "tables.sqlite", AGENTS)) as address:
        yield address


def drills() -> str:
    """Return drills as the page keeps them: a bid in a round of ten cards."""
    decisions = len(positions()["boxes-bidding"].game.history)
    text = record(played_until(Rules(6), 5, lambda session: False).game)
    drill = {"decisions": decisions, "chosen": "bid 1", "box": 1, "due": 0}
    return json.dumps([{"table": "x", "seat": 0, "rounds": 10, "record": text, "drills": [drill]}])


def visit_page(page: Any, where: str, until: str) -> None:
    page.goto("about:blank")
    page.goto(where)
    page.wait_for_selector(until)


def largest_hands(page: Any, address: str, tables: Sequence[str]) -> Iterator[str]:
    """Bid and play the first card with the largest hand, each with a hint; yields the name of each moment."""
    for name in tables:
        page.evaluate("([name, token]) => localStorage.setItem(`wizard ${name}`, token)", [name, TOKEN])
        visit_page(page, f"{address}#{name}", "#choices button:enabled")
        yield f"many bids, {name}"
        page.keyboard.press("h")
        page.wait_for_selector("#choices small", state="attached")
        yield f"hint on many bids, {name}"
        page.evaluate("document.querySelector('.choice:enabled').click()")
        page.wait_for_selector("#hand button:enabled")
        page.keyboard.press("h")
        page.wait_for_selector("#hand small")
        yield f"hint on many cards, {name}"


def sheet_and_results(page: Any, visit: Callable[[str, str], None]) -> Iterator[str]:
    """The score sheet with the longest names and the largest hands, and the results of a person."""
    visit("sheet", "#result form")
    yield "names"
    rounds = [[0] * 6 + [size // 2, 0, 0, 0, 0] for size in range(1, 10)]
    numbers = [*chain(*rounds), 10, 10, 10, 10, 10]
    sheet = {"names": [*NAMES, NAMES[0]], "hook": True, "numbers": numbers}
    page.evaluate("(sheet) => { localStorage['wizard sheet'] = JSON.stringify(sheet); }", sheet)
    visit("sheet", "#result .numbers")
    yield "sheet"
    played = [[size, 20, size, -10 * abs(20 - size)] for size in range(1, 21)]
    games = [{"table": f"{name}", "match": None, "place": 1, "rounds": played} for name in NAMES]
    page.evaluate("(games) => { localStorage['wizard games'] = JSON.stringify(games); }", games)
    visit("profile", "#result .course svg")
    page.click("#result summary")
    yield "own results"
    page.evaluate("localStorage.removeItem('wizard games')")


def moments(page: Any, address: str) -> Iterator[str]:
    """Go through the pages; yields the name of each moment, at which the caller may look around."""

    def visit(where: str, until: str) -> None:
        visit_page(page, f"{address}#{where}", until)

    def dialog(name: str) -> Iterator[str]:
        page.evaluate("(name) => document.getElementById(name).showModal()", name)
        yield name
        page.evaluate("(name) => document.getElementById(name).close()", name)

    for name in positions():
        page.evaluate("([name, token]) => localStorage.setItem(`wizard ${name}`, token)", [name, TOKEN])
    visit("", "#mine li")
    yield "lobby"
    page.evaluate("document.querySelector('#more-options').open = true")
    yield "options"
    for name in ("rules", "settings"):
        yield from dialog(name)
    visit("daily", "#result form")
    yield "daily"
    yield from sheet_and_results(page, visit)
    visit("drills", "#choices button:enabled, #hand button:enabled")
    yield "puzzle"
    solve_puzzles(page)
    visit("drills", "#result:not([hidden])")
    yield "no drills"
    page.evaluate("(drills) => localStorage.setItem('wizard drills', drills)", drills())
    visit("drills", "#choices button:enabled")
    yield "drill"
    page.evaluate("[...document.querySelectorAll('#choices .choice')].at(-1).click()")
    page.wait_for_selector("#next:not([hidden])")
    yield "answer"
    page.evaluate("localStorage.removeItem('wizard drills')")

    visit("", "#mine li")
    options = {"person": NAMES[0], "clock": 60}
    table = page.evaluate(OPEN, [[None, None, "heuristic", None], options])
    page.wait_for_function("document.querySelector('#address').value")
    yield "waiting for guests"
    page.click("#begin")
    page.wait_for_selector("#hand .card")
    yield "open seats"
    page.evaluate(JOIN, [table, NAMES[1]])
    page.wait_for_selector("#notice:not([hidden])")
    page.wait_for_selector(".clock")
    yield "away"

    visit("boxes-trump", "#choices button:enabled")
    yield "trump"
    visit("boxes-secret", "#hand button:enabled")
    yield "secret"
    visit("boxes-bidding", "#choices button:enabled")
    yield "bidding"
    yield from dialog("leaving")
    page.click("#hint")
    page.wait_for_selector("#choices small", state="attached")
    yield "hint"
    visit("boxes-playing", "#hand button:enabled")
    yield "playing"
    page.keyboard.press("h")
    page.wait_for_selector("#hand small")
    yield "hint on cards"
    visit("boxes-last-card", "#hand button:enabled")
    hurry(page)
    page.evaluate("document.querySelector('#hand button').click()")
    page.wait_for_selector("#scored:not([hidden])")
    yield "result of a round"

    visit("boxes-over", "#podium:not([hidden])")
    page.wait_for_function("/[^…]$/.test(document.querySelector('#podium .cost').textContent)")
    yield "podium"
    page.click("#pad")
    shown = page.locator("#dialog th[scope=col]").all_inner_texts()
    assert [text.replace("\n", "") for text in shown[1:]] == NAMES
    yield "score pad"
    page.keyboard.press("Escape")
    page.click("#podium button:not(.main)")
    page.wait_for_selector("#review:not([hidden])")
    page.click("#later")
    page.wait_for_selector("#advice tbody tr")
    yield "review"
    visit("result/boxes-over/0", "#result .worth")
    yield "result"


@pytest.mark.parametrize(
    ("locale", "sizes"),
    [
        ("en-GB", FEW),
        ("de-DE", FEW),  # the longest texts
        *(
            pytest.param(one, tuple(SIZES), marks=pytest.mark.slow)
            for one in ("ca", "de", "en-GB", "es", "pt-PT")
        ),
    ],
)
def test_boxes(visit: Visit, address: str, locale: str, sizes: tuple[str, ...]) -> None:
    page = visit(locale=locale)
    # Playwright sets no language for websockets, whose hints would be in English.
    page.context.add_cookies([{"name": "language", "value": locale[:2], "url": address}])
    page.reload()
    assert faults_at(page, moments(page, address), sizes) == {}


@pytest.mark.parametrize(
    ("tables", "sizes"),
    [
        ((LARGEST[0], LARGEST[-1]), OTHERS),
        pytest.param(LARGEST, tuple(SIZES), marks=pytest.mark.slow),
    ],
)
def test_the_largest_hands(
    visit: Visit, address: str, tables: tuple[str, ...], sizes: tuple[str, ...]
) -> None:
    page = visit()
    assert faults_at(page, largest_hands(page, address, tables), sizes) == {}


def faults_at(page: Any, moments: Iterator[str], sizes: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the faults by moment and size, where there are any."""
    found = {}
    for moment in moments:
        for size in sizes:
            page.set_viewport_size(SIZES[size])
            found[f"{moment}, {size}"] = faults_of(page)
    return {moment: faults for moment, faults in found.items() if faults}


IN_VIEW = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return one.checkVisibility() && top >= 0 && bottom <= innerHeight;
}).length"""


def test_the_way_on_is_in_view(visit: Visit, address: str) -> None:
    """Without scrolling: bids, what follows a game, the slider of a review, and the way to a seat."""
    host, page = visit(), visit()
    table = host.evaluate(OPEN, [[None, None, "heuristic"], {"clock": 60, "magic_edition": True}])
    for name in ("boxes-bidding", "boxes-over"):
        page.evaluate("([name, token]) => localStorage.setItem(`wizard ${name}`, token)", [name, TOKEN])

    def count(selector: str) -> set[int]:
        counts = set()
        for size in SIZES.values():
            page.set_viewport_size(size)
            counts.add(page.evaluate(IN_VIEW, selector))
        return counts

    visit_page(page, f"{address}#boxes-bidding", "#choices button:enabled")
    assert count("#choices .choice:enabled, #choices .go") == {11, 1}  # a phone has a stepper
    visit_page(page, f"{address}#boxes-over", "#podium:not([hidden])")
    assert count("#podium .row > *") == {3}
    page.click("#podium button:not(.main)")
    page.wait_for_selector("#review:not([hidden])")
    assert count("#moment") == {1}
    visit_page(page, f"{address}#{table}", "#join:visible")
    assert count("#join button") == {1}


def test_pages_leave_the_table_as_it_is(visit: Visit, address: str) -> None:
    """Their styles stay in the document when they have been visited."""
    page = visit()
    page.evaluate("(token) => localStorage.setItem('wizard boxes-playing', token)", TOKEN)
    boxes = """[...document.querySelectorAll("#bar *, #players *, #lines *")].map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return [one.id || one.className, x, y, width, height].join(" ");
    })"""
    visit_page(page, f"{address}#boxes-playing", "#hand button:enabled")
    before = page.evaluate(boxes)
    page.evaluate("location.hash = 'sheet'")
    page.wait_for_selector("#result form")
    page.evaluate("location.hash = 'boxes-playing'")
    page.wait_for_selector("#hand button:enabled")
    assert page.evaluate(boxes) == before


def test_suits_stand_in_one_row_or_in_pairs(visit: Visit, address: str) -> None:
    page = visit(locale="es-ES")  # whose words for suits are long
    page.evaluate("(token) => localStorage.setItem('wizard boxes-trump', token)", TOKEN)
    visit_page(page, f"{address}#boxes-trump", "#choices button:enabled")
    rows = set()
    for width in range(320, 1100, 30):
        page.set_viewport_size({"width": width, "height": 600})
        tops = page.evaluate("[...document.querySelectorAll('.choice')].map((one) => one.offsetTop)")
        rows.add(tuple(tops.count(top) for top in sorted(set(tops))))
    assert rows == {(4,), (2, 2)}
