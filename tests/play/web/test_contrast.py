"""Contrast of the page's colours in both themes, as WCAG 2.2 (2023) defines it, from the style sheet."""

import re
from importlib.resources import files

import pytest

SHEET = (files("wizard_env.play.web") / "static" / "shared" / "page.css").read_text(encoding="utf-8")
RULE = r"\s*\{([^{}]*)\}"
LIGHT = ":root"
DARK = ':root[data-theme="dark"]'
DARK_BY_WISH = ':root:not([data-theme="light"])'
TEXT = 4.5  # WCAG 1.4.3
FIELD = 3.0  # WCAG 1.4.11: what shows where a control is
TEXTS = [
    *((colour, ground) for colour in ("ink", "dim", "link", "error") for ground in ("room", "panel")),
    *((colour, "panel") for colour in ("met", "missed")),
    ("ink", "button"),
    ("on-main", "main"),
    ("on-plate", "plate"),
    ("plate-dim", "plate"),
    ("on-plate", "felt"),
    *((suit, "paper") for suit in ("S", "H", "D", "C", "WI", "JE")),
]
FIELDS = [
    ("line", "panel"),
    ("line", "room"),
    ("line", "button"),
    ("focus", "room"),
    ("focus", "panel"),
    ("legal", "paper"),
    ("turn", "felt"),
]


def colours(selector: str) -> dict[str, str]:
    """The colours that a rule of the sheet sets, by name."""
    found = re.search("(?m)^ *" + re.escape(selector) + RULE, SHEET)
    assert found, selector
    return dict(re.findall(r"--([\w-]+): *(#[0-9a-f]{3,8})", found[1]))


def luminance(colour: str) -> float:
    digits = colour[1:]
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    assert len(digits) == 6, f"{colour} is not opaque"
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_formula() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize(("least", "pairs"), [(TEXT, TEXTS), (FIELD, FIELDS)])
def test_colours_differ_enough(theme: str, least: float, pairs: list[tuple[str, str]]) -> None:
    known = {**colours(LIGHT), **colours(theme)}
    found = {f"{one} on {other}": contrast(known[one], known[other]) for one, other in pairs}
    assert {pair: ratio for pair, ratio in found.items() if ratio < least} == {}


def test_dark_is_the_same_by_wish_and_by_choice() -> None:
    assert colours(DARK) == colours(DARK_BY_WISH)
