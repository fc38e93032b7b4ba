"""Time from the first import to the first step in fresh processes, with and without compiled kernels."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import wizard_env
from benchmarks.report import Row, check_limit
from benchmarks.timing import Effort, Sample

_COLD_LIMIT = 20.0
_WARM_LIMIT = 1.5

_BATCH = """
from wizard_env import Games, Rules
games = Games(Rules(), {num_games})
games.step(games.mask.argmax(axis=1))
"""
PROGRAMS = {
    "Game": """
from wizard_env import Game
game = Game()
game.step(game.legal_actions()[0])
""",
    "Games, 16 games": _BATCH.format(num_games=16),
    "Games, 1,024 games": _BATCH.format(num_games=1024),
}

_TIMED = """
from time import perf_counter
start = perf_counter()
{program}
spent = perf_counter() - start
import wizard_env
print(spent)
print(wizard_env.__file__)
"""


def copy_package(folder: Path) -> None:
    """Copy the package without its compiled code."""
    source = Path(wizard_env.__file__).parent
    shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))


def time_to_first_step(program: str, folder: Path, settings: Mapping[str, str] | None = None) -> float:
    """Return the seconds of a program in a fresh process, imports included.

    folder: of the package. settings: additional environment variables.
    """
    finished = subprocess.run(
        [sys.executable, "-c", _TIMED.format(program=program)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **(settings or {})},
        capture_output=True,
        text=True,
    )
    if finished.returncode:
        raise RuntimeError(f"the timed program failed:\n{finished.stderr}")
    spent, where = finished.stdout.splitlines()
    if not Path(where).is_relative_to(folder.resolve()):
        raise RuntimeError(f"the package was imported from {where} instead of {folder}")
    return float(spent)


def measure_startup(effort: Effort) -> list[Row]:
    """Time first steps: the first start of a copy compiles its kernels, the next ones find them cached."""
    rows: list[Row] = []
    for name, program in PROGRAMS.items():
        with TemporaryDirectory() as private:
            folder = Path(wizard_env.__file__).parent.parent
            if effort.cold:
                folder = Path(private)
                copy_package(folder)
                cold = time_to_first_step(program, folder)
                rows.append(check_limit(f"{name}: first step, cold", Sample(cold, cold), _COLD_LIMIT))
            warm = [time_to_first_step(program, folder) for _ in range(effort.starts)]
            rows.append(
                check_limit(f"{name}: first step, warm cache", Sample(min(warm), median(warm)), _WARM_LIMIT)
            )
    return rows
