"""`wizard sweep`: the command that it prints trains the best run."""

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.test_training import shortened
from tests.commands import Wizard, grid_cells

pytest.importorskip("optuna")
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


def test_the_printed_command_trains_the_best_run(wizard: Wizard, tmp_path: Path) -> None:
    """The command has the keys that were set for all runs, quoted for a shell."""
    config = shortened("short", tmp_path, games="2", decisions="2_048")
    own = tmp_path / "my rewards.py"
    own.write_text("def tenth(points, scores, over):\n    return points / 10.0\n")
    given = {"learning.reward": f"{own}:tenth", "learning.layers": "[16, 8]"}
    options = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    vary = ("--vary", "learning.learning_rate=1e-4..1e-3:log", "--vary", "learning.critic=[8],[4, 4]")
    few = ("--trials", 2, "--games", 2, "--ratings", 1, "--against", "random", "--folder", "swept")
    outcome = wizard("sweep", config, *options, *vary, *few, "--allow-programs")
    assert outcome.code == 0, outcome.err
    (trials,) = grid_cells(outcome.out)
    assert len(trials) == 2
    (line,) = [line for line in outcome.out.splitlines() if line.startswith("best")]
    program, *words = shlex.split(line.removeprefix("best"))
    assert program == "wizard"
    again = wizard(*words)
    assert again.code == 0, again.err
    best, made = (
        json.loads((folder / "config.json").read_text())["learning"]
        for folder in (Path("swept") / f"trial-{int(trials[0][0]):04}", Path("runs") / "short")
    )
    for key in ("reward", "layers", "learning_rate", "critic"):
        assert made[key] == best[key]
