"""Fixtures for tests of commands."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import Outcome, Wizard


@pytest.fixture
def frequent_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print the progress from the start on, many times a second."""
    for name in ("FIRST_LINE", "LINES_APART"):
        monkeypatch.setattr(f"wizard_env.cli.progress.{name}", 0.005)


@pytest.fixture
def wizard(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Wizard]:
    """Run `wizard ...` in this process and in an empty folder; settings of the process are restored."""
    import torch

    from wizard_env.cli.main import main

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["wizard", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), captured.out, captured.err)

    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    threads, environment = torch.get_num_threads(), dict(os.environ)
    torch.set_num_threads(1)
    yield run
    torch.set_num_threads(threads)
    os.environ.clear()
    os.environ.update(environment)
    torch.distributions.Distribution.set_default_validate_args(__debug__)
