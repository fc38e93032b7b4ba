"""Colours of suits, Wizards and Jesters: the same in text, images, terminal and browser."""

from typing import TypeAlias

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

LIGHT_COLORS: dict[str, Color] = {
    "S": (27, 27, 31),
    "H": (193, 18, 31),
    "D": (179, 89, 0),
    "C": (11, 110, 58),
    "WI": (91, 42, 157),
    "JE": (0, 97, 127),
}
"""Colours on light ground, as on the face of a card."""
ANSI_CODES = {"S": "1", "H": "31", "D": "33", "C": "32", "WI": "1;35", "JE": "1;36"}
"""Colours on unknown ground: spades in the terminal's colour for text."""
