"""The command line: `wizard train`, `wizard evaluate`, `wizard bench`."""

import json
import logging
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

try:
    import typer
    from rich.console import Console
    from rich.logging import RichHandler
except ModuleNotFoundError as missing:
    raise SystemExit(f"wizard needs the module {missing.name!r}: pip install 'wizard-env[train]'") from None

import configs
from play.report import show_evaluation, training_bar
from wizard_env import Rules

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
console = Console()

RECORDS = "records.jsonl"
NUM_RECORDS = 4


def main() -> None:
    """Run the command line; an error that the user can mend is one line, and exit code 2."""
    complaints = Console(stderr=True)
    handler = RichHandler(console=complaints, show_path=False, show_time=False)
    logging.basicConfig(level="WARNING", format="%(message)s", handlers=[handler])
    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        complaints.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)


@app.command()
def train(
    config: Annotated[
        str, typer.Argument(help="A TOML file, or the name of a shipped config: quick, smoke.")
    ],
    runs: Annotated[Path, typer.Option(help="The folder that runs are written to.")] = Path("runs"),
    resume: Annotated[bool, typer.Option(help="Go on from the run's checkpoint.")] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
) -> None:
    """Learn by self-play, then evaluate the result alone against tables of each opponent."""
    from train.config import read_config
    from train.evaluate import Entrant, evaluate
    from train.run import CHECKPOINT, CURVES, train
    from wizard_env.loading import load
    from wizard_env.notation import write_records

    settings = read_config(configs.find(config))
    opponents = [Entrant(name, load(name)) for name in settings.evaluation.opponents]
    folder = runs / settings.name
    with training_bar(console) as bar:
        train(settings, folder, resume=resume, device=device, report=bar.update)
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
    elsewhere = "" if runs == Path("runs") else f" --runs {runs}"
    say(f"agent        {folder} (wizard evaluate {folder} ...)")
    say(f"checkpoint   {folder / CHECKPOINT} (wizard train {config}{elsewhere} --resume)")
    say(f"curves       {folder / CURVES}, and tensorboard --logdir {folder}")
    say(f"records      {folder / RECORDS}")


def say(line: str) -> None:
    """Print a line as it is, however long."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


@app.command()
def evaluate(
    agents: Annotated[list[str], typer.Argument(help="Names of agents, or folders of runs.")],
    players: Annotated[int, typer.Option(help="3 to 6.")] = 4,
    games: Annotated[int, typer.Option(help="How many deals of a whole game.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed, the same deals.")] = 0,
    hand_sizes: Annotated[str, typer.Option(help="Only these rounds, as in 1,2,3.")] = "",
    bid_restriction: Annotated[str, typer.Option(help="free, no_even, leader, canadian.")] = "free",
    bid_reveal: Annotated[str, typer.Option(help="open, simultaneous, secret.")] = "open",
    magic_edition: Annotated[bool, typer.Option(help="Play the Magic Edition.")] = False,
    records: Annotated[Path | None, typer.Option(help="Write the first games to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Compare agents on the same deals; each plays every seat of every deal.

    With fewer agents than players, agents take several seats: A against B at 4 seats is A B A B.
    For A alone against B, name B three times: A B B B.
    """
    from train.evaluate import evaluate
    from wizard_env.notation import write_records

    rules = Rules(
        num_players=players,
        bid_restriction=bid_restriction,  # type: ignore[arg-type]
        bid_reveal=bid_reveal,  # type: ignore[arg-type]
        magic_edition=magic_edition,
        hand_sizes=_numbers(hand_sizes),
    )
    result = evaluate(agents, rules, games, seed, NUM_RECORDS if records else 0)
    if records:
        write_records(records, result.records)
    if as_json:
        typer.echo(json.dumps([asdict(standing) for standing in result.standings], indent=2))
    else:
        show_evaluation(console, result, f"{games} games of {players} players, seed {seed}")


def _numbers(text: str) -> tuple[int, ...] | None:
    try:
        return tuple(int(number) for number in text.split(",")) if text else None
    except ValueError:
        raise ValueError(f"--hand-sizes {text!r}: allowed are whole numbers, as in 1,2,3") from None


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
