"""Commands that measure agents: `wizard evaluate`, `league`, `scorecard`, `exploit`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wizard_env.cli import options
from wizard_env.cli.console import console, say, show_grid, show_grids
from wizard_env.cli.next_steps import format_command
from wizard_env.cli.outputs import Outputs, files_of, get_origin
from wizard_env.cli.progress import show_training, with_progress
from wizard_env.evaluation.report.grids import (
    breakdown_grids,
    evaluation_grids,
    exploit_grid,
    league_grids,
    scorecard_grids,
    size_grid,
)
from wizard_env.evaluation.report.verdict import exploit_verdict, scorecard_verdict


def evaluate(
    agents: options.Agents,
    players: options.Players = "4",
    games: options.Games = 100,
    seed: options.Seed = 0,
    hand_sizes: options.HandSizes = "",
    bid_restriction: options.Restriction = "free",
    bid_reveal: options.Reveal = "open",
    magic_edition: options.MagicEdition = False,
    workers: options.WorkerCount = 1,
    threads: options.Threads = None,
    ray: options.RayAddress = None,
    details: Annotated[bool, typer.Option(help="Also show bids by hand size and by position.")] = False,
    json: options.JsonFile = None,
    report: options.ReportFile = None,
    plots: options.PlotFolder = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write records of all games to this file.")
    ] = None,
) -> None:
    """Compare agents on the same deals; each plays every seat of every deal.

    With fewer agents than players, agents take several seats: A and B at 4 seats sit A B A B.
    To test A alone against B, name B three times: A B B B.
    """
    from wizard_env.evaluation.evaluate import evaluate
    from wizard_env.evaluation.workers import workers as start_workers
    from wizard_env.records.game_records import write_records

    outputs = Outputs(json, report, plots, records, files_of(agents))
    variants = options.rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    num_records = games * len(agents) if records else 0
    with start_workers(workers, ray) as spread:
        shown = with_progress(spread)
        results = [evaluate(agents, rules, games, seed, num_records, shown) for rules in variants]
    if not outputs.prints_json:
        for result in results:
            title = f"{games} deals with {result.rules.num_players} players, seed {seed}"
            show_grids(console, evaluation_grids(result, title))
            show_grids(console, breakdown_grids(result) if details else [])
        if len(results) > 1:
            show_grid(console, size_grid(results))
    if records:
        write_records(records, [game for result in results for game in result.records])
    outputs.write_json([result.to_dict() for result in results])
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_evaluations

        title = f"Wizard: {', '.join(dict.fromkeys(agents))}"
        outputs.write_report(report_evaluations(results, title, get_origin()))


def league(
    folder: Annotated[Path, typer.Argument(help="Folder for the league's results.")],
    agents: options.Agents,
    players: options.Players = "4",
    games: options.Games = 100,
    seed: options.Seed = 0,
    hand_sizes: options.HandSizes = "",
    bid_restriction: options.Restriction = "free",
    bid_reveal: options.Reveal = "open",
    magic_edition: options.MagicEdition = False,
    workers: options.WorkerCount = 1,
    threads: options.Threads = None,
    ray: options.RayAddress = None,
    json: options.JsonFile = None,
    report: options.ReportFile = None,
    plots: options.PlotFolder = None,
) -> None:
    """Rate many agents at tables of different agents, with the same deals at every table.

    An interrupted league continues where it stopped.
    When an agent is added, only the tables with that agent are played.
    """
    from wizard_env.evaluation.league import FILE_NAME, play_league
    from wizard_env.evaluation.workers import workers as start_workers

    outputs = Outputs(json, report, plots, inputs=(folder / FILE_NAME, *files_of(agents)))
    variants = options.rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    with start_workers(workers, ray) as spread:
        result = play_league(folder, agents, variants, games, seed, with_progress(spread))
    if not outputs.prints_json:
        show_grids(console, league_grids(result))
    outputs.write_json(result.to_dict())
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_league

        outputs.write_report(report_league(result, f"Wizard: league {folder.name}", get_origin()))


def scorecard(
    agent: options.Agent,
    effort: Annotated[
        str,
        typer.Option(
            help="full; short: a tenth of the deals, for agents slower than 1 ms per decision; few: 6 short "
            "games in every seat, for language models."
        ),
    ] = "full",
    name: Annotated[
        str | None, typer.Option(help="Name of the agent on the card; by default AGENT as given.")
    ] = None,
    note: Annotated[
        str, typer.Option(help="Description of the agent and how others get it, kept on the card.")
    ] = "",
    workers: options.WorkerCount = 1,
    threads: options.Threads = None,
    ray: options.RayAddress = None,
    json: options.JsonFile = None,
    report: options.ReportFile = None,
) -> None:
    """Measure an agent by the fixed protocol of the leaderboard: one score and its parts.

    0 is what random scores, 100 is what champion scores, at the same tables on the same deals.
    """
    from wizard_env.checks import check_choice
    from wizard_env.evaluation.protocol import EFFORTS
    from wizard_env.evaluation.scorecard import measure
    from wizard_env.evaluation.workers import workers as start_workers

    outputs = Outputs(json, report, inputs=files_of([agent]))
    check_choice("effort", effort, tuple(EFFORTS))
    with start_workers(workers, ray) as spread:
        card = measure(agent, name, effort, note, with_progress(spread))
    if not outputs.prints_json:
        show_grids(console, scorecard_grids(card))
        say(scorecard_verdict(card))
    outputs.write_json(card.to_dict())
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_scorecard

        outputs.write_report(report_scorecard(card, f"Wizard: score card of {card.name}", get_origin()))


def exploit(
    agent: options.Agent,
    players: options.NumPlayers = 4,
    decisions: options.Decisions = 1_000_000,
    games: options.Games = 300,
    seed: options.RunSeed = 0,
    hand_sizes: options.HandSizes = "",
    bid_restriction: options.Restriction = "free",
    bid_reveal: options.Reveal = "open",
    magic_edition: options.MagicEdition = False,
    runs: options.Runs = Path("runs"),
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Start from this network and measure the gain over it, its regret; the agent if omitted.",
        ),
    ] = None,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    json: options.JsonFile = None,
) -> None:
    """Train a response to copies of an agent; its gain is a lower bound on what they can lose.

    An interrupted training continues where it stopped.
    """
    from wizard_env.train.exploit import exploit, run_name
    from wizard_env.train.networks.devices import check_device

    check_device(device)
    outputs = Outputs(json, inputs=files_of([agent] if start is None else [agent, start]))
    rules = options.rules_for(str(players), hand_sizes, bid_restriction, bid_reveal, magic_edition)[0]
    folder = runs / run_name(agent, rules, seed, start)
    shown = Console(stderr=True) if outputs.prints_json else console
    with show_training(shown, decisions, "measuring its gain") as bar:
        found = exploit(
            agent,
            rules,
            folder,
            decisions=decisions,
            games=games,
            seed=seed,
            report=bar.update,
            start=start,
            device=device,
        )
    if not outputs.prints_json:
        show_grid(console, exploit_grid(found))
        say(exploit_verdict(found))
        seated = [str(folder), *[agent] * (rules.num_players - 1)]
        say(f"response     {folder}")
        again = format_command("evaluate", *seated, "--games", games, *options.options_of(rules))
        say(f"evaluate it  {again}")
    outputs.write_json(asdict(found))
