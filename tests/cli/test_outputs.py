"""Outputs of commands: reports and plots."""

import base64
import re
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path

from tests.commands import Wizard


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
    body = text[text.index("<body>") :]
    assert re.match(
        r'<body><h1>[^<]*</h1>\n<p class="verdict">heuristic leads random by [0-9.]+ points', body
    )
    facts = dict(re.findall(r"<dt>(\w+)</dt><dd>(.*?)</dd>", body))
    assert facts.keys() == {"Players", "Rules", "Deals", "Seed", "Date", "Version", "Command"}
    assert facts["Rules"] == "free bids, open bids; hand sizes: 1, 2"
    assert (facts["Players"], facts["Deals"], facts["Seed"]) == ("3", "5", "1")
    assert facts["Version"] == f"wizard-env {version('wizard-env')}"
    assert date.fromisoformat(facts["Date"]) <= datetime.now(UTC).date()
    assert facts["Command"].startswith("<code>wizard evaluate random heuristic --players 3 --games 5")
