"""The radar plot: an axis for each score, drawn where the score says."""

import math
import re
from xml.etree import ElementTree

import pytest

from wizard_env.evaluation.report.radar import HEIGHT, RADIUS, RINGS, WIDTH, radar


def distances(svg: str) -> list[float]:
    """Of the corners of the drawn area from the centre, in radii of the outer ring."""
    area = re.findall(r'<polygon points="([^"]*)"', svg)[-1]
    corners = [tuple(map(float, corner.split(","))) for corner in area.split()]
    return [math.dist(corner, (WIDTH / 2, HEIGHT / 2)) / RADIUS for corner in corners]


def test_scores_are_distances_from_the_centre() -> None:
    found = radar({"a": 100, "b": 50, "c": 0, "d": 25})
    assert distances(found) == pytest.approx([1, 0.5, 0, 0.25], abs=1e-3)
    assert found.count("<polygon") == len(RINGS) + 1


def test_a_score_below_0_is_at_the_centre() -> None:
    assert distances(radar({"a": -40, "b": 100, "c": 100})) == pytest.approx([0, 1, 1], abs=1e-3)


def test_a_score_above_100_is_on_the_rim() -> None:
    assert distances(radar({"a": 200, "b": 100, "c": 0})) == pytest.approx([1, 0.5, 0], abs=1e-3)


def test_names_are_told_and_escaped() -> None:
    """Also to those who hear the page."""
    svg = ElementTree.fromstring(radar({"a<b": 1, "b": 2, "c": 3}))
    assert svg.attrib["aria-label"] == "a<b 1, b 2, c 3"
    assert [text.text for text in svg.iter("text")] == ["a<b 1", "b 2", "c 3"]


def test_two_scores_are_no_area() -> None:
    with pytest.raises(ValueError, match="2 scores: a radar plot needs at least 3"):
        radar({"a": 1, "b": 2})
