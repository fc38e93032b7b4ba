"""Commands that train agents: `wizard train`, `wizard rllib`."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env import configs
from wizard_env.play.cli.options import Device, Resume, Threads
from wizard_env.play.cli.progress import training_bar
from wizard_env.play.report.console import console, say, show_evaluation

if TYPE_CHECKING:
    from wizard_env.train.config.run import Run

RECORDS = "records.jsonl"
"""The file in a run's folder with records of its evaluation."""
NUM_RECORDS = 4
"""Games against each opponent that are recorded."""

Runs = Annotated[Path, typer.Option(help="Folder for runs.")]
AllowPrograms = Annotated[
    bool, typer.Option(help="Run the programs that the config names as agents; they can do what you can.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key, as in learning.epochs=4; may be given several times.",
    ),
]
NewSeed = Annotated[
    int | None, typer.Option(min=0, help="The run's seed; its folder then ends in -seed and the number.")
]
NewName = Annotated[str | None, typer.Option(help="The run's name, and its folder.")]


def train(
    config: Annotated[
        str,
        typer.Argument(help=f"A TOML file, or the name of an included config: {', '.join(configs.names())}."),
    ],
    changes: Changes = None,
    seed: NewSeed = None,
    name: NewName = None,
    runs: Runs = Path("runs"),
    resume: Resume = False,
    device: Device = "cpu",
    threads: Threads = None,
    workers: Annotated[
        int | None, typer.Option(help="Learn on this many workers of a Ray cluster, on one core or GPU each.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(help="Address of the Ray cluster; 'auto' is this machine's, 'local' starts one."),
    ] = None,
    allow_programs: AllowPrograms = False,
) -> None:
    """Train an agent by self-play, then evaluate it alone against copies of each opponent."""
    from wizard_env.loading import programs
    from wizard_env.train.config.reading import read_config
    from wizard_env.train.run import checkpoint_of, train

    asked = asked_changes(changes, seed, name)
    settings = read_config(configs.find(config), asked)
    if seed is not None and name is None:
        settings = settings.model_copy(update={"name": f"{settings.name}-seed{seed}"})
    folder = runs / settings.name
    command = " ".join(["wizard train", config, *given_changes(changes, seed, name)])
    learn: Callable[..., Path] = partial(train, settings, folder)
    if workers is not None:
        from wizard_env.train.cluster.trainer import train as train_on_workers

        learn = partial(train_on_workers, settings, folder, workers=workers, address=address or "local")
        command += f" --workers {workers}" + (f" --address {address}" if address else "")
    elif address is not None:
        raise ValueError(f"--address {address} needs the number of workers, as in --workers 8")
    learn = partial(learn, resume=resume, device=device)
    with programs(allow_programs):
        _learn(settings, folder, learn, checkpoint_of(settings, folder), command)


def config(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(configs.names())}, rllib; or a TOML file.")],
) -> None:
    """Print a config that comes with the package, to copy and change: wizard config quick > mine.toml."""
    typer.echo(configs.find(name).read_text(encoding="utf-8"), nl=False)


def push(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    repo: Annotated[
        str, typer.Argument(metavar="OWNER/NAME", help="The repository on the Hugging Face Hub.")
    ],
    private: Annotated[bool, typer.Option(help="Make a new repository private.")] = False,
    notes: Annotated[str, typer.Option(help="What the card says besides what the run says.")] = "",
) -> None:
    """Publish a run's agent on the Hugging Face Hub, with a card; load("hf:owner/name") loads it."""
    from wizard_env.train.push import push

    say(f"published    {push(run, repo, private, notes)}")
    say(f"agent        hf:{repo} (wizard evaluate hf:{repo} ...)")


def asked_changes(changes: list[str] | None, seed: int | None, name: str | None) -> list[str]:
    """All changes to a config that the options ask for, each `key=value`."""
    own = {"seed": seed, "name": None if name is None else f'"{name}"'}
    return [*(changes or []), *(f"{key}={value}" for key, value in own.items() if value is not None)]


def given_changes(changes: list[str] | None, seed: int | None, name: str | None) -> list[str]:
    """The same as options of a command."""
    own = {"--seed": seed, "--name": name}
    options = [f"--set {shlex.quote(change)}" for change in changes or []]
    return options + [f"{option} {value}" for option, value in own.items() if value is not None]


def rllib(
    config: Annotated[str, typer.Argument(help="A TOML file, or the name of the included config, rllib.")],
    address: Annotated[
        str,
        typer.Option(help="Address of the Ray cluster; 'auto' is this machine's, 'local' starts one here."),
    ] = "local",
    runs: Runs = Path("runs"),
    resume: Resume = False,
    allow_programs: AllowPrograms = False,
) -> None:
    """Train an agent by self-play on Ray RLlib, here or on a cluster, then evaluate it as `train` does."""
    from wizard_env.loading import programs
    from wizard_env.train.config.reading import read_toml
    from wizard_env.train.config.rllib import RLlibConfig

    settings = read_toml(configs.find(config), RLlibConfig)
    try:
        from wizard_env.train.rllib.learner import CHECKPOINT, train
    except ImportError as missing:
        raise ModuleNotFoundError(f"{missing}: pip install 'wizard-env[rllib]'") from None
    folder = runs / settings.name
    learn = partial(train, settings, folder, address=address, resume=resume)
    with programs(allow_programs):
        _learn(settings, folder, learn, folder / CHECKPOINT, f"wizard rllib {config}")


def _learn(settings: "Run", folder: Path, learn: Callable[..., Path], checkpoint: Path, command: str) -> None:
    """Train, evaluate the result, and print where the files are."""
    from wizard_env.loading import load
    from wizard_env.records.game_records import write_records
    from wizard_env.train.evaluate import Entrant, evaluate
    from wizard_env.train.selfplay.curves import CURVES

    opponents = [Entrant(name, load(name)) for name in settings.evaluation.opponents]
    with training_bar(console) as bar:
        learn(report=bar.update)
    console.print(bar.summary())
    rules = settings.evaluation_rules()
    own = getattr(settings.learning, "encoding", "")
    agent = f"{folder}:encoding={own!r}" if own else str(folder)
    learned = Entrant(settings.name, load(agent))
    records = []
    for opponent in opponents:
        field = [learned] + [opponent] * (rules.num_players - 1)
        result = evaluate(field, rules, settings.evaluation.games, settings.seed, NUM_RECORDS)
        show_evaluation(console, result, f"{settings.name} alone against {opponent.name}")
        records += result.records
    write_records(folder / RECORDS, records)
    elsewhere = "" if folder.parent == Path("runs") else f" --runs {folder.parent}"
    say(f"agent        {folder} (wizard evaluate {shlex.quote(agent)} ...)")
    say(f"checkpoint   {checkpoint} ({command}{elsewhere} --resume)")
    say(f"curves       {folder / CURVES}, and tensorboard --logdir {folder}")
    say(f"records      {folder / RECORDS}")
