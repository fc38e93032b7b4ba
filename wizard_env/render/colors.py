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
DARK_COLORS: dict[str, Color] = {
    "S": (255, 255, 255),
    "H": (255, 123, 114),
    "D": (255, 180, 84),
    "C": (126, 231, 135),
    "WI": (210, 168, 255),
    "JE": (121, 192, 255),
}
"""Colours on dark ground, as in a full-screen terminal."""
ANSI_CODES = {"S": "1", "H": "31", "D": "33", "C": "32", "WI": "1;35", "JE": "1;36"}
"""Colours on unknown ground: spades in the terminal's colour for text."""
