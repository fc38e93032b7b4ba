"""`wizard bench`: where it runs, and what it imports."""

from pathlib import Path

import pytest

from tests.commands import run_installed

ROOT = Path(__file__).parents[2]


def test_bench_outside_a_checkout(tmp_path: Path) -> None:
    shown = run_installed("bench", "--quick", folder=tmp_path)
    assert shown.returncode == 2
    assert "run `wizard bench` at the root of a checkout" in shown.stderr
    assert "Traceback" not in shown.stderr


@pytest.mark.slow
def test_bench_at_the_root_of_a_checkout() -> None:
    """The benchmarks themselves run in `tests/test_benchmarks.py`."""
    shown = run_installed("bench", "--quick", folder=ROOT)
    assert shown.stderr == ""
    assert shown.returncode == 0
    assert "Games.step" in shown.stdout


def test_bench_imports_nothing_else_from_the_checkout(tmp_path: Path) -> None:
    """The package `benchmarks` is found there, but the folder is not on `sys.path`."""
    package = tmp_path / "benchmarks"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "display.py").write_text("from benchmarks.run import render\n")
    (package / "run.py").write_text(
        "import importlib.util, sys\n"
        "def main(quick):\n"
        "    return quick, importlib.util.find_spec('other'), [path for path in sys.path if path in FOLDER]\n"
        f"FOLDER = ('', '.', {str(tmp_path)!r})\n"
        "render = str\n"
    )
    (tmp_path / "other.py").touch()
    shown = run_installed("bench", "--quick", folder=tmp_path)
    assert shown.stderr == ""
    assert shown.stdout == "(True, None, [])\n"
