"""Shapes of the signs on the cards: suits, Wizard and Jester."""

import math
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

_TURN = 2 * math.pi


def _heart() -> list[Point]:
    angles = [_TURN * i / 48 for i in range(48)]
    across = [16 * math.sin(a) ** 3 for a in angles]
    down = [5 * math.cos(2 * a) + 2 * math.cos(3 * a) + math.cos(4 * a) - 13 * math.cos(a) for a in angles]
    return [(x / 32, (y - 2.5) / 29) for x, y in zip(across, down, strict=True)]


def _star() -> list[Point]:
    radii = [0.55 if i % 2 == 0 else 0.23 for i in range(10)]
    return [(r * math.sin(_TURN * i / 10), 0.04 - r * math.cos(_TURN * i / 10)) for i, r in enumerate(radii)]


_STEM: list[Point] = [(-0.06, 0.1), (0.06, 0.1), (0.2, 0.5), (-0.2, 0.5)]
_HALF_CAP: list[Point] = [
    (0.08, -0.1), (0.2, -0.24), (0.34, -0.26), (0.46, -0.14), (0.5, 0.12), (0.38, 0.02), (0.33, 0.3),
]  # fmt: skip
_CAP: list[Point] = [(0.0, -0.44), *_HALF_CAP, *((-x, y) for x, y in reversed(_HALF_CAP))]
_BRIM: list[Point] = [(-0.36, 0.36), (0.36, 0.36), (0.36, 0.5), (-0.36, 0.5)]
POLYGONS: dict[str, tuple[list[Point], ...]] = {
    "S": ([(0.92 * x, -0.84 * y - 0.08) for x, y in _heart()], _STEM),
    "H": (_heart(),),
    "D": ([(0.0, -0.52), (0.38, 0.0), (0.0, 0.52), (-0.38, 0.0)],),
    "C": (_STEM,),
    "WI": (_star(),),
    "JE": (_CAP, _BRIM),
}
"""Polygons of each sign, in a square from -0.5 to 0.5."""
CIRCLES: dict[str, list[tuple[float, float, float]]] = {
    "C": [(0.0, -0.26, 0.24), (-0.25, 0.09, 0.24), (0.25, 0.09, 0.24), (0.0, 0.0, 0.12)],
    "JE": [(-0.49, 0.14, 0.09), (0.0, -0.44, 0.09), (0.49, 0.14, 0.09)],
}
"""Circles of each sign: across, down and radius."""
