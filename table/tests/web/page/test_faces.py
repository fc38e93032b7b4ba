"""The faces of cards in Chromium, at the sizes at which the page shows them."""

from typing import Any

import pytest

from table.tests.web.page.browsing import Visit
from wizard_env.cards import CARD_NAMES

axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

SHOW = """async ([names, width]) => {
  const styles = document.querySelector("link[rel=stylesheet]").href;
  const { card, chip } = await import(new URL("../drawings/cards.js", styles));
  document.querySelector("#faces")?.remove();
  const faces = Object.assign(document.createElement("div"), { id: "faces" });
  faces.append(...names.flatMap((name) => [card(name, "button"), chip(name)]));
  faces.style.setProperty("--card", `${width}px`);
  document.querySelector("main").append(faces);
}"""
"""The lobby stays, since its scripts still write into it."""
INDEXES = """() => [...document.querySelectorAll("#faces .corner .rank")].map((rank) => {
  const box = rank.closest(".card").getBoundingClientRect();
  const sign = rank.getBoundingClientRect();
  return [sign.height, sign.left - box.left, sign.top - box.top, box.right - sign.right];
})"""
VISIBLE = """(name) => [...document.querySelectorAll(`#faces .card .${name}`)]
  .filter((one) => one.getBoundingClientRect().width > 0).length"""
LEAST_INDEX = 12
"""Pixels; the height of a rank that is read at arm's length."""


@pytest.fixture
def page(visit: Visit) -> Any:
    page = visit()
    page.wait_for_selector("#play button:enabled")
    return page


def test_the_index_is_large_and_within_the_card(page: Any) -> None:
    for width in (36, 45, 60, 72, 100, 140):
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
