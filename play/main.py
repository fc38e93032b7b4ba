"""The command line: `wizard train`, `evaluate`, `replay` and the others."""

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

try:
    import typer
    from rich.console import Console
    from rich.logging import RichHandler
except ModuleNotFoundError as missing:
    raise SystemExit(
        f"wizard needs the module {missing.name!r}: pip install 'wizard-env[play]', or [train]"
    ) from None

import configs
from play.options import (
    Agents,
    HandSizes,
    JsonFile,
    MagicEdition,
    Players,
    PlotFolder,
    RayAddress,
    ReportFile,
    Restriction,
    Reveal,
    Seed,
    WorkerCount,
    rules_for,
)
from play.outputs import Outputs
from play.records import analyse, convert, replay
from play.report import (
    console,
    say,
    show_evaluation,
    show_exploit,
    show_league,
    show_sizes,
    training_bar,
    with_progress,
)
from play.seats import play
from play.serve import serve

if TYPE_CHECKING:
    from train.config import Run

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
for command in (play, serve, replay, analyse, convert):
    app.command()(command)

RECORDS = "records.jsonl"
NUM_RECORDS = 4


def main() -> None:
    """Run the command line; an error that the user can mend is one line, and exit code 2."""
    complaints = Console(stderr=True)
    handler = RichHandler(console=complaints, show_path=False, show_time=False)
    logging.basicConfig(level="WARNING", format="%(message)s", handlers=[handler])
    try:
        app()
    except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
        complaint = f"error: {error}"
        if isinstance(error, ModuleNotFoundError) and "pip install" not in complaint:
            complaint += ": pip install 'wizard-env[all]'"
        complaints.print(complaint, style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)


Runs = Annotated[Path, typer.Option(help="The folder that runs are written to.")]
Resume = Annotated[bool, typer.Option(help="Go on from the run's checkpoint.")]


@app.command()
def train(
    config: Annotated[
        str,
        typer.Argument(help=f"A TOML file, or the name of a shipped config: {', '.join(configs.names())}."),
    ],
    runs: Runs = Path("runs"),
    resume: Resume = False,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
) -> None:
    """Learn by self-play, then evaluate the result alone against tables of each opponent."""
    from train.config import read_config
    from train.run import checkpoint_of, train

    settings = read_config(configs.find(config))
    folder = runs / settings.name
    learn = partial(train, settings, folder, resume=resume, device=device)
    _learn(settings, folder, learn, checkpoint_of(settings, folder), f"wizard train {config}")


@app.command()
def rllib(
    config: Annotated[str, typer.Argument(help="A TOML file, or the name of the shipped config, rllib.")],
    address: Annotated[
        str, typer.Option(help="Of the Ray cluster; auto is this machine's, local starts one.")
    ] = "local",
    runs: Runs = Path("runs"),
    resume: Resume = False,
) -> None:
    """Learn by self-play on Ray RLlib, here or on a cluster, then evaluate the result as `train` does."""
    from train.config import read_toml
    from train.rllib_config import RLlibConfig

    settings = read_toml(configs.find(config), RLlibConfig)
    try:
        from train.rllib import CHECKPOINT, train
    except ImportError as missing:
        raise ModuleNotFoundError(f"{missing}: pip install 'wizard-env[rllib]'") from None
    folder = runs / settings.name
    learn = partial(train, settings, folder, address=address, resume=resume)
    _learn(settings, folder, learn, folder / CHECKPOINT, f"wizard rllib {config}")


def _learn(settings: "Run", folder: Path, learn: Callable[..., Path], checkpoint: Path, command: str) -> None:
    """Learn, evaluate what was learned, and say where everything lies."""
    from train.curves import CURVES
    from train.evaluate import Entrant, evaluate
    from wizard_env.loading import load
    from wizard_env.notation import write_records

    opponents = [Entrant(name, load(name)) for name in settings.evaluation.opponents]
    with training_bar(console) as bar:
        learn(report=bar.update)
    console.print(bar.summary())
    rules = settings.evaluation_rules()
    learned = Entrant(settings.name, load(str(folder)))
    records = []
    for opponent in opponents:
        field = [learned] + [opponent] * (rules.num_players - 1)
        result = evaluate(field, rules, settings.evaluation.games, settings.seed, NUM_RECORDS)
        show_evaluation(console, result, f"{settings.name} alone against {opponent.name}")
        records += result.records
    write_records(folder / RECORDS, records)
    elsewhere = "" if folder.parent == Path("runs") else f" --runs {folder.parent}"
    say(f"agent        {folder} (wizard evaluate {folder} ...)")
    say(f"checkpoint   {checkpoint} ({command}{elsewhere} --resume)")
    say(f"curves       {folder / CURVES}, and tensorboard --logdir {folder}")
    say(f"records      {folder / RECORDS}")


