"""Commands that pass an agent on: `wizard distill`, `export`, `push`."""

from pathlib import Path
from typing import Annotated

import typer

from wizard_env import configs
from wizard_env.cli import options
from wizard_env.cli.console import console, say
from wizard_env.cli.outputs import files_of
from wizard_env.cli.progress import show_training
from wizard_env.files import check_distinct, check_file


def distill(
    network: Annotated[
        str, typer.Argument(help="Folder of a run or the file of a network; champion is the included one.")
    ],
    folder: Annotated[Path, typer.Argument(help="Folder for the run of the small network.")],
    games: Annotated[
        str, typer.Option(metavar="CONFIG", help="Config that sets which games are played.")
    ] = "champion",
    layers: Annotated[
        str, typer.Option(metavar="WIDTHS", help="Widths of the small network's layers, as in 128,128.")
    ] = "128,128",
    decisions: options.Decisions = 12_000_000,
    seed: options.RunSeed = 0,
    resume: options.Resume = False,
    threads: options.Threads = None,
) -> None:
    """Distil a network into a small one, like the one that plays out worlds in `champion+search`.

    A run that was stopped continues where it stopped.
    """
    from wizard_env.agents.network import FILE_NAME
    from wizard_env.train.config.reading import make_config, read_config
    from wizard_env.train.run import checkpoint_of, train
    from wizard_env.train.selfplay.curves import CURVES, read_curves

    played = read_config(configs.find(games))
    learning = {
        "learner": "distillation",
        "teachers": {network: []},
        "layers": list(options.whole_numbers("--layers", layers)),
        "decisions": decisions,
    }
    values = {"name": "distilled", "seed": seed, "game": played.game, "tables": played.tables}
    run = make_config(values | {"learning": learning})
    check_distinct(folder / FILE_NAME, files_of([network]))
    resume = resume or checkpoint_of(run, folder).exists()
    with show_training(console, decisions) as bar:
        train(run, folder, resume=resume, report=bar.update)
    last = read_curves(folder / CURVES)[-1]
    agreement, divergence = (float(last[f"train/{name}"]) for name in ("agreement", "divergence"))
    say(f"agreement    {agreement:.1%} of actions agree, divergence {divergence:.4f}")
    say(f"agent        {folder}")


def export(
    agent: Annotated[str, typer.Argument(help="'champion', or the folder of a run.")],
    file: Annotated[Path, typer.Argument(metavar="FILE.onnx", help="The file to write.")],
) -> None:
    """Write an agent's network as ONNX, for programs in other languages."""
    from wizard_env.agents.export import export

    check_file(file)
    export(agent, file)
    say(f"network      {file}")


def push(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    repo: Annotated[
        str, typer.Argument(metavar="OWNER/NAME", help="The repository on the Hugging Face Hub.")
    ],
    private: Annotated[bool, typer.Option(help="If the repository is new, make it private.")] = False,
    notes: Annotated[str, typer.Option(help="Notes to add to the facts of the run on the card.")] = "",
) -> None:
    """Publish a run's agent on the Hugging Face Hub, with a card; load("hf:owner/name") loads it."""
    from wizard_env.train.push import push

    say(f"published    {push(run, repo, private, notes)}")
    say(f"agent        hf:{repo} (wizard evaluate hf:{repo} ...)")
