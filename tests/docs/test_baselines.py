"""The jobs and the page of the baselines."""

import json
from pathlib import Path

import numpy as np
import pytest

from tools import baselines
from tools.baselines import USUAL, Job, Row
from wizard_env import configs
from wizard_env.evaluation.report.grids import signed
from wizard_env.train.config.reading import read_config

SCORES = [[[1, 3], [2, 2], [0, 0]], [[5, 7], [4, 4], [1, 1]]]
"""The leads of two seeds, [opponents][deals]."""


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Row]:
    """A row whose command notes that it ran, in an empty repository."""
    (tmp_path / "docs").mkdir()
    for name, file in (("RESULTS", "baselines.json"), ("PAGE", "baselines.md")):
        monkeypatch.setattr(baselines, name, tmp_path / "docs" / file)
    empty = "".join(
        f"<!-- {name} -->\n<!-- end of {name} -->\n"
        for name in ("hours", "baselines", "one-card", "commands")
    )
    (tmp_path / "docs" / "baselines.md").write_text(empty, "utf-8")
    monkeypatch.setattr(baselines, "ROOT", tmp_path)
    monkeypatch.setattr(baselines, "leads", lambda job: {"leads": SCORES[job.seed]})
    note = "open('ran', 'a').write('{decisions} {seed} {folder};')"
    row = Row("notes", (f'python -c "{note}"',), budgets=(USUAL,), measure=baselines.leads, seeds=2)
    found = {"noted": row}
    monkeypatch.setattr(baselines, "ROWS", found)
    return found


def test_what_is_done_is_not_done_again(rows: dict[str, Row], tmp_path: Path) -> None:
    """A job in the file of results is skipped, and so is one whose folder has its result."""
    baselines.main(["--seeds", "1"])
    first = f"{USUAL} 0 runs/baselines/noted-{USUAL}/seed0;"
    assert (tmp_path / "ran").read_text() == first
    baselines.main([])
    baselines.main([])
    assert (tmp_path / "ran").read_text() == first + first.replace(" 0 ", " 1 ").replace("seed0", "seed1")
    kept = baselines.RESULTS.read_text("utf-8")
    assert [each["seed"] for each in json.loads(kept)] == [0, 1]
    baselines.RESULTS.unlink()
    baselines.main([])
    assert baselines.RESULTS.read_text("utf-8") == kept
    assert len((tmp_path / "ran").read_text().split(";")) == 3


def test_the_table_is_made_from_the_results(rows: dict[str, Row]) -> None:
    """The mean over seeds and deals; a single seed has no interval, and a row without results has dashes."""
    rows["other"] = rows["noted"]
    results = {Job("noted", USUAL, 0): {"minutes": 1.0, "leads": SCORES[0]}}
    line, other = baselines.table(results, baselines.leads).splitlines()[2:]
    assert line == "| `noted` | 2,000,000 | 1 | +2 | +2 | 0 | 1.0 |"
    assert other == "| `other` | 2,000,000 | 0 | – | – | – |  |"  # noqa: RUF001
    results[Job("noted", USUAL, 1)] = {"minutes": 2.0, "leads": SCORES[1]}
    line = baselines.table(results, baselines.leads).splitlines()[2]
    means = [cell.split()[0] for cell in line.split(" | ")[3:6]]
    assert means == [signed(mean, ".0f") for mean in np.mean(SCORES, axis=(0, 2))]
    assert line.count(" to ") == 3
    assert line.endswith("| 1.5 |")


def test_what_is_not_installed_is_named(rows: dict[str, Row], capsys: pytest.CaptureFixture[str]) -> None:
    rows["other"] = rows["noted"]._replace(module="no_such_module", install="pip install nothing")
    with pytest.raises(SystemExit):
        baselines.main([])
    assert "for other: pip install nothing" in capsys.readouterr().err
    baselines.main(["--only", "noted"])
    assert {job.row for job in baselines.read_results()} == {"noted"}


def test_the_page_agrees_with_the_results() -> None:
    """Nothing on it is made by hand, and every row has its command."""
    page = baselines.PAGE.read_text("utf-8")
    assert baselines.filled(page, baselines.read_results()) == page


def test_the_configs_take_their_options() -> None:
    read_config(configs.find("baseline"), ["learning.decisions=1", "learning.learner=maskable_ppo"])
