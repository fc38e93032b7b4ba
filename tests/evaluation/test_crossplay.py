"""Cross-play: its cells are those of evaluations on the same deals, and its means are those of its cells."""

import numpy as np
import pytest

from wizard_env import Rules
from wizard_env.evaluation.crossplay import Cell, cross_play
from wizard_env.evaluation.evaluate import evaluate

RULES = Rules(3, hand_sizes=(1, 3))
AGENTS = ["random", "rule_based", "heuristic"]
STRANGER = "variant:of=heuristic,bias=1"
FIGURES = [f"{figure}{end}" for figure in ("points", "bid_accuracy") for end in ("", "_low", "_high")]


def test_cells_are_those_of_evaluations() -> None:
    """The diagonal is that of `evaluate A A A`, to the last digit, with its interval; so are the others."""
    found = cross_play(AGENTS, RULES, 5, seed=2, held_out=[STRANGER])
    assert [(cell.name, cell.among) for cell in found.cells] == [
        (name, among) for name in AGENTS for among in [*AGENTS, STRANGER]
    ]
    for cell in found.cells:
        standing = evaluate([cell.name, cell.among, cell.among], RULES, 5, seed=2).standings[0]
        assert [getattr(cell, name) for name in FIGURES] == [getattr(standing, name) for name in FIGURES]


def test_means_are_those_of_the_cells() -> None:
    """Self-play, cross-play without the agents that are held out, and groups without self-play."""
    groups = {"random": "weak", "rule_based": "weak"}
    found = cross_play(AGENTS, RULES, 5, held_out=[STRANGER], groups=groups)
    points = {(cell.name, cell.among): cell.points for cell in found.cells}
    others = {name: np.mean([points[name, other] for other in AGENTS if other != name]) for name in AGENTS}
    *lines, mean = found.compatibility
    for line in lines:
        assert line.cross_play is not None
        assert line.difference is not None
        assert line.held_out is not None
        assert line.self_play.mean == points[line.name, line.name]
        assert line.cross_play.mean == pytest.approx(others[line.name])
        assert line.difference.mean == pytest.approx(points[line.name, line.name] - others[line.name])
        assert line.difference.low < line.difference.mean < line.difference.high
        assert line.held_out.mean == points[line.name, STRANGER]
    assert mean.self_play.mean == pytest.approx(np.mean([points[name, name] for name in AGENTS]))
    blocks = {(block.name, block.among): block.points for block in found.groups}
    assert blocks["weak", "weak"] == pytest.approx(
        (points["random", "rule_based"] + points["rule_based", "random"]) / 2
    )
    assert blocks["heuristic", "weak"] == pytest.approx(others["heuristic"])
    assert ("heuristic", "heuristic") not in blocks  # no other of its group
    alone = cross_play(["random"], RULES, 2)
    assert isinstance(alone.cells[0], Cell)
    assert (alone.groups, alone.compatibility[0].cross_play) == ([], None)


def test_equal_names_are_refused() -> None:
    with pytest.raises(ValueError, match="'random' is named twice"):
        cross_play(["random"], RULES, 2, held_out=["random"])
