"""`wizard`: help, wrong commands, and missing modules."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from tests.commands import Wizard, error_line, run_installed
from wizard_env.agents.network import FILE_NAME, save_agent

COMMANDS = [
    "train",
    "config",
    "push",
    "distill",
    "evaluate",
    "league",
    "scorecard",
    "exploit",
    "export",
    "play",
    "serve",
    "mcp",
    "replay",
    "dataset",
    "bench",
    "compile",
]


def test_the_help_lists_every_command(tmp_path: Path) -> None:
    shown = run_installed("--help", folder=tmp_path)
    assert shown.returncode == 0
    assert shown.stderr == ""
    for command in COMMANDS:
        assert command in shown.stdout


def test_help_and_version(wizard: Wizard) -> None:
    assert wizard("-h") == wizard("--help")
    assert wizard("--version") == (0, f"wizard-env {version('wizard-env')}\n", "")


def test_no_control_character_reaches_the_terminal(wizard: Wizard, tmp_path: Path) -> None:
    """From a key of a config, a path, or the name of a tensor."""
    config, escape = tmp_path / "config.toml", "\x1b[31mred\x07\x9b2J"
    config.write_text('name = "x"\n"\\u001b[31mred\\u0007\\u009b2J" = 1\n')
    folder = tmp_path / escape
    folder.mkdir()
    save_agent({f"layer.0.{escape}": np.zeros((2, 2), np.float32)}, folder / FILE_NAME, encoding="own:code")
    commands = (
        ("train", config),
        ("train", tmp_path / f"{escape}.toml"),
        ("evaluate", folder),
        ("evaluate", f"{escape}"),
        ("replay", folder),
        ("train", "smoke", "--set", f"learning.{escape}=1"),
    )
    for command in commands:
        line = error_line(wizard(*command))
        assert "\\x1b[31mred\\x07\\x9b2J" in line
        assert line.isprintable()
        assert len(line) < 3100


def test_a_missing_module(wizard: Wizard, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the extra to install."""
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "wizard-env[cluster]" in error_line(wizard("evaluate", "random", "--ray", "local"))
    monkeypatch.setitem(sys.modules, "wizard_env.train.run", None)
    assert "wizard-env[all]" in error_line(wizard("train", "smoke"))


HEAVY = ("numba", "llvmlite", "torch", "scipy", "matplotlib", "uvicorn", "mcp", "wizard_env.game")


def test_help_loads_nothing_that_takes_long() -> None:
    """It compiles nothing either, and so answers at once."""
    program = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from wizard_env.cli.main import app\n"
        f"for command in {COMMANDS}:\n"
        "    assert 'Usage' in CliRunner().invoke(app, [command, '--help']).output\n"
        f"sys.exit(' '.join(sys.modules.keys() & {set(HEAVY)}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
