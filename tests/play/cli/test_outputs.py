"""Outputs of commands: reports and plots."""

import base64
import re
from pathlib import Path

from tests.play.commands import Wizard


def test_a_report_needs_no_other_files(wizard: Wizard, tmp_path: Path) -> None:
    """Plots are embedded in the page, which refers to no file and no address; they are PNG files too."""
    report, plots = tmp_path / "report.html", tmp_path / "plots"
    agents = ("random", "heuristic", "--players", 3)
    deals = ("--games", 5, "--seed", 1, "--hand-sizes", "1,2")
    outcome = wizard("evaluate", *agents, *deals, "--report", report, "--plots", plots)
    assert outcome.code == 0
    text = report.read_text(encoding="utf-8")
    images = sorted(path.name for path in plots.iterdir())
    assert images == ["bid_accuracy.png", "bid_bias.png", "differences.png", "points.png"]
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert len(sources) == len(images)
    for source in sources:
        kind, _, data = source.partition(",")
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data) in {path.read_bytes() for path in plots.iterdir()}
    text = re.sub(r'"data:[^"]*"', "", text)
    assert "http" not in text
    assert "heuristic" in text
