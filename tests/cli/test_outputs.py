"""Outputs of commands: reports and plots."""

import base64
import csv
import io
import json
import os
import re
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.commands import Wizard, error_line
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.evaluation.provenance import describe_software
from wizard_env.evaluation.report.grids import Grid, latex, plain, signed
from wizard_env.loading import load


def test_a_report_needs_no_other_files(wizard: Wizard, tmp_path: Path) -> None:
    """Plots are embedded in the page, which refers to no file and no address; they are PNG files too."""
    report, plots = tmp_path / "report.html", tmp_path / "plots"
    agents = ("random", "heuristic", "--players", 3)
    deals = ("--games", 5, "--seed", 1, "--hand-sizes", "1,2")
    outcome = wizard("evaluate", *agents, *deals, "--report", report, "--plots", plots)
    assert outcome.code == 0
    text = report.read_text(encoding="utf-8")
    images = sorted(path.name for path in plots.glob("*.png"))
    assert images == ["bid_accuracy.png", "bid_bias.png", "differences.png", "points.png"]
    written = {path.name: path.read_bytes() for path in plots.iterdir()}
    assert written["points.svg"].startswith(b"<?xml")
    assert written["points.pdf"].startswith(b"%PDF")
    assert b"/Type3" not in written["points.pdf"]
    assert b"\nrandom & heuristic & " in written["leads.tex"]
    rows = list(csv.DictReader(io.StringIO(written["points.csv"].decode())))
    assert [row.pop("name") for row in rows] == ["random", "heuristic"]
    assert all(float(row["points_low"]) <= float(row["points"]) for row in rows)
    assert "by_hand_size.csv" in written
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert len(sources) == len(images)
    for source in sources:
        kind, _, data = source.partition(",")
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data) in {path.read_bytes() for path in plots.glob("*.png")}
    text = re.sub(r'"data:[^"]*"', "", text)
    assert "http" not in text
    assert "heuristic" in text
    body = text[text.index("<body>") :]
    assert re.match(
        r'<body><h1>[^<]*</h1>\n<p class="verdict">heuristic leads random by [0-9.]+ points', body
    )
    facts = dict(re.findall(r"<dt>(\w+)</dt><dd>(.*?)</dd>", body))
    assert facts.keys() - {"Commit"} == {
        "Players",
        "Rules",
        "Deals",
        "Seed",
        "Date",
        "Versions",
        "Processor",
        "Command",
    }
    assert facts["Rules"] == "free bids, open bids; hand sizes: 1, 2"
    assert (facts["Players"], facts["Deals"], facts["Seed"]) == ("3", "5", "1")
    assert facts["Versions"].startswith(f"wizard-env {version('wizard-env')}, Python 3")
    assert f"numpy {version('numpy')}" in facts["Versions"]
    assert date.fromisoformat(facts["Date"]) <= datetime.now(UTC).date()
    assert facts["Command"].startswith("<code>wizard evaluate random heuristic --players 3 --games 5")


NAMES = ["$x_{1}$ $\\frac$", "_mine", os.fsdecode(b"caf\xe9"), "<b>", "x" * 3000]


def test_any_name_can_be_written(wizard: Wizard, tmp_path: Path) -> None:
    """Also one with the beginning of a formula, or with bytes that are no text."""
    report, plots = tmp_path / "report.html", tmp_path / "plots"
    agents = ["random", "random:", "heuristic", "heuristic:", "rule_based"]
    labels = [
        word for name, text in zip(agents, NAMES, strict=True) for word in ("--label", f"{name}={text}")
    ]
    deals = ("--games", 2, "--players", 5, "--hand-sizes", "1")
    outcome = wizard("evaluate", *agents, *deals, *labels, "--report", report, "--plots", plots)
    assert outcome.code == 0
    text = report.read_text(encoding="utf-8")
    for shown in ("$x_{1}$ $\\frac$", "<td>_mine</td>", "caf\\udce9", "&lt;b&gt;", NAMES[-1]):
        assert shown in text
    rows = list(csv.reader(io.StringIO((plots / "points.csv").read_text(encoding="utf-8"))))
    assert [row[rows[0].index("name")] for row in rows[1:]] == [*NAMES[:2], "caf\\udce9", *NAMES[3:]]
    assert len({fingerprint(name, load("random")) for name in NAMES}) == len(NAMES)
    with pytest.raises(ValueError, match="unknown agent"):
        load(NAMES[-1])


def test_results_say_what_they_come_from(wizard: Wizard) -> None:
    """The software, the command, and the fingerprints of the agents, by the labels that are shown."""
    rules = ("--players", 3, "--hand-sizes", "1", "--games", 2, "--json", "-")
    outcome = wizard("evaluate", "random", "champion", *rules, "--label", "champion=PPO")
    (found,) = json.loads(outcome.out)
    assert [line["name"] for line in found["standings"]] == ["random", "PPO"]
    origin = found["provenance"]
    assert (origin["version"], origin["command"][:31]) == (
        version("wizard-env"),
        "wizard evaluate random champion",
    )
    assert origin.keys() - {"command", "agents"} == describe_software().keys()
    prints = {
        name: fingerprint(agent, load(agent)) for name, agent in (("random", "random"), ("PPO", "champion"))
    }
    assert origin["agents"] == prints
    for label, reason in (("champion", "allowed is NAME=TEXT"), ("rival=A", "there is no 'rival'")):
        refused = wizard("evaluate", "random", "champion", *rules, "--label", label)
        assert reason in error_line(refused)


def test_small_numbers_have_no_sign() -> None:
    numbers = [-0.04, 0.0, 0.04, -0.06, 0.06]
    assert [signed(number) for number in numbers] == ["0.0", "0.0", "0.0", "-0.1", "+0.1"]
    assert [plain(number, ".0f") for number in numbers] == ["0"] * 5


def test_latex_shows_what_is_written() -> None:
    grid = Grid("50% & more", ["agent", "won"], [["my_agent#1", "5%"]])
    assert latex(grid).splitlines() == [
        r"% 50\% \& more",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"agent & won \\",
        r"\midrule",
        r"my\_agent\#1 & 5\% \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
