"""Commands that train agents: `wizard train`, `config`."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env import configs
from wizard_env.cli import options
from wizard_env.cli.console import console, say, show_grid, show_grids
from wizard_env.cli.next_steps import format_command, repeat_command, say_next_steps
from wizard_env.cli.progress import show_training, with_progress
from wizard_env.cli.stopping import stoppable
from wizard_env.evaluation.report.grids import Grid, evaluation_grids, signed

if TYPE_CHECKING:
    from wizard_env.train.config.run import Config
    from wizard_env.train.selfplay.workers import Peers

_RECORDS = "records.jsonl"
"""The file in a run's folder with records of its evaluation."""
_PROVENANCE = "provenance.json"
"""The file in a run's folder that keeps the version, the command and the fingerprint of the agent."""
_NUM_RECORDS = 4
"""Games against each opponent that are recorded."""
_SHOWN = 6
"""Iterations of a run that are shown."""


def train(
    config: options.Config,
    changes: options.Changes = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The run's seed; its folder then ends in -seed and the number.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Number of runs, one after another, with seeds that count up.")
    ] = 1,
    name: Annotated[str | None, typer.Option(help="Name of the run and of its folder.")] = None,
    runs: options.Runs = Path("runs"),
    resume: options.Resume = False,
    device: options.Device = "cpu",
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Processes that learn together, one thread each; by default one for each processor that "
            "other programs leave idle, at most OMP_NUM_THREADS. A run that continues keeps its number.",
        ),
    ] = None,
    allow_programs: options.AllowPrograms = False,
) -> None:
    """Train an agent by self-play, then evaluate it alone against copies of each opponent.

    A run that was stopped continues where it stopped; a finished one shows its result again.
    Several machines learn together by torchrun: see docs/cluster.md.
    """
    from wizard_env.compiled.all_kernels import be_quiet

    be_quiet()  # the progress counts the kernels that are compiled
    from wizard_env.loading import programs
    from wizard_env.train.config.reading import read_config, read_kept
    from wizard_env.train.run import CONFIG
    from wizard_env.train.selfplay.workers import join_workers

    own = [f"seed={seed}"] if seed is not None else []
    own += [f"workers={workers}"] if workers is not None else []
    own += [f'name="{name}"'] if name is not None else []
    settings = read_config(configs.find(config), [*(changes or []), *own])
    if seeds > 1 or (seed is not None and name is None):
        each = [
            settings.model_copy(update={"seed": number, "name": f"{settings.name}-seed{number}"})
            for number in range(settings.seed, settings.seed + seeds)
        ]
    else:
        each = [settings]
    with stoppable(), programs(allow_programs), join_workers() as joined:
        console.quiet = joined.rank > 0
        for one in each:
            settings = _learn(one, runs / one.name, device, resume, allow_programs, joined)
            commands = [] if joined.rank else _evaluate(settings, runs / settings.name)
    if joined.rank > 0:
        return
    if seeds > 1:
        folders, of_rules = [runs / one.name for one in each], options.options_of(settings.evaluation_rules())
        say_next_steps("next: see how the seeds differ", format_command("curves", *folders, *of_rules))
        return
    kept = read_kept(runs / settings.name / CONFIG)  # a finished run may have been asked for more decisions
    other = settings.seed + 1
    again = [*(["--no-resume"] if resume else []), "--seed", other]
    say_next_steps(
        "next: evaluate it, look at its games and curves, train it longer, try another seed",
        *commands,
        repeat_command("--set", f"learning.decisions={2 * kept.learning.decisions}"),
        repeat_command(*again, *(["--name", f"{name}-seed{other}"] if name else [])),
    )


def config(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(configs.names())}; or a TOML file.")],
) -> None:
    """Print a config that comes with the package, to copy and change: wizard config quick > mine.toml."""
    typer.echo(configs.find(name).read_text(encoding="utf-8"), nl=False)


