"""All benchmarks in one run."""

from benchmarks.batch import measure_batches, measure_curve
from benchmarks.compiling import measure_compiling
from benchmarks.environments import measure_aec, measure_gymnasium
from benchmarks.learning import measure_learning
from benchmarks.players import measure_players
from benchmarks.report import Report, describe_machine
from benchmarks.startup import measure_startup
from benchmarks.timing import FULL, QUICK


def main(quick: bool = False) -> Report:
    """Measure everything, which takes some minutes on a quiet machine.

    quick: make a smoke run of seconds, with rough numbers, on small batches and without a cold start.
    """
    effort = QUICK if quick else FULL
    rows = measure_batches(effort)
    curve, flatness = measure_curve(effort)
    rows += flatness
    rows += measure_players(effort)
    rows += measure_learning(effort)
    rows += measure_aec(effort)
    rows += measure_gymnasium(effort)
    rows += measure_startup(effort)
    kernels, compiling = measure_compiling(effort)
    return Report(describe_machine(), quick, rows + compiling, curve, kernels)
