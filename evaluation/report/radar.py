"""A radar plot as SVG that stands in the page: it follows the page's colours and needs no library."""

from collections.abc import Mapping
from html import escape
from math import cos, pi, sin

RADIUS = 130
"""Of the outermost ring, in the units of the picture."""
WIDTH, HEIGHT = 520, 360
RINGS = (25, 50, 75, 100)
LABEL_DISTANCE = 16
LINE = "fill:none;stroke:currentColor;stroke-opacity:.25"
AREA = "fill:#0072B2;fill-opacity:.25;stroke:#0072B2;stroke-width:2.5"


def radar(scores: Mapping[str, float]) -> str:
    """An SVG element with an axis for each score, clockwise from the top.

    Args:
        scores: by name, at least three. The centre is 0, which lower ones are drawn at; the outer ring is
            100, or the highest score if that is more.

    Raises:
        ValueError: fewer than three scores.
    """
    if len(scores) < 3:
        raise ValueError(f"{len(scores)} scores: a radar plot needs at least 3")
    largest = max(100.0, *scores.values())
    turns = [2 * pi * number / len(scores) for number in range(len(scores))]

    def place(turn: float, radius: float) -> tuple[float, float]:
        return WIDTH / 2 + radius * sin(turn), HEIGHT / 2 - radius * cos(turn)

    def outline(radii: list[float]) -> str:
        corners = (place(turn, radius) for turn, radius in zip(turns, radii, strict=True))
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)

    parts = []
    for ring in RINGS:
        radius = RADIUS * ring / largest
        parts.append(f'<polygon points="{outline([radius] * len(turns))}" style="{LINE}"/>')
    for turn in turns:
        x, y = place(turn, RADIUS)
        parts.append(f'<line x1="{WIDTH / 2}" y1="{HEIGHT / 2}" x2="{x:.1f}" y2="{y:.1f}" style="{LINE}"/>')
    radii = [RADIUS * max(0.0, score) / largest for score in scores.values()]
    parts.append(f'<polygon points="{outline(radii)}" style="{AREA}"/>')
    for turn, (name, score) in zip(turns, scores.items(), strict=True):
        x, y = place(turn, RADIUS + LABEL_DISTANCE)
        anchor = "middle" if abs(sin(turn)) < 0.1 else "start" if sin(turn) > 0 else "end"
        parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="middle">'
            f"{escape(name)} {score:.0f}</text>"
        )
    told = ", ".join(f"{name} {score:.0f}" for name, score in scores.items())
    return (
        f'<svg class="radar" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(told)}" '
        f'style="max-width:36em;width:100%;font-size:14px;fill:currentColor">{"".join(parts)}</svg>'
    )
