"""People in Chromium: they open tables, sit down and play."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

AGENTS = ["random", "rule_based", "search:worlds=8", "champion"]
Visit = Callable[..., Any]
"""Opens a page, see the fixture `visit`."""
SIZES = {
    "phone": {"width": 390, "height": 844},
    "lying": {"width": 844, "height": 390},
    "tablet": {"width": 1024, "height": 768},
    "desktop": {"width": 1440, "height": 900},
    "small": {"width": 320, "height": 568},
    "held": {"width": 768, "height": 1024},
    "wide": {"width": 2560, "height": 1440},
}
OPEN = """async ([seats, options]) => {
  const sent = {method: "POST", headers: {"Content-Type": "application/json"}};
  const answer = await fetch("tables", {...sent, body: JSON.stringify({seats, ...options})});
  const {table, token} = await answer.json();
  if (token) localStorage.setItem(`wizard ${table}`, token);
  location.hash = table;
  return table;
}"""
PLAY = """async (place) => {
  while (document.querySelector('#podium').hidden) {
    document.querySelector('#scored:not([hidden]) button')?.click();
    [...document.querySelectorAll('#choices button:enabled, #hand button:enabled')].at(place)?.click();
    await new Promise((wake) => setTimeout(wake, 30));
  }
}"""
CHOOSE = """() => coach.hidden && [...document.querySelectorAll('.go, .choice, #hand button')]
  .find((one) => !one.disabled && one.checkVisibility())?.click()"""
FOCUS = """() => [...document.querySelectorAll('.go, .choice, #hand button, #scored button')]
  .find((one) => !one.disabled && one.checkVisibility())?.focus()"""
CHOICES = ".go:not(:disabled):visible, .choice:not(:disabled):visible, #hand button:not(:disabled)"
SOLVE = """async () => {
  const { puzzles } = await (await fetch("puzzles")).json();
  const solved = puzzles.map(({ name }) => [name, { box: 6, due: 0 }]);
  localStorage["wizard puzzles"] = JSON.stringify(Object.fromEntries(solved));
}"""
MOST_STEPS = 4000


def sit_down(page: Any, seats: list[str | None], hand_sizes: list[int], **options: Any) -> str:
    """From the lobby, open a table and sit down; agents do not wait. Return the table's name."""
    table: str = page.evaluate(OPEN, [seats, {"hand_sizes": hand_sizes, **options}])
    page.wait_for_selector("#players li")
    hurry(page)
    return table


def hurry(page: Any) -> None:
    """Have the agents act at once."""
    page.evaluate("pace.value = 0; pace.dispatchEvent(new Event('input'))")


def play_on(page: Any, place: int = -1) -> None:
    """Play to the end: the first (0) or last (-1) legal choice every time; bids that high lose points."""
    page.evaluate(PLAY, place)


def until_over(*pages: Any) -> Iterator[Any]:
    """Yield the pages in turn, until the game is over on all of them."""
    for _ in range(MOST_STEPS):
        if all(page.is_visible("#podium") for page in pages):
            return
        yield from pages
    raise AssertionError("the game has not ended")


def act(page: Any) -> None:
    """Take the first choice with the keyboard, if there is one."""
    page.evaluate(FOCUS)
    if page.evaluate("document.activeElement.matches('.go, .choice, #hand button, #scored button')"):
        page.keyboard.press("Enter")
    page.wait_for_timeout(20)


def show_options(page: Any) -> None:
    """Open the form of all options in the lobby."""
    page.wait_for_selector("#seats select", state="attached")
    page.evaluate("document.querySelector('#more-options').open = true")


def solve_puzzles(page: Any) -> None:
    """Have the browser remember every puzzle as learned."""
    page.evaluate(SOLVE)


def plain(text: str) -> str:
    """Return a text of the page with hyphens for its minus signs, so that its numbers can be read."""
    return text.replace("\N{MINUS SIGN}", "-")


def figures(text: str) -> list[Decimal]:
    """Return the numbers in a text of the page."""
    return [Decimal(figure) for figure in re.findall(r"[+-]?\d+(?:\.\d)?", plain(text))]