@app.command()
def evaluate(
    agents: Agents,
    players: Players = "4",
    games: Annotated[int, typer.Option(help="How many deals of a whole game.")] = 100,
    seed: Seed = 0,
    hand_sizes: HandSizes = "",
    bid_restriction: Restriction = "free",
    bid_reveal: Reveal = "open",
    magic_edition: MagicEdition = False,
    workers: WorkerCount = 1,
    ray: RayAddress = None,
    details: Annotated[bool, typer.Option(help="Show bids by hand size and by position too.")] = False,
    json: JsonFile = None,
    report: ReportFile = None,
    plots: PlotFolder = None,
    records: Annotated[Path | None, typer.Option(help="Write the first games to this file.")] = None,
) -> None:
    """Compare agents on the same deals; each plays every seat of every deal.

    With fewer agents than players, agents take several seats: A against B at 4 seats is A B A B.
    For A alone against B, name B three times: A B B B.
    """
    from train.evaluate import evaluate
    from train.workers import workers as open_workers

    outputs = Outputs(json, report, plots, records)
    tables = rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    num_records = NUM_RECORDS if records else 0
    with open_workers(workers, ray) as spread:
        shown = with_progress(spread)
        results = [evaluate(agents, rules, games, seed, num_records, shown) for rules in tables]
    if not outputs.prints_json:
        for result in results:
            title = f"{games} deals of {result.rules.num_players} players, seed {seed}"
            show_evaluation(console, result, title, details)
        show_sizes(console, results)
    outputs.write_evaluations(results, f"Wizard: {', '.join(dict.fromkeys(agents))}")


@app.command()
def league(
    folder: Annotated[Path, typer.Argument(help="Where the league's results are kept.")],
    agents: Annotated[list[str], typer.Argument(help="Names of agents, or folders of runs; all different.")],
    players: Players = "4",
    games: Annotated[int, typer.Option(help="How many deals of a whole game each table plays.")] = 100,
    seed: Seed = 0,
    hand_sizes: HandSizes = "",
    bid_restriction: Restriction = "free",
    bid_reveal: Reveal = "open",
    magic_edition: MagicEdition = False,
    workers: WorkerCount = 1,
    ray: RayAddress = None,
    json: JsonFile = None,
    report: ReportFile = None,
    plots: PlotFolder = None,
    records: Annotated[Path | None, typer.Option(help="Write a game of every table to this file.")] = None,
) -> None:
    """Rate many agents at tables of different ones, all tables on the same deals.

    A league that was interrupted goes on where it stood; with another agent, only the tables
    with that agent are played.
    """
    from train.league import play_league
    from train.workers import workers as open_workers

    outputs = Outputs(json, report, plots, records)
    tables = rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    with open_workers(workers, ray) as spread:
        result = play_league(folder, agents, tables, games, seed, with_progress(spread), bool(records))
    if not outputs.prints_json:
        show_league(console, result)
    outputs.write_league(result, f"Wizard: league {folder.name}")


@app.command()
def exploit(
    agent: Annotated[str, typer.Argument(help="Name of an agent, or the folder of a run.")],
    players: Annotated[int, typer.Option(help="3 to 6.")] = 4,
    decisions: Annotated[int, typer.Option(help="How many decisions to learn from.")] = 1_000_000,
    games: Annotated[int, typer.Option(help="How many deals of a whole game measure the gain.")] = 300,
    seed: Annotated[int, typer.Option(help="The same seed, the same result.")] = 0,
    hand_sizes: HandSizes = "",
    bid_restriction: Restriction = "free",
    bid_reveal: Reveal = "open",
    magic_edition: MagicEdition = False,
    runs: Annotated[Path, typer.Option(help="The training is kept in a folder here.")] = Path("runs"),
    json: JsonFile = None,
) -> None:
    """Train a learner alone against copies of an agent: what it gains, the agent can lose at least.

    A training that was interrupted goes on where it stood.
    """
    from train.exploit import exploit, run_name

    outputs = Outputs(json)
    rules = rules_for(str(players), hand_sizes, bid_restriction, bid_reveal, magic_edition)[0]
    folder = runs / run_name(agent, rules, seed)
    with training_bar(console) as bar:
        found = exploit(agent, rules, folder, decisions, games, seed, bar.update)
    if not outputs.prints_json:
        show_exploit(console, found)
        say(f"response     {folder} (wizard evaluate {folder} {agent} ...)")
    outputs.write_exploit(found)


@app.command()
def export(
    agent: Annotated[str, typer.Argument(help="champion, or the folder of a run.")],
    file: Annotated[Path, typer.Argument(metavar="FILE.onnx", help="What to write.")],
) -> None:
    """Write an agent's network as ONNX, for programs in other languages."""
    from agents.export import export

    export(agent, file)
    say(f"network      {file}")


@app.command()
def bench(
    quick: Annotated[bool, typer.Option(help="Seconds instead of minutes; rough numbers.")] = False,
) -> None:
    """Measure speed against peers; needs a checkout of the project and its extra `bench`."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        from benchmarks.run import main as run_benchmarks
        from benchmarks.table import render
    except ModuleNotFoundError as missing:
        raise ValueError(
            f"no module {missing.name!r}: run `wizard bench` at the root of a checkout, "
            "with the extra `bench` installed"
        ) from None
    console.print(render(run_benchmarks(quick=quick)))
