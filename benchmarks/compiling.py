"""Cost of compiling the kernels: each alone, and all of them in one process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import KernelCost, Row, check_limit
from benchmarks.timing import Effort, Sample
from wizard_env.compiled.all_kernels import all_kernels

_ALONE_LIMIT = 8.0
_TOGETHER_LIMIT = 30.0
SMALL = "wizard_env.view._conceal_rows"
"""The kernel that a smoke run compiles."""

_PROGRAM = """
import json, sys, numba
numba.njit("int64()")(lambda: 0)  # numba's own start is not counted
from wizard_env.compiled.all_kernels import be_quiet, compile_here
be_quiet()
print(json.dumps(compile_here(sys.argv[1:])))
"""


def _time_compiling(names: list[str], cache: str) -> dict[str, float]:
    """Return the processor time of each kernel, compiled in one fresh process with an empty cache."""
    finished = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *names],
        env={**os.environ, "WIZARD_CACHE": cache},
        capture_output=True,
        text=True,
    )
    if finished.returncode:
        raise RuntimeError(f"the kernels do not compile:\n{finished.stderr}")
    return dict(json.loads(finished.stdout))


def measure_compiling(effort: Effort) -> tuple[list[KernelCost], list[Row]]:
    """Measure every kernel alone; then all in one process, where they share helpers."""
    names = all_kernels() if effort.cold else [SMALL]
    costs: list[KernelCost] = []
    for name in names:
        with TemporaryDirectory() as cache:
            seconds = _time_compiling([name], cache)[name]
            function = name.rpartition(".")[2]
            size = sum(file.stat().st_size for file in Path(cache).rglob(f"*.{function}-*.nbc"))
            costs.append(KernelCost(name, seconds, size))
    if not effort.cold:
        return costs, []
    slowest = max(cost.seconds for cost in costs)
    with TemporaryDirectory() as cache:
        together = sum(_time_compiling(names, cache).values())
    return costs, [
        check_limit("the kernel that takes longest to compile", Sample(slowest, slowest), _ALONE_LIMIT),
        check_limit(
            f"all {len(names)} kernels compiled in one process", Sample(together, together), _TOGETHER_LIMIT
        ),
    ]
