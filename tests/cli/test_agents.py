"""`wizard distill`, `export`: their output, and errors."""

from pathlib import Path

import pytest

from tests.commands import Wizard, error_line


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
