"""Commands that train agents: `wizard train`, `wizard rllib`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from wizard_env import configs
from wizard_env.cli.feedback.next_steps import command, same_command, say_next_steps
from wizard_env.cli.feedback.progress import training_bar, with_progress
from wizard_env.cli.feedback.stopping import stoppable
from wizard_env.cli.options import Device, Resume, Threads, options_of
from wizard_env.evaluation.report.console import console, say, show_evaluation
from wizard_env.extras import missing_module

if TYPE_CHECKING:
    from wizard_env.train.config.run import Run

RECORDS = "records.jsonl"
"""The file in a run's folder with records of its evaluation."""
NUM_RECORDS = 4
"""Games against each opponent that are recorded."""
SHOWN = 6
"""Iterations that are shown of a run."""

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
    """Train an agent by self-play, then evaluate it alone against copies of each opponent.

    A run that was stopped goes on where it stopped; a finished one shows its result again.
    """
    from wizard_env.compiled.all_kernels import be_quiet

    be_quiet()  # the progress tells of kernels that are compiled
    from wizard_env.loading import programs
    from wizard_env.train.config.reading import read_config, read_kept
    from wizard_env.train.config.run import Config

    settings = read_config(configs.find(config), asked_changes(changes, seed, name))
    if seed is not None and name is None:
        settings = settings.model_copy(update={"name": f"{settings.name}-seed{seed}"})
    if address is not None and workers is None:
        raise ValueError(f"--address {address} needs the number of workers, as in --workers 8")
    folder = runs / settings.name
    say(f"run          {folder}: {settings.learning.decisions:,} decisions")
    with stoppable(), programs(allow_programs):
        from wizard_env.train.run import CONFIG, checkpoint_of, decide_precision, train

        settings = decide_precision(settings, folder, device, here=address in (None, "local"))
        say(f"precision    {settings.learning.precision}")
        learn: Callable[..., Path] = partial(train, settings, folder, device=device)
        if workers is not None:
            from wizard_env.train.cluster.trainer import train as train_on_workers

            learn = partial(train_on_workers, settings, folder, device=device)
            learn = partial(learn, workers=workers, address=address or "local")
        following = _learn(settings, folder, learn, checkpoint_of(settings, folder), resume)
    kept = read_kept(folder / CONFIG, Config)  # a finished run may have been asked for more decisions
    other = settings.seed + 1
    again = [*(["--no-resume"] if resume else []), "--seed", other]
    say_next_steps(
        "next: evaluate it, play against it, look at its games and curves, let it learn on, or another seed",
        *following,
        same_command("--set", f"learning.decisions={2 * kept.learning.decisions}"),
        same_command(*again, *(["--name", f"{name}-seed{other}"] if name else [])),
    )


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
    """Train an agent by self-play on Ray RLlib, here or on a cluster, then evaluate it as `train` does.

    A run that was stopped goes on where it stopped; a finished one shows its result again.
    """
    from wizard_env.loading import programs
    from wizard_env.train.config.reading import read_toml
    from wizard_env.train.config.rllib import RLlibConfig

    settings = read_toml(configs.find(config), RLlibConfig)
    try:
        from wizard_env.train.rllib.learner import CHECKPOINT, train
    except ImportError as missing:
        raise missing_module(missing.name or "ray.rllib", "wizard-env[rllib]") from None
    folder = runs / settings.name
    say(f"run          {folder}: {settings.learning.decisions:,} decisions")
    learn = partial(train, settings, folder, address=address)
    with stoppable(), programs(allow_programs):
        following = _learn(settings, folder, learn, folder / CHECKPOINT, resume)
    say_next_steps("next: evaluate it, play against it, look at its games and curves", *following)


def _learn(
    settings: "Run", folder: Path, learn: Callable[..., Path], checkpoint: Path, resume: bool
) -> list[str]:
    """Train, or go on with a run that is there; then evaluate the result, and say where the files are.

    Args:
        settings, folder: the run.
        learn: learns; takes `resume` and `report`.
        checkpoint: what the run resumes from.
        resume: whether it must be there.

    Returns:
        Commands for what can be done with the result.
    """
    from wizard_env.evaluation.evaluate import Entrant, evaluate
    from wizard_env.evaluation.workers import workers
    from wizard_env.loading import load
    from wizard_env.records.game_records import write_records
    from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves

    resume = resume or checkpoint.exists()
    if checkpoint.exists():
        say("resumed      from the last checkpoint")
    opponents = [Entrant(name, load(name)) for name in settings.evaluation.opponents]
    with training_bar(console, settings.learning.decisions, "the evaluation") as bar:
        learn(resume=resume, report=bar.update)
    curves = read_curves(folder / CURVES)
    if not bar.begun:
        say(f"finished     after {int(curves[-1][DECISIONS]):,} decisions: here is the result again")
    console.print(learning_table(curves))
    rules, agent, records = settings.evaluation_rules(), _agent_of(settings, folder), []
    learned = Entrant(settings.name, load(agent))
    with workers() as here:
        for opponent in opponents:
            title = f"{settings.name} alone against {opponent.name}"
            field = [learned] + [opponent] * (rules.num_players - 1)
            spread = with_progress(here, f"playing {opponent.name}", console)
            result = evaluate(field, rules, settings.evaluation.games, settings.seed, NUM_RECORDS, spread)
            show_evaluation(console, result, title)
            records += result.records
    write_records(folder / RECORDS, records)
    say(f"agent        {agent}")
    say(f"checkpoint   {checkpoint}")
    say(f"curves       {folder / CURVES}")
    say(f"records      {folder / RECORDS}")
    other = opponents[-1].name if opponents else "random"
    options = options_of(rules)
    return [
        command("evaluate", agent, *[other] * (rules.num_players - 1), *options),
        command("play", agent, *options),
        *([command("replay", folder / RECORDS, "--game", 1)] if records else []),
        command("--logdir", folder, by="tensorboard"),
    ]


def learning_table(curves: Sequence[Mapping[str, str]]) -> Table:
    """A table of bids met and points per round, at iterations spread over a run."""
    from wizard_env.train.selfplay.curves import DECISIONS
    from wizard_env.train.selfplay.progress import BID_ACCURACY, POINTS

    table = Table(title="self-play", title_justify="left")
    for heading in ("decisions", "bids met", "points per round"):
        table.add_column(heading, justify="right", no_wrap=True)
    last = len(curves) - 1
    for number in sorted({round(last * part / (SHOWN - 1)) for part in range(SHOWN)}):
        line = curves[number]
        table.add_row(
            f"{int(line[DECISIONS]):,}", f"{float(line[BID_ACCURACY]):.3f}", f"{float(line[POINTS]):+.1f}"
        )
    return table


def _agent_of(settings: "Run", folder: Path) -> str:
    """The name by which `load` finds the agent of a run, and not one that is named like its folder."""
    path = str(folder) if len(folder.parts) > 1 else f"./{folder}"
    own = getattr(settings.learning, "encoding", "")
    return f"{path}:encoding={own!r}" if own else path
