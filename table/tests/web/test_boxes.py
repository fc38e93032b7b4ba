"""The boxes of every page, at four sizes: nothing is cut, sticks out, or lies on what one can press."""

import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wizard_table.web.server import make_app
from wizard_table.web.setup import Setup, digest
from wizard_table.web.store import Save, Store

from table.tests.web.chromium import chromium
from table.tools import screenshot
from wizard_env import Rules, View, load
from wizard_env.records.game_records import record
from wizard_env.session import Session

SIZES = {"desktop": (1440, 900), "tablet": (1024, 768), "phone": (360, 740), "lying": (740, 360)}
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
FAULTS = """() => {
  const root = document.querySelector("dialog[open]") ?? document.body;
  const found = [];
  const tell = (fault, one) => found.push(`${fault}: ${one.outerHTML.slice(0, 110)}`);
  const style = getComputedStyle;
  const scrolls = (one) => /auto|scroll/.test(style(one).overflowX + style(one).overflowY);
  const unseen = (one) => one.closest(".unseen, .word:not(:only-child), .face") && style(
    one.closest(".unseen, .word, .face")).position === "absolute";
  const all = [...root.querySelectorAll("*")].filter((one) =>
    one.checkVisibility({ visibilityProperty: true }) && !unseen(one) && one.getBoundingClientRect().width);
  // The part of a box that is in view, since an element around it may scroll.
  const inView = (one) => {
    let { left, right, top, bottom } = one.getBoundingClientRect();
    for (let around = one.parentElement; around && around !== root; around = around.parentElement) {
      if (!scrolls(around)) continue;
      const box = around.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const meet = (p, q) =>
    p.left + 1 < q.right && q.left + 1 < p.right && p.top + 1 < q.bottom && q.top + 1 < p.bottom;

  const pressed = "a[href], button, input, select, summary, [role=slider]";
  const fills = root.querySelector("#table:not([data-over], [data-review])")?.checkVisibility();
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  if (fills && document.documentElement.scrollHeight > innerHeight) found.push("the page scrolls");
  const felt = all.find((one) => one.id === "felt");
  if (felt && felt.scrollHeight > felt.clientHeight + 1) found.push("the felt scrolls");
  for (const one of all) {
    const { left, right, bottom } = inView(one);
    if (right - left > 1 && (left < -1 || right > innerWidth + 1)) tell("outside", one);
    const isPressed = one.matches(pressed) && !one.closest("#hand");
    if (fills && isPressed && bottom > innerHeight + 1) tell("below", one);
    const aside = style(one).overflowX === "auto" && !one.matches("#bars, #address");
    if (aside && one.scrollWidth > one.clientWidth + 1) tell("scrolls sideways", one);
    const cuts = /hidden|clip/.test(style(one).overflowX) && !one.closest("[title]") && one.innerText?.trim();
    const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
    if (cuts && isCut && !["hand", "table"].includes(one.id)) tell("cut", one);
  }

  const boxes = "td, th, button, a.button, summary, .tag, .block, .who, #players li, #scored, dialog, .panel";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const box = text.parentElement.closest(boxes);
    if (!text.data.trim() || !box || !all.includes(text.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const [inner, outer] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    const isFigure = text.parentElement.closest("#hand small");
    if (!isFigure && (inner.left < outer.left - 1 || inner.right > outer.right + 1))
      tell("sticks out", text.parentElement);
  }

  const apart = `${pressed}, #players li, #trick .card, #trump .words, #trump .card`;
  const parts = all.filter((one) => one.matches(apart) && !one.closest("#hand, .held"))
    .map((one) => [one, inView(one)]).filter(([, box]) => box.right > box.left && box.bottom > box.top);
  parts.forEach(([one, box], number) => {
    for (const [other, its] of parts.slice(number + 1)) {
      const nested = one.contains(other) || other.contains(one);
      const covered = (each) => each.closest("#felt") && !each.closest("#scored, #podium")
        && root.querySelector("#scored:not([hidden]), #podium:not([hidden])");
      if (!nested && !covered(one) && !covered(other) && meet(box, its))
        tell(`on ${other.outerHTML.slice(0, 60)}`, one);
    }
  });
  return found;
}"""
"""Names what is cut, outside the window or its box, and what lies on something that one can press or read."""


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
    with screenshot.served(make_app(tmp_path / "tables.sqlite", AGENTS)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def open_page(browser: Any, locale: str) -> Any:
    """A page in a fresh browser context that knows the seats at the tables."""
    context = browser.new_context(locale=locale, bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.add_init_script("try { localStorage.setItem('wizard, taught', 'yes') } catch {}")
    for name in positions():
        page.add_init_script(f"try {{ localStorage.setItem('wizard {name}', '{TOKEN}') }} catch {{}}")
    return page


def drills() -> str:
    """Return drills as the page keeps them: a bid in a round of ten cards."""
    decisions = len(positions()["boxes-bidding"].game.history)
    text = record(played_until(Rules(6), 5, lambda session: False).game)
    drill = {"decisions": decisions, "chosen": "bid 1", "box": 1, "due": 0}
    return json.dumps([{"table": "x", "seat": 0, "rounds": 10, "record": text, "drills": [drill]}])


def moments(page: Any, address: str) -> Iterator[str]:
    """Go through the pages; yields the name of each moment, at which the caller may look around."""

    def visit(where: str, until: str) -> None:
        page.goto("about:blank")
        page.goto(f"{address}#{where}")
        page.wait_for_selector(until)

    def dialog(name: str) -> Iterator[str]:
        page.evaluate("(name) => document.getElementById(name).showModal()", name)
        yield name
        page.evaluate("(name) => document.getElementById(name).close()", name)

    visit("", "#entrance")
    page.wait_for_selector("#mine li")
    yield "lobby"
    page.evaluate("document.querySelector('#more-options').open = true")
    yield "options"
    for name in ("rules", "settings"):
        yield from dialog(name)
    visit("daily", "#result form")
    yield "daily"
    visit("drills", "#result:not([hidden])")
    yield "no drills"
    page.evaluate("(drills) => localStorage.setItem('wizard drills', drills)", drills())
    visit("drills", "#choices button:enabled")
    yield "drill"
    page.evaluate("[...document.querySelectorAll('#choices .choice')].at(-1).click()")
    page.wait_for_selector("#next:not([hidden])")
    yield "answer"
    page.evaluate("localStorage.removeItem('wizard drills')")

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
    page.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")
    page.evaluate("document.querySelector('#hand button').click()")
    page.wait_for_selector("#scored:not([hidden]) .fortune:not(:empty)")
    yield "result of a round"

    visit("boxes-over", "#podium:not([hidden])")
    page.wait_for_function("/[^…]$/.test(document.querySelector('#podium .cost').textContent)")
    yield "podium"
    page.click("#pad")
    shown = page.locator("#dialog th[scope=col]").all_inner_texts()
    assert [text.replace("\n", "") for text in shown[1:]] == NAMES
    yield "score pad"
    page.keyboard.press("Escape")
    page.evaluate("for (const one of document.querySelectorAll('#side details')) one.open = true")
    page.wait_for_selector("#luck tbody tr", state="attached")
    yield "side"
    page.click("#podium button:not(.main)")
    page.wait_for_selector("#review:not([hidden])")
    page.wait_for_selector("#players li")
    page.click("#later")
    page.click("#judge")
    page.wait_for_selector("#bars .column")
    yield "review"
    visit("result/boxes-over/0", "#result .sums tfoot")
    yield "result"


@pytest.mark.parametrize("locale", ["ca-ES", "es-ES", "en-GB", "pt-PT"])
def test_boxes(browser: Any, address: str, locale: str) -> None:
    page = open_page(browser, locale)
    found = {}
    for moment in moments(page, address):
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(50)
            found[f"{moment}, {size}"] = page.evaluate(FAULTS)
    assert {moment: faults for moment, faults in found.items() if faults} == {}
