"""Plots show every name as it is, and leave room for the figures beside the longest."""

from itertools import combinations

import pytest

pytest.importorskip("matplotlib")

from matplotlib.cbook import is_math_text

from tests.evaluation.results import evaluation, league
from wizard_env.evaluation.report.plots import Plots, evaluation_plots, league_plots

NAMES = ["$a_{1}$ $\\frac$", "$", "_mine", "a\udcff", "x" * 3000, "runs/" + "long-name/" * 9 + "seed7"]


@pytest.fixture(scope="module")
def plots() -> Plots:
    leads = dict.fromkeys(combinations(NAMES, 2), (1.0, -1.0, 3.0))
    evaluated = evaluation_plots([evaluation(dict.fromkeys(NAMES, 1.0), leads)])
    return evaluated | league_plots(league(NAMES, leads))


@pytest.mark.parametrize("name", ["points", "bid_accuracy", "bid_bias", "ratings", "leads"])
def test_names_are_drawn_as_they_are(name: str, plots: Plots) -> None:
    """Without mathematics, with bytes that are no text spelled out, and shortened in the middle."""
    figure = plots[name]
    texts = figure.legends[0].get_texts() if figure.legends else figure.axes[0].get_yticklabels()
    written = [text.get_text() for text in texts]
    assert not any(map(is_math_text, written))
    *shown, longest, path = [one.replace("\\$", "$").replace("\n", "").lstrip("\u200b") for one in written]
    assert shown == [*NAMES[:3], "a\\udcff"]
    assert longest == f"{'x' * 21}…{'x' * 21}"
    assert path.startswith("runs/long-name/")
    assert path.endswith("/seed7")


@pytest.mark.parametrize("name", ["points", "differences", "bid_accuracy", "ratings", "leads"])
def test_a_long_name_leaves_room(name: str, plots: Plots) -> None:
    figure = plots[name]
    assert figure.axes[0].get_position().width > 0.5
    box = figure.get_tightbbox()
    assert box.x0 >= 0
    assert box.x1 <= figure.get_figwidth()
