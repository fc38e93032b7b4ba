"""`wizard distill`: a small network that answers like a large one."""

from pathlib import Path
from typing import Annotated

import typer

from wizard_env import configs
from wizard_env.play.cli.options import Seed, Threads, whole_numbers
from wizard_env.play.report.console import say


def distill(
    network: Annotated[
        str, typer.Argument(help="Folder of a run or the file of a network; champion is the included one.")
    ],
    folder: Annotated[Path, typer.Argument(help="Folder for the small network.")],
    games: Annotated[
        str, typer.Option(metavar="CONFIG", help="The config whose games are played.")
    ] = "champion",
    layers: Annotated[
        str, typer.Option(metavar="WIDTHS", help="Widths of its hidden layers, as in 128,128.")
    ] = "128,128",
    decisions: Annotated[int, typer.Option(min=1, help="Number of decisions to learn from.")] = 12_000_000,
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Distil a network into a small one, as `champion+search` plays worlds out with."""
    from wizard_env.agents.pretrained import CHAMPION
    from wizard_env.train.config.reading import read_config
    from wizard_env.train.distill import distill

    widths = whole_numbers("--layers", layers)
    kinds = read_config(configs.find(games)).kinds()
    path = str(CHAMPION) if network == "champion" else network
    for lesson in distill(path, folder, kinds, widths, decisions, seed):
        say(
            f"{lesson.decisions:,} decisions: {lesson.agreement:.1%} of actions alike, "
            f"divergence {lesson.divergence:.4f}"
        )
    say(f"agent        {folder}")
