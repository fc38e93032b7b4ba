"""Contrast of the page's colours in both themes, as WCAG 2.2 (2023) defines it, from the style sheet."""

import re
from importlib.resources import files

import pytest

STATIC = files("wizard_table.web") / "static"
SHEET = (STATIC / "shared" / "page.css").read_text(encoding="utf-8")
THEMES = ("light", "dark")
TEXT = 4.5  # WCAG 1.4.3
FIELD = 3.0  # WCAG 1.4.11: what shows where a control is
TEXTS = [
    *((colour, ground) for colour in ("ink", "dim", "link", "error") for ground in ("room", "panel")),
    *((colour, "panel") for colour in ("met", "missed")),
    ("ink", "button"),
    ("on-main", "main"),
    ("on-plate", "plate"),
    ("plate-dim", "plate"),
    *((colour, "felt") for colour in ("on-plate", "felt-dim")),
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


def colours(theme: str) -> dict[str, str]:
    """The colours of the sheet in a theme, by name."""
    found = re.findall(r"--([\w-]+): *(?:light-dark\()?(#[0-9a-f]{3,8})(?:, (#[0-9a-f]{3,8})\))?", SHEET)
    return {name: dark if dark and theme == "dark" else light for name, light, dark in found}


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


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("least", "pairs"), [(TEXT, TEXTS), (FIELD, FIELDS)])
def test_colours_differ_enough(theme: str, least: float, pairs: list[tuple[str, str]]) -> None:
    known = colours(theme)
    found = {f"{one} on {other}": contrast(known[one], known[other]) for one, other in pairs}
    assert {pair: ratio for pair, ratio in found.items() if ratio < least} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_is_the_same_by_preference_and_by_choice(theme: str) -> None:
    """The page follows the system, until a choice leaves one of the two."""
    assert "color-scheme: light dark;" in SHEET
    assert f':root[data-theme="{theme}"] {{ color-scheme: {theme}; }}' in " ".join(SHEET.split())
    assert colours("light") != colours("dark")


def test_headings_lie_on_the_felt() -> None:
    """They use its variables, so the contrast tests above cover them."""
    assert re.search(r"--cloth: radial-gradient\([\w %]+, var\(--felt\), var\(--felt-edge\)\);", SHEET)
    for sheet in ("lobby/lobby.css", "pages/later.css"):
        assert "background: var(--cloth);" in (STATIC / sheet).read_text(encoding="utf-8")
