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