def _learn(
    settings: "Config", folder: Path, device: str, resume: bool, allow_programs: bool, joined: "Peers"
) -> "Config":
    """Train, or resume from a checkpoint; returns the config with what the run decided.

    resume: fail if there is no checkpoint.
    joined: the workers that torchrun has started, or this process alone, which then starts its own.
    """
    from wizard_env.cli.outputs import provenance
    from wizard_env.evaluation.fingerprints import fingerprint
    from wizard_env.files import write_atomically
    from wizard_env.loading import load
    from wizard_env.train.run import checkpoint_of, decide, train
    from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves
    from wizard_env.train.selfplay.workers import start_workers

    settings = decide(settings, folder, device, joined if joined.count > 1 else None)
    say(f"run          {folder}: {settings.learning.decisions:,} decisions")
    say(f"workers      {settings.workers}")
    say(f"precision    {settings.learning.precision}")
    checkpoint = checkpoint_of(settings, folder)
    if checkpoint.exists():
        say("resumed      from the last checkpoint")
    for name in settings.evaluation.opponents:
        load(name)  # a mistake ends the run before it learns
    learn = partial(train, settings, folder, resume=resume or checkpoint.exists(), device=device)
    with show_training(console, settings.learning.decisions, "the evaluation") as bar:
        if joined.count > 1:
            learn(report=bar.update, peers=joined)
        else:
            with start_workers(settings.workers or 1, partial(_learn_beside, learn, allow_programs)) as peers:
                learn(report=bar.update, peers=peers)
    if bar.begun and not joined.rank:
        agent = _agent_of(settings, folder)
        origin = json.dumps(provenance({agent: fingerprint(agent, load(agent))}), indent=2)
        write_atomically(folder / _PROVENANCE, lambda path: path.write_text(origin, encoding="utf-8"))
    if not bar.begun:
        learned = int(read_curves(folder / CURVES)[-1][DECISIONS])
        say(f"finished     after {learned:,} decisions: here is the result again")
    return settings


def _learn_beside(learn: Callable[..., Path], allow_programs: bool, peers: "Peers") -> None:
    """Learn in another process of this machine. learn: `train` but for its Peers."""
    from wizard_env.compiled.all_kernels import be_quiet
    from wizard_env.loading import programs

    be_quiet()
    with programs(allow_programs):
        learn(peers=peers)


def _evaluate(settings: "Config", folder: Path) -> list[str]:
    """Show the curves of a run and evaluate its agent; returns commands that use it."""
    from wizard_env.evaluation.evaluate import Entrant, evaluate
    from wizard_env.evaluation.workers import in_this_process
    from wizard_env.loading import load
    from wizard_env.records.game_records import write_records
    from wizard_env.train.run import checkpoint_of
    from wizard_env.train.selfplay.curves import CURVES, read_curves

    show_grid(console, _learning_grid(read_curves(folder / CURVES)))
    opponents = [Entrant(name, load(name)) for name in settings.evaluation.opponents]
    rules, agent, records = settings.evaluation_rules(), _agent_of(settings, folder), []
    learned = Entrant(settings.name, load(agent))
    for opponent in opponents:
        entrants = [learned] + [opponent] * (rules.num_players - 1)
        spread = with_progress(in_this_process, f"playing {opponent.name}", console)
        result = evaluate(entrants, rules, settings.evaluation.games, settings.seed, _NUM_RECORDS, spread)
        show_grids(console, evaluation_grids(result, f"{settings.name} alone against {opponent.name}"))
        records += result.records
    write_records(folder / _RECORDS, records)
    say(f"agent        {agent}")
    say(f"checkpoint   {checkpoint_of(settings, folder)}")
    say(f"curves       {folder / CURVES}")
    say(f"records      {folder / _RECORDS}")
    other, of_rules = opponents[-1].name if opponents else "random", options.options_of(rules)
    can_play = entry_points(group=options.ADDITIONS, name="play")  # with the table
    return [
        format_command("evaluate", agent, *[other] * (rules.num_players - 1), *of_rules),
        *([format_command("play", agent, *of_rules)] if can_play else []),
        *([format_command("replay", folder / _RECORDS, "--game", 1)] if records else []),
        format_command("--logdir", folder, by="tensorboard"),
    ]


def _learning_grid(curves: Sequence[Mapping[str, str]]) -> Grid:
    """Return the bids met and the points per round at iterations spread over a run."""
    from wizard_env.train.selfplay.curves import DECISIONS
    from wizard_env.train.selfplay.progress import BID_ACCURACY, POINTS

    last = len(curves) - 1
    shown = sorted({round(last * part / (_SHOWN - 1)) for part in range(_SHOWN)})
    rows = [
        [f"{int(line[DECISIONS]):,}", f"{float(line[BID_ACCURACY]):.1%}", signed(float(line[POINTS]))]
        for line in (curves[number] for number in shown)
    ]
    return Grid("self-play", ["decisions", "bids met", "points per round"], rows, names=0)


def _agent_of(settings: "Config", folder: Path) -> str:
    """Return the name by which `load` finds the agent of a run, and not one that is named like its folder."""
    path = str(folder) if len(folder.parts) > 1 else f"./{folder}"
    own = getattr(settings.learning, "encoding", "")
    return f"{path}:encoding={own!r}" if own else path
