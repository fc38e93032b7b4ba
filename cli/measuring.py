"""Commands that measure agents and speed: `wizard evaluate`, `league`, `scorecard`, `exploit`, `bench`."""

import importlib.util
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wizard_env.cli.feedback.next_steps import command
from wizard_env.cli.feedback.progress import training_bar, with_progress
from wizard_env.cli.options import (
    Agents,
    Device,
    HandSizes,
    JsonFile,
    MagicEdition,
    Players,
    PlotFolder,
    RayAddress,
    ReportFile,
    Restriction,
    Reveal,
    RunSeed,
    Seed,
    Threads,
    WorkerCount,
    options_of,
    rules_for,
)
from wizard_env.cli.outputs import Outputs, files_of
from wizard_env.evaluation.report.console import (
    console,
    say,
    show_evaluation,
    show_exploit,
    show_league,
    show_scorecard,
    show_sizes,
)
from wizard_env.extras import extra


def evaluate(
    agents: Agents,
    players: Players = "4",
    games: Annotated[int, typer.Option(help="Number of deals; a deal is a whole game.")] = 100,
    seed: Seed = 0,
    hand_sizes: HandSizes = "",
    bid_restriction: Restriction = "free",
    bid_reveal: Reveal = "open",
    magic_edition: MagicEdition = False,
    workers: WorkerCount = 1,
    threads: Threads = None,
    ray: RayAddress = None,
    details: Annotated[bool, typer.Option(help="Also show bids by hand size and by position.")] = False,
    json: JsonFile = None,
    report: ReportFile = None,
    plots: PlotFolder = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write records of all games to this file.")
    ] = None,
) -> None:
    """Compare agents on the same deals; each plays every seat of every deal.

    With fewer agents than players, agents take several seats: A and B at 4 seats sit A B A B.
    To test A alone against B, name B three times: A B B B.
    """
    from wizard_env.evaluation.evaluate import evaluate
    from wizard_env.evaluation.workers import workers as open_workers

    outputs = Outputs(json, report, plots, records, files_of(agents))
    variants = rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    num_records = games * len(agents) if records else 0
    with open_workers(workers, ray) as spread:
        shown = with_progress(spread)
        results = [evaluate(agents, rules, games, seed, num_records, shown) for rules in variants]
    if not outputs.prints_json:
        for result in results:
            title = f"{games} deals with {result.rules.num_players} players, seed {seed}"
            show_evaluation(console, result, title, details)
        show_sizes(console, results)
    outputs.write_evaluations(results, f"Wizard: {', '.join(dict.fromkeys(agents))}")


def league(
    folder: Annotated[Path, typer.Argument(help="Folder for the league's results.")],
    agents: Annotated[list[str], typer.Argument(help="Names of agents, or folders of runs; all different.")],
    players: Players = "4",
    games: Annotated[int, typer.Option(help="Number of deals per table; a deal is a whole game.")] = 100,
    seed: Seed = 0,
    hand_sizes: HandSizes = "",
    bid_restriction: Restriction = "free",
    bid_reveal: Reveal = "open",
    magic_edition: MagicEdition = False,
    workers: WorkerCount = 1,
    threads: Threads = None,
    ray: RayAddress = None,
    json: JsonFile = None,
    report: ReportFile = None,
    plots: PlotFolder = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a record of one game per table to this file.")
    ] = None,
) -> None:
    """Rate many agents at tables of different agents, with the same deals at every table.

    An interrupted league resumes where it stopped.
    When an agent is added, only the tables with that agent are played.
    """
    from wizard_env.evaluation.league import FILE_NAME, play_league
    from wizard_env.evaluation.workers import workers as open_workers

    outputs = Outputs(json, report, plots, records, (folder / FILE_NAME, *files_of(agents)))
    variants = rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    with open_workers(workers, ray) as spread:
        result = play_league(folder, agents, variants, games, seed, with_progress(spread), bool(records))
    if not outputs.prints_json:
        show_league(console, result)
    outputs.write_league(result, f"Wizard: league {folder.name}")


