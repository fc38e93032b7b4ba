"""The faces of cards in a real Chromium, at the sizes at which the page shows them."""

from collections.abc import Iterator
from typing import Any

import pytest
from wizard_table.web.server import PAGE, make_app

from table.tests.web.chromium import chromium
from table.tools import screenshot
from wizard_env.cards import CARD_NAMES

axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

SHOW = """async ([names, width]) => {
  const { card, chip } = await import("./drawings/cards.js");
  document.body.replaceChildren(...names.flatMap((name) => [card(name, "button"), chip(name)]));
  document.body.style.setProperty("--card", `${width}px`);
}"""
INDEXES = """() => [...document.querySelectorAll(".corner .rank")].map((rank) => {
  const box = rank.closest(".card").getBoundingClientRect();
  const sign = rank.getBoundingClientRect();
  return [sign.height, sign.left - box.left, sign.top - box.top, box.right - sign.right];
})"""
VISIBLE = """(name) => [...document.querySelectorAll(`.card .${name}`)]
  .filter((one) => one.getBoundingClientRect().width > 0).length"""
LEAST_INDEX = 12
"""Pixels; the height of a rank that is read at arm's length."""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page on which cards can be shown: it has the styles, and gets single scripts."""
    app = make_app(":memory:", ["random"])
    with screenshot.served(app) as address, chromium() as browser:
        page = browser.new_page()
        page.goto(address)
        page.route(f"{address}**/*.js", fulfil)
        yield page


def fulfil(route: Any) -> None:
    """Answer with a script of the page as it is written, alone."""
    script = route.request.url.split("/", 3)[3]
    route.fulfill(path=PAGE / script, content_type="text/javascript")


@pytest.mark.parametrize("width", [36, 45, 60, 72, 100, 140])
def test_the_index_is_large_and_within_the_card(page: Any, width: int) -> None:
    page.evaluate(SHOW, [CARD_NAMES, width])
    indexes = page.evaluate(INDEXES)
    assert len(indexes) == 52
    for height, left, top, right in indexes:
        assert height >= LEAST_INDEX
        assert min(left, top) >= 0
        assert right >= 0.45 * width


def test_small_cards_show_less(page: Any) -> None:
    """The pips of a large card become one great pip, and of a court card only one half stays."""
    pips, halves = {}, {}
    for width in (36, 60, 100):
        page.evaluate(SHOW, [["7H", "QS"], width])
        pips[width] = [page.evaluate(VISIBLE, name) for name in ("great", "pips > path")]
        halves[width] = [page.evaluate(VISIBLE, name) for name in ("bust", "turned .deep")]
    assert pips == {36: [2, 0], 60: [1, 0], 100: [0, 7]}
    assert halves == {36: [0, 0], 60: [1, 0], 100: [1, 1]}


def test_names_agree_with_what_is_seen(page: Any) -> None:
    """Nobody who says "click" and what they see is misunderstood (WCAG 2.5.3)."""
    page.evaluate(SHOW, [CARD_NAMES, 100])
    rule = {"runOnly": {"type": "rule", "values": ["label-content-name-mismatch"]}}
    assert axe.run(page, options=rule).response["violations"] == []
