"""Measure two workers against one, and compute clusters from that: python tools/cluster_scaling.py.

Writes docs/cluster.json and, from it, the tables of docs/cluster.md. Nothing else should run meanwhile.
"""

import json
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from statistics import NormalDist, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import torch.distributed as dist

from wizard_env.evaluation.workers import use_one_thread
from wizard_env.train.config.run import Config
from wizard_env.train.parallel.allocator import keep_freed_memory
from wizard_env.train.parallel.process_group import Group
from wizard_env.train.ppo.learner import Learner

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "cluster.md"
FIGURES = DOCS / "cluster.json"
WORKERS = 2
GAMES = 2048
STEPS = 32
BATCHES = (2048, 4096, 8192, 16384)
REPEATS = 9
MACHINES = (8, 64, 512)
BANDWIDTH = 10e9 / 8
"""Bytes per second."""
SHARES = (0.5, 0.75)
"""Shares of the workers' time to spend on learning."""


def config(batch: int) -> Config:
    """The run that is measured."""
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


def measure_learner(learner: Learner) -> dict[str, float]:
    """Medians over iterations: seconds, and what the workers' exchange took of them."""
    learner.iterate()
    found = []
    for _ in range(REPEATS):
        began = perf_counter()
        costs = {name: value for name, value in learner.iterate().items() if name.startswith("workers/")}
        found.append(costs | {"seconds": perf_counter() - began})
    return {name: median(each[name] for each in found) for name in found[0]}


def seconds_per(call: Callable[[], object]) -> float:
    """The median time of a call."""
    times = []
    for _ in range(50):
        began = perf_counter()
        call()
        times.append(perf_counter() - began)
    return median(times)


def work(rank: int, folder: str) -> None:
    """One of the two workers. The second sleeps while the first is measured alone."""
    use_one_thread()
    keep_freed_memory()
    dist.init_process_group("gloo", f"file://{folder}/store", rank=rank, world_size=WORKERS)
    group, rows = Group(), []
    for batch in BATCHES:
        alone = measure_learner(Learner(config(batch), "cpu", None)) if rank == 0 else {}
        group.first(None)
        both = measure_learner(Learner(config(batch), "cpu", None, group))
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
    network = Learner(config(BATCHES[0]), "cpu", None).network
    parameters = sum(parameter.numel() for parameter in network.parameters())
    gradient = np.zeros(parameters // 2)  # float64: as many bytes as the float32 gradient
    figures = {
        "rows": rows,
        "bytes": 4 * parameters,
        "gradient": seconds_per(lambda: group.sum(gradient)),
        "hop": seconds_per(lambda: group.sum(np.zeros(1))) / (2 * (WORKERS - 1)),
    }
    group.first(None)
    dist.destroy_process_group()
    if rank == 0:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def measured_table(figures: dict[str, Any]) -> str:
    """What was measured, by the size of the minibatch."""
    lines = [
        "| `batch_size` | one worker | two workers | ratio | exchange per update | sent per update |",
        "|---|---|---|---|---|---|",
    ]
    for row in figures["rows"]:
        cells = (
            f"{row['batch']:,}",
            f"{row['one'] / 1000:.1f} k",
            f"{row['two'] / 1000:.1f} k",
            f"{row['two'] / row['one']:.2f}",
            f"{1000 * row['exchange']:.1f} ms",
            f"{row['sent'] / 1e6:.2f} MB",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def slowest(workers: int) -> float:
    """How many standard deviations the slowest of `workers` lags behind their mean (Blom 1958)."""
    return NormalDist().inv_cdf((workers - 0.375) / (workers + 0.25))


def computed_table(figures: dict[str, Any]) -> str:
    """Clusters of machines with a worker each, joined by 10 Gbit/s.

    A ring of n adds up in 2 (n - 1) hops and moves 2 (n - 1) / n times the gradient, as fast as the network
    or the processes here, whichever is slower. Waiting for the slowest
    is taken to grow from what two workers wait as the largest of n normal draws does.
    """
    row = figures["rows"][-1]
    rate, step = row["one"], row["batch"] / row["two"]
    here = 2 * (WORKERS - 1) * figures["hop"]
    seconds_per_byte = max(1 / BANDWIDTH, (figures["gradient"] - here) / figures["bytes"])
    waited = max(row["exchange"] - figures["gradient"], 0) / step
    shares = " | ".join(f"batch for {share:.0%} | learned per second" for share in SHARES)
    lines = [
        f"| machines | exchange per update | waiting | {shares} |",
        "|---|---|---|" + "---|---|" * len(SHARES),
    ]
    for machines in MACHINES:
        hops = 2 * (machines - 1)
        exchange = hops * figures["hop"] + hops / machines * figures["bytes"] * seconds_per_byte
        waiting = waited * slowest(machines) / slowest(WORKERS)
        cells = [f"{machines}", f"{1000 * exchange:.0f} ms", f"{waiting:.0%} of learning"]
        for share in SHARES:
            learning = share * exchange / (1 - share * (1 + waiting))
            batch = float(f"{learning * machines * rate:.2g}")
            cells += [f"{batch:,.0f}", f"{share * machines * rate / 1e6:.2g} M"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def filled(page: str, figures: dict[str, Any]) -> str:
    """The page with both tables replaced, each between its markers."""
    for name, table in (("measured", measured_table(figures)), ("computed", computed_table(figures))):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"no markers for {name!r}")
        page = before + begin + table + end + after
    return page


def main() -> None:
    """Measure, and write both files."""
    context = get_context("spawn")
    with TemporaryDirectory() as folder:
        workers = [context.Process(target=work, args=(rank, folder)) for rank in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    main()