def scorecard(
    agent: Annotated[
        str, typer.Argument(help="Name of an agent, the folder of a run, or what runs your program.")
    ],
    effort: Annotated[
        str,
        typer.Option(help="full; or short, a tenth of the deals, for agents that take over 1 ms a decision."),
    ] = "full",
    name: Annotated[
        str | None, typer.Option(help="What the card calls the agent; by default what was given.")
    ] = None,
    note: Annotated[
        str, typer.Option(help="What the agent is and how others get it: kept on the card.")
    ] = "",
    workers: WorkerCount = 1,
    threads: Threads = None,
    ray: RayAddress = None,
    json: JsonFile = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the card with a radar plot to one HTML file.")
    ] = None,
) -> None:
    """Measure an agent by the fixed protocol of the leaderboard: one score, and what it is made of.

    0 is what random scores, 100 is what champion scores, at the same tables on the same deals.
    """
    from wizard_env.evaluation.scorecard.card import measure
    from wizard_env.evaluation.workers import workers as open_workers

    outputs = Outputs(json, report, inputs=files_of([agent]))
    with open_workers(workers, ray) as spread:
        card = measure(agent, name, effort, note, with_progress(spread))
    if not outputs.prints_json:
        show_scorecard(console, card)
    outputs.write_scorecard(card)


def exploit(
    agent: Annotated[str, typer.Argument(help="Name of an agent, or the folder of a run.")],
    players: Annotated[int, typer.Option(help="Number of players, 3 to 6.")] = 4,
    decisions: Annotated[int, typer.Option(min=1, help="Number of decisions to learn from.")] = 1_000_000,
    games: Annotated[
        int, typer.Option(help="Number of deals that measure the gain; a deal is a whole game.")
    ] = 300,
    seed: RunSeed = 0,
    hand_sizes: HandSizes = "",
    bid_restriction: Restriction = "free",
    bid_reveal: Reveal = "open",
    magic_edition: MagicEdition = False,
    runs: Annotated[Path, typer.Option(help="Folder for the training run.")] = Path("runs"),
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Begin as this network and measure the gain over it: its regret. Default: the agent itself.",
        ),
    ] = None,
    device: Device = "cpu",
    threads: Threads = None,
    json: JsonFile = None,
) -> None:
    """Train a learner alone against copies of an agent; what it gains is a lower bound on what they can lose.

    An interrupted training resumes where it stopped.
    """
    from wizard_env.train.exploit import exploit, run_name
    from wizard_env.train.parallel.devices import check_device

    check_device(device)
    outputs = Outputs(json, inputs=files_of([agent] if start is None else [agent, start]))
    rules = rules_for(str(players), hand_sizes, bid_restriction, bid_reveal, magic_edition)[0]
    folder = runs / run_name(agent, rules, seed, start)
    shown = Console(stderr=True) if outputs.prints_json else console
    with training_bar(shown, decisions, "the measuring of its gain") as bar:
        found = exploit(agent, rules, folder, decisions, games, seed, bar.update, start, device)
    if not outputs.prints_json:
        show_exploit(console, found)
        seated = [str(folder), *[agent] * (rules.num_players - 1)]
        again = command("evaluate", *seated, "--games", games, *options_of(rules))
        say(f"response     {folder}")
        say(f"evaluate it  {again}")
    outputs.write_exploit(found)


def export(
    agent: Annotated[str, typer.Argument(help="'champion', or the folder of a run.")],
    file: Annotated[Path, typer.Argument(metavar="FILE.onnx", help="The file to write.")],
) -> None:
    """Write an agent's network as ONNX, for programs in other languages."""
    from wizard_env.agents.export import export
    from wizard_env.files.writing import check_file

    check_file(file)
    export(agent, file)
    say(f"network      {file}")


def bench(
    quick: Annotated[bool, typer.Option(help="Take seconds instead of minutes, with rough numbers.")] = False,
) -> None:
    """Measure speed against peers; needs a checkout of the project and the extra `bench`."""
    _add_benchmarks(Path.cwd())
    with extra("bench"):
        from benchmarks.display import render
        from benchmarks.run import main as run_benchmarks
    console.print(render(run_benchmarks(quick=quick)))


def _add_benchmarks(checkout: Path) -> None:
    """Make the package `benchmarks` of a checkout importable, and nothing else in that folder.

    Raises FileNotFoundError if the folder is no checkout.
    """
    file = checkout / "benchmarks" / "__init__.py"
    if not file.is_file():
        raise FileNotFoundError(f"there is no {file}: run `wizard bench` at the root of a checkout")
    spec = importlib.util.spec_from_file_location(
        "benchmarks", file, submodule_search_locations=[str(file.parent)]
    )
    if spec is not None and spec.loader is not None:
        package = sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
