"""The page of ten tasks: its commands run, with less to learn and to play."""

import os
import re
import shlex
import sys
from pathlib import Path
from unittest.mock import create_autospec

import pytest

from tests.commands import Wizard
from tests.docs.pages import ROOT, blocks
from tests.evaluation.small_protocol import use_small_protocol

PAGE = ROOT / "docs" / "recipes.md"
COMMANDS = [line.partition(" #")[0] for block in blocks(PAGE, "sh") for line in block.splitlines()]
SMALL = {
    "learning.decisions": "4096",
    "learning.num_games": "32",
    "learning.decisions_per_game": "32",
    "learning.batch_size": "256",
    "learning.layers": "[16]",
    "learning.snapshot_decisions": "1024",
    "evaluation.games": "2",
    "game.hand_sizes": "[1,2]",
}
LESS = {
    "train": [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")],
    "evaluate": ["--games", "2", "--hand-sizes", "1,2"],
    "league": ["--games", "2", "--hand-sizes", "1,2"],
    "exploit": ["--decisions", "4096", "--games", "2", "--hand-sizes", "1,2"],
    "dataset": ["--decisions", "2000"],
    "scorecard": [],
    "push": [],
}
"""Words to add to each command; of an option that is given twice, the last counts."""


def saved_files() -> dict[str, str]:
    """Return the blocks that the page says to save, by the names of their files."""
    saved = re.compile(
        r"^```py(?:thon)?\n((?:(?!^```).)*)^```\n\nSaved as `(\w+\.py)`", re.MULTILINE | re.DOTALL
    )
    return {name: code for code, name in saved.findall(PAGE.read_text(encoding="utf-8"))}


@pytest.mark.slow
def test_the_commands_of_the_page_run(
    wizard: Wizard, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They run one after another, as a reader would run them; only the hub is replaced."""
    pytest.importorskip("pyarrow")
    hub = pytest.importorskip("huggingface_hub")
    api = create_autospec(hub.HfApi, instance=True)
    api.upload_folder.return_value = "https://hub/owner/name"
    monkeypatch.setattr(hub, "HfApi", lambda: api)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    use_small_protocol(monkeypatch, tmp_path)
    for name, code in saved_files().items():
        Path(name).write_text(code)
    assert wizard("train", "quick", *LESS["train"]).code == 0
    for command in COMMANDS:
        program, name, *arguments = shlex.split(command)
        assert program == "wizard"
        outcome = wizard(name, *arguments, *LESS[name])
        assert outcome.code == 0, f"{command}\n{outcome.err}"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its database
def test_mlflow_takes_the_curves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    run = tmp_path / "runs" / "quick"
    run.mkdir(parents=True)
    (run / "config.json").write_text('{"name": "quick", "learning": {"learner": "ppo", "epochs": 2}}')
    (run / "progress.csv").write_text("time/total_timesteps,train/loss\n1024,0.5\n2048,0.25\n")
    (run / "agent.safetensors").write_bytes(b"weights")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    (code,) = [block for block in blocks(PAGE, "py") if "mlflow" in block]
    exec(compile(code, "the block about MLflow", "exec"), {})
    (found,) = mlflow.search_runs(output_format="list")
    assert found.data.metrics["train/loss"] == 0.25
    assert found.data.params == {"learner": "ppo", "epochs": "2"}


@pytest.mark.filterwarnings("ignore")  # of Optuna and its database
def test_optuna_searches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It goes on where it stopped; every trial is a run with ratings."""
    optuna = pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    (code,) = [block for block in blocks(PAGE, "py") if "optuna" in block]
    small = [f"{key}={value}" for key, value in SMALL.items()] + ["ratings.games=2"]
    code = code.replace('"learning.decisions=4_000_000",', f"*{small},").replace("n_trials=20", "n_trials=1")
    for _ in range(2):
        exec(compile(code, "the block about Optuna", "exec"), {"__name__": "__main__"})
    study = optuna.load_study(study_name="quick", storage="sqlite:///study.db")
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 2
    assert (tmp_path / "runs" / "study" / "1" / "agent.safetensors").is_file()
