"""Suits have the same colours everywhere."""

import re
from pathlib import Path

import pytest

from wizard_env.render.colors import ANSI_CODES, LIGHT_COLORS, Color

STYLE = Path(__file__).parents[2] / "table" / "wizard_table" / "web" / "static" / "shared" / "page.css"


def test_every_card_has_a_colour_of_its_own() -> None:
    for colors in (LIGHT_COLORS, ANSI_CODES):
        assert list(colors) == ["S", "H", "D", "C", "WI", "JE"]
        assert len(set(colors.values())) == len(colors)


@pytest.mark.parametrize(("card", "color"), LIGHT_COLORS.items())
def test_the_page_has_the_same(card: str, color: Color) -> None:
    (found,) = re.findall(rf"--{card}: #([0-9a-f]{{6}})", STYLE.read_text(encoding="utf-8"))
    assert tuple(bytes.fromhex(found)) == color


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [part / 255 for part in color]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("card", LIGHT_COLORS)
def test_contrast(card: str) -> None:
    """At least 4.5 to 1 on white."""
    assert 1.05 / (luminance(LIGHT_COLORS[card]) + 0.05) >= 4.5
