"""Time from the first import to the first step in fresh processes, with and without compiled kernels."""

import os
import subprocess
import sys
from collections.abc import Mapping
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.report import Row, check_limit
from benchmarks.timing import Effort, Sample

_COLD_LIMIT = 20.0
_WARM_LIMIT = 1.5

PROGRAMS = {
    "Game": """
from wizard_env import Game
game = Game()
game.step(game.legal_actions()[0])
""",
    "Games, 1,024 games": """
from wizard_env import Games, Rules
games = Games(Rules(), 1024)
games.step(games.mask.argmax(axis=1))
""",
}

_TIMED = """
from time import perf_counter
start = perf_counter()
{program}
print(perf_counter() - start)
"""


def time_to_first_step(program: str, settings: Mapping[str, str] | None = None) -> float:
    """Return the seconds of a program in a fresh process, imports included.

    settings: additional environment variables.
    """
    finished = subprocess.run(
        [sys.executable, "-c", _TIMED.format(program=program)],
        env={**os.environ, **(settings or {})},
        capture_output=True,
        text=True,
    )
    if finished.returncode:
        raise RuntimeError(f"the timed program failed:\n{finished.stderr}")
    return float(finished.stdout)


def measure_startup(effort: Effort) -> list[Row]:
    """Time first steps: the first start compiles its kernels, the next ones find them in the same folder."""
    rows: list[Row] = []
    for name, program in PROGRAMS.items():
        with TemporaryDirectory() as private:
            settings = {}
            if effort.cold:
                settings["WIZARD_CACHE"] = private
                cold = time_to_first_step(program, settings)
                rows.append(check_limit(f"{name}: first step, cold", Sample(cold, cold), _COLD_LIMIT))
            warm = [time_to_first_step(program, settings) for _ in range(effort.starts)]
            rows.append(
                check_limit(f"{name}: first step, warm cache", Sample(min(warm), median(warm)), _WARM_LIMIT)
            )
    return rows
