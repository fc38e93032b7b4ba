"""Rewrite the table of docs/libraries.md: python -m tools.library_table [NAME...].

The tests of each library run with the real library; the rows of libraries that are not named are kept.
ELSEWHERE has the rows of libraries that were only tried by `python -m pip install -c constraints.txt NAME`.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tools.marked_tables import head, row, split
from wizard_env.checks import check_choice

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "libraries.md"
VECTORS = "tests/envs/test_gymnasium_vector.py"
LIBRARIES = "tests/envs/test_libraries.py"
DATASET = "tests/evaluation/test_dataset.py"

TESTS: dict[str, tuple[str, str]] = {
    "gymnasium": (f"{VECTORS}::test_equal_to_single_environments_that_the_caller_resets", "vectors, resets"),
    "moviepy": (f"{LIBRARIES}::test_a_batch_is_recorded_as_a_video", "videos of vectors"),
    "sb3-contrib": (f"{LIBRARIES}::test_sb3_contrib_s_action_masker", "ActionMasker"),
    "torchrl": (f"{LIBRARIES} -k torchrl", "PettingZooWrapper, GymWrapper"),
    "jax": (f"{LIBRARIES}::test_jax_takes_the_arrays_of_the_games_without_copying", "arrays without a copy"),
    "optax": ("tests/test_examples.py::test_jax_learns", "`examples/jax_wizard.py`"),
    "tensordict": ("tests/test_examples.py::test_torchrl_learns", "`examples/torchrl_wizard.py`"),
    "supersuit": (f"{LIBRARIES}::test_supersuit_wraps_the_table", "a wrapper"),
    "tianshou": ("tests/test_examples.py::test_tianshou_learns", "`examples/tianshou_wizard.py`"),
    "pandas": (f"{DATASET}::test_pandas_reads_it", "data sets"),
    "polars": (f"{DATASET}::test_polars_reads_it", "data sets"),
    "datasets": (f"{DATASET}::test_datasets_reads_it", "data sets"),
    "minari": (f"{DATASET}::test_minari_reads_it", "data sets"),
    "agilerl": (f"{LIBRARIES}::test_agilerl_learns", "DQN on vectors; needs `peft` too"),
    "mlflow-skinny": ("tests/cli/test_recipes.py::test_mlflow_takes_the_curves", "curves of a run"),
    "optuna": ("tests/cli/test_recipes.py::test_optuna_searches", "[a sweep](recipes.md#a-sweep)"),
}
"""The tests of each library, and their subject."""

ELSEWHERE = (
    "| `benchmarl` | 1.5.2 | works, with torchrl 0.11.1 | `examples/benchmarl_wizard.py` |",
    "| `d3rlpy` | 2.8.1 | brings gymnasium 1.0.0: this package needs 1.2 | not run |",
    "| `lightzero` | 0.2.0 | pip goes back to 0.0.2, whose build lacks a file | not installed |",
    "| `ray[rllib]` | 2.60.0 | in [a separate environment](#rllib) | `make test-rllib` |",
    "| `verifiers` | 0.4.0 | in [a separate environment](language-models.md) | `make test-verifiers` |",
    "| `openenv` | 0.10.0 | in [a separate environment](language-models.md) | `make test-openenv` |",
)
"""Rows of libraries that need a separate environment or cannot be installed."""


def try_out(library: str, tests: str) -> str:
    """Run a library's tests; returns "works", or the reason why not."""
    try:
        version(library)
    except PackageNotFoundError:
        return "not installed here"
    command = [sys.executable, "-m", "pytest", "-q", *tests.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0 and " passed" in done.stdout and " skipped" not in done.stdout:
        return "works"
    errors = re.findall(r"^(?:E +|FAILED |SKIPPED )(.*)$", done.stdout, re.MULTILINE)
    return f"fails: {errors[0] if errors else done.stderr[-200:]}".replace("|", "/")


def table(names: Sequence[str], before: str) -> str:
    """Return the table with new rows for these libraries, and the old rows for the others."""
    lines = head("library", "version", "here", "tried")
    kept = {line.split("`")[1]: line for line in before.splitlines() if "`" in line}
    for library, (tests, tried) in TESTS.items():
        if library in kept and library not in names:
            lines.append(kept[library])
            continue
        found = try_out(library, tests)
        number = version(library) if found != "not installed here" else ""
        lines.append(row(f"`{library}`", number, found, tried))
        print(lines[-1], flush=True)
    return "\n".join([*lines, *ELSEWHERE]) + "\n"


def main(names: Sequence[str]) -> None:
    """Try libraries, all if none is named, and write the table."""
    for name in names:
        check_choice("library", name, tuple(TESTS))
    page = PAGE.read_text(encoding="utf-8")
    before, old, after = split(page, "libraries")
    PAGE.write_text(before + table(names or list(TESTS), old) + after, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
