"""Measure two workers against one: python -m tools.cluster_scaling.

Writes docs/cluster.json and, from it, the table of docs/cluster.md. Nothing else should run meanwhile.
"""

import json
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import torch.distributed as dist

from tools.marked_tables import fill, head, row
from wizard_env.evaluation.workers import limit_threads
from wizard_env.train.config.run import Config
from wizard_env.train.networks.devices import keep_freed_memory
from wizard_env.train.ppo import PpoLearner
from wizard_env.train.selfplay.workers import ProcessGroup

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "cluster.md"
TABLE = "measured"
FIGURES = DOCS / "cluster.json"
WORKERS = 2
GAMES = 2048
STEPS = 32
BATCHES = (2048, 4096, 8192, 16384)
REPEATS = 9


def config(batch: int) -> Config:
    """Return the config of the measured run."""
    learning: dict[str, Any] = {
        "decisions": 2**40,
        "num_games": GAMES,
        "decisions_per_game": STEPS,
        "batch_size": batch,
        "epochs": 1,
        "layers": [512, 512],
        "precision": "bfloat16",
    }
    return Config.model_validate({"name": "scaling", "learning": learning})


def measure_learner(learner: PpoLearner) -> dict[str, float]:
    """Return medians over iterations: the seconds, and the costs of the exchange between workers."""
    learner.iterate()
    found = []
    for _ in range(REPEATS):
        began = perf_counter()
        costs = {name: value for name, value in learner.iterate().items() if name.startswith("workers/")}
        found.append(costs | {"seconds": perf_counter() - began})
    return {name: median(each[name] for each in found) for name in found[0]}


def work(rank: int, folder: str) -> None:
    """Measure as one of the two workers; the second sleeps while the first is measured alone."""
    limit_threads(1)
    keep_freed_memory()
    dist.init_process_group("gloo", f"file://{folder}/store", rank=rank, world_size=WORKERS)
    group, rows = ProcessGroup(), []
    for batch in BATCHES:
        alone = measure_learner(PpoLearner(config(batch), "cpu", None)) if rank == 0 else {}
        group.broadcast(None)
        both = measure_learner(PpoLearner(config(batch), "cpu", None, group))
        updates, decisions = GAMES * STEPS / batch, GAMES * STEPS
        rows.append(
            {
                "batch": batch,
                "one": decisions / alone["seconds"] if alone else 0.0,
                "two": decisions / both["seconds"],
                "exchange": both["workers/exchange_seconds"] / updates,
                "sent": both["workers/megabytes_sent"] * 1e6 / updates,
            }
        )
    group.broadcast(None)
    dist.destroy_process_group()
    if rank == 0:
        FIGURES.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def table(rows: list[dict[str, float]]) -> str:
    """Return the table of the figures, a row for each size of the minibatch."""
    measured = ("one worker", "two workers", "ratio", "exchange per update", "sent per update")
    lines = head("`batch_size`", *measured)
    for one in rows:
        cells = (
            f"{one['batch']:,}",
            f"{one['one'] / 1000:.1f} k",
            f"{one['two'] / 1000:.1f} k",
            f"{one['two'] / one['one']:.2f}",
            f"{1000 * one['exchange']:.1f} ms",
            f"{one['sent'] / 1e6:.2f} MB",
        )
        lines.append(row(*cells))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write both files."""
    context = get_context("spawn")
    with TemporaryDirectory() as folder:
        workers = [context.Process(target=work, args=(rank, folder)) for rank in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    rows = json.loads(FIGURES.read_text(encoding="utf-8"))
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), TABLE, table(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
