"""Learning on a GPU against the same learning on the processor, and what an iteration there waits for.

A GPU is not at hand everywhere, so this is no part of `wizard bench`:

    python -m benchmarks.gpu
"""

from dataclasses import replace
from typing import Annotated

import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.learning import iterations, shares
from benchmarks.report import RATE, SHARE, Row, compared, noted
from benchmarks.timing import FULL, Effort, alternate
from wizard_env import configs, get_num_threads
from wizard_env.train.config.reading import read_config
from wizard_env.train.parallel.allocator import keep_freed_memory

LARGE = ["learning.num_games=8192", "learning.batch_size=4096", "learning.layers=[1024,512]"]
GAMES = {
    "every seat learns": [*LARGE, "learning.sparring=0", 'learning.partners=["heuristic"]'],
    "the champion's config": LARGE,
}
"""What is played, and the changes to the champion's config."""
PARTS = {
    "games and partners": ("step", "selfplay/games.py"),
    "the network, acting: launched": ("look", "ppo/device.py"),
    "the network, acting: waited for": ("choose", "ppo/device.py"),
    "full states": ("full_state", "wizard_env/games.py"),
    "full states, sent": ("note_full_states", "ppo/device.py"),
    "returns and advantages": ("_credit", "ppo/learner.py"),
    "gradient steps": ("_update", "ppo/learner.py"),
    "the loss, among the gradient steps": ("descend", "ppo/device.py"),
    "the critic, among the gradient steps": ("correct", "ppo/device.py"),
    "the optimiser, among the gradient steps": ("step", "optim/adam.py"),
}
"""The parts of an iteration: the function that does each, and its file."""


def measure(device: str, effort: Effort) -> list[Row]:
    """Decisions learned from, per second, and the shares of an iteration on the device."""
    keep_freed_memory()
    rows = []
    for name, changes in GAMES.items():
        config = read_config(configs.find("champion"), changes)
        ours, peer = f"{name}, {device}", f"{name}, processor"
        rates = alternate({ours: iterations(config, device), peer: iterations(config, "cpu")}, effort)
        rows.append(compared(ours, rates[ours], peer, rates[peer], None, RATE))
        parts = shares(config, device, PARTS, effort.repetitions)
        rows += [noted(part, share, SHARE) for part, share in parts.items()]
    return rows


def main(
    device: Annotated[str, typer.Option(help="The device to measure.")] = "cuda",
    repetitions: Annotated[int, typer.Option(help="Iterations of each.")] = 3,
) -> None:
    """Measure learning on a GPU."""
    table = Table("", "decisions/s", "processor", "ratio", "share of an iteration")
    for row in measure(device, replace(FULL, repetitions=repetitions)):
        if row.peer is None or row.ratio is None:
            table.add_row(row.name, "", "", "", f"{row.ours:.1f}%")
        else:
            table.add_row(row.name, f"{row.ours:,.0f}", f"{row.peer:,.0f}", f"{row.ratio:.2f}", "")
    Console().print(table)
    accelerator = torch.cuda.get_device_name() if device == "cuda" else device
    Console().print(f"{accelerator}; {get_num_threads()} threads of the processor")


if __name__ == "__main__":
    typer.run(main)
