"""`wizard distill`, `export`: their output, and errors."""

from pathlib import Path

import pytest

from tests.commands import Wizard, error_line
from wizard_env import load
from wizard_env.train.selfplay.curves import CURVES, read_curves


def test_distill(wizard: Wizard, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    command = ("distill", "champion", str(folder), "--games", "smoke", "--layers", "8", "--decisions", "500")
    assert "of actions agree" in wizard(*command).out
    assert load(str(folder)).layers[0][0].shape[1] == 8  # type: ignore[attr-defined]
    before = len(read_curves(folder / CURVES))
    assert "of actions agree" in wizard(*command[:-1], "70000", "--resume").out
    assert len(read_curves(folder / CURVES)) == before + 1
    shown = wizard("distill", "champion", str(tmp_path / "other"), "--layers", "wide")
    assert "--layers 'wide': allowed are whole numbers" in error_line(shown)


def test_export(wizard: Wizard) -> None:
    outcome = wizard("export", "champion", "champion.onnx")
    assert (outcome.code, outcome.err) == (0, "")
    assert "champion.onnx" in outcome.out
    assert Path("champion.onnx").stat().st_size > 1000


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("heuristic", "agent='heuristic': HeuristicAgent has no network; allowed are 'champion'"),
        ("champio", "unknown agent 'champio': did you mean 'champion'"),
        ("no/run", "no agent at no/run"),
    ],
)
def test_exports_that_are_refused(wizard: Wizard, agent: str, message: str) -> None:
    assert message in error_line(wizard("export", agent, "agent.onnx"))
    assert not Path("agent.onnx").exists()
