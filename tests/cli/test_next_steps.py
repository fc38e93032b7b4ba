"""Commands to paste: the program is named as the user's shell finds it."""

import shlex
import sys
from pathlib import Path

import pytest

from wizard_env.cli.next_steps import find_program, format_command, repeat_command


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an environment with two programs in an empty working folder, and leave PATH without it."""
    programs = tmp_path / "in here" / "bin"
    programs.mkdir(parents=True)
    for name in ("wizard", "tensorboard"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    return programs


def test_by_its_path_where_the_shell_does_not_find_it(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is relative if it was called so; the command is quoted and complete."""
    monkeypatch.setattr(sys, "argv", ["in here/bin/wizard", "train", "my own.toml"])
    assert find_program() == "in here/bin/wizard"
    assert format_command("play", 3) == "'in here/bin/wizard' play 3"
    assert (
        format_command("--logdir", Path("runs"), by="tensorboard")
        == "'in here/bin/tensorboard' --logdir runs"
    )
    assert shlex.split(repeat_command("--seed", 1)) == [*sys.argv, "--seed", "1"]
    monkeypatch.chdir(installed)
    monkeypatch.setattr(sys, "argv", ["./wizard"])
    assert Path(find_program()) == installed / "wizard"


def test_by_its_name_where_the_shell_finds_it(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way it was called makes no difference."""
    monkeypatch.setenv("PATH", str(installed))
    for called in ("wizard", "in here/bin/wizard", str(installed / "wizard")):
        monkeypatch.setattr(sys, "argv", [called])
        assert find_program() == "wizard"


def test_by_its_path_where_the_shell_finds_another(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "wizard").write_text("#!/bin/sh\n")
    (other / "wizard").chmod(0o755)
    monkeypatch.setenv("PATH", str(other))
    monkeypatch.setattr(sys, "argv", ["in here/bin/wizard"])
    assert find_program() == "in here/bin/wizard"
