"""`wizard distill`: a small network that answers like a large one."""

from pathlib import Path
from typing import Annotated

import typer

from wizard_env import configs
from wizard_env.cli.feedback.progress import training_bar
from wizard_env.cli.options import Resume, RunSeed, Threads, whole_numbers
from wizard_env.cli.outputs import files_of
from wizard_env.evaluation.report.console import console, say


def distill(
    network: Annotated[
        str, typer.Argument(help="Folder of a run or the file of a network; champion is the included one.")
    ],
    folder: Annotated[Path, typer.Argument(help="Folder for the run of the small network.")],
    games: Annotated[
        str, typer.Option(metavar="CONFIG", help="The config whose games are played.")
    ] = "champion",
    layers: Annotated[
        str, typer.Option(metavar="WIDTHS", help="Widths of its hidden layers, as in 128,128.")
    ] = "128,128",
    decisions: Annotated[int, typer.Option(min=1, help="Number of decisions to learn from.")] = 12_000_000,
    seed: RunSeed = 0,
    resume: Resume = False,
    threads: Threads = None,
) -> None:
    """Distil a network into a small one, as `champion+search` plays worlds out with.

    A run that was stopped goes on where it stopped.
    """
    from wizard_env.agents.network import FILE_NAME
    from wizard_env.files.writing import check_distinct
    from wizard_env.train.config.reading import make_config, read_config
    from wizard_env.train.config.run import Config
    from wizard_env.train.run import checkpoint_of, train
    from wizard_env.train.selfplay.curves import CURVES, read_curves

    played = read_config(configs.find(games))
    learning = {
        "learner": "distillation",
        "teachers": {network: []},
        "layers": list(whole_numbers("--layers", layers)),
        "decisions": decisions,
    }
    values = {"name": "distilled", "seed": seed, "game": played.game, "tables": played.tables}
    run = make_config(Config, values | {"learning": learning})
    check_distinct(folder / FILE_NAME, files_of([network]))
    resume = resume or checkpoint_of(run, folder).exists()
    with training_bar(console, decisions) as bar:
        train(run, folder, resume=resume, report=bar.update)
    last = read_curves(folder / CURVES)[-1]
    alike, apart = (float(last[f"train/{name}"]) for name in ("agreement", "divergence"))
    say(f"agreement    {alike:.1%} of actions alike, divergence {apart:.4f}")
    say(f"agent        {folder}")
