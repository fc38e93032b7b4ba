"""`wizard distill`: what it prints, keeps and refuses."""

from pathlib import Path

from tests.commands import Wizard, error_line
from wizard_env import load
from wizard_env.train.selfplay.curves import CURVES, read_curves


def test_on_the_command_line(wizard: Wizard, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    command = ("distill", "champion", str(folder), "--games", "smoke", "--layers", "8", "--decisions", "500")
    assert "of actions alike" in wizard(*command).out
    assert load(str(folder)).layers[0][0].shape[1] == 8  # type: ignore[attr-defined]
    before = len(read_curves(folder / CURVES))
    assert "of actions alike" in wizard(*command[:-1], "70000", "--resume").out
    assert len(read_curves(folder / CURVES)) == before + 1
    shown = wizard("distill", "champion", str(tmp_path / "other"), "--layers", "wide")
    assert "--layers 'wide': allowed are whole numbers" in error_line(shown)
