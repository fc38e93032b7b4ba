"""All benchmarks in one run."""

from benchmarks.batch import measure_batches
from benchmarks.environments import measure_aec
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
    rows += measure_players(effort)
    rows += measure_learning(effort)
    rows += measure_aec(effort)
    rows += measure_startup(effort)
    return Report(describe_machine(), quick, rows)
