"""Learning on a GPU against the same learning on the processor.

Few machines have a GPU, so this is no part of `wizard bench`: `python -m benchmarks.gpu`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.learning import iterate
from benchmarks.report import Row, compare
from benchmarks.timing import FULL, Effort, alternate
from wizard_env import configs, get_num_threads
from wizard_env.train.config.reading import read_config
from wizard_env.train.networks.devices import keep_freed_memory
from wizard_env.train.run import decide
from wizard_env.train.selfplay.workers import ALONE

_LARGE = ["learning.num_games=8192", "learning.batch_size=4096", "learning.layers=[1024,512]"]
GAMES = {
    "every seat learns": [*_LARGE, "learning.sparring=0", 'learning.partners=["heuristic"]'],
    "the champion's config": _LARGE,
}
"""Changes to the champion's config, by the name of the measurement."""


def measure(device: str, effort: Effort, games: Mapping[str, Sequence[str]] = GAMES) -> list[Row]:
    """Measure the decisions learned from, per second, on the device and on the processor."""
    keep_freed_memory()
    rows = []
    for name, changes in games.items():
        config = decide(read_config(configs.find("champion"), changes), Path("runs/benchmark"), device, ALONE)
        ours, peer = f"{name}, {device}", f"{name}, processor"
        rates = alternate({ours: iterate(config, device), peer: iterate(config)}, effort)
        rows.append(compare(ours, rates[ours], peer, rates[peer]))
    return rows


def main(
    device: Annotated[str, typer.Option(help="The device to measure.")] = "cuda",
    repetitions: Annotated[int, typer.Option(help="Iterations of each.")] = 3,
) -> None:
    """Measure learning on a GPU."""
    table = Table("", "decisions/s", "processor", "ratio")
    for row in measure(device, replace(FULL, repetitions=repetitions)):
        if row.peer is not None:
            table.add_row(row.name, f"{row.ours.best:,.0f}", f"{row.peer.best:,.0f}", f"{row.ratio:.2f}")
    Console().print(table)
    hardware = torch.cuda.get_device_name() if device == "cuda" else device
    Console().print(f"{hardware}; {get_num_threads()} threads of the processor")


if __name__ == "__main__":
    typer.run(main)
