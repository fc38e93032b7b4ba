"""Commands that measure agents: `wizard evaluate`, `crossplay`, `league`, `curves` and others."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from wizard_env.cli import options
from wizard_env.cli.console import console, say, show_grid, show_grids
from wizard_env.cli.next_steps import format_command
from wizard_env.cli.outputs import Outputs, files_of, get_origin
from wizard_env.cli.progress import TaskProgress, show_progress, show_training, with_progress
from wizard_env.evaluation.report.grids import (
    breakdown_grids,
    crossplay_grids,
    evaluation_grids,
    exact_grids,
    exploit_grid,
    league_grids,
    scorecard_grids,
    seeds_grids,
    size_grid,
)
from wizard_env.evaluation.report.verdict import (
    crossplay_verdict,
    exact_verdict,
    exploit_verdict,
    league_verdict,
    scorecard_verdict,
    seeds_verdict,
)

if TYPE_CHECKING:
    from wizard_env import Rules


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
    label: options.Labels = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write records of all games to this file.")
    ] = None,
) -> None:
    """Compare agents on the same deals; each plays every seat of every deal.

    With fewer agents than players, agents take several seats: A and B at 4 seats sit A B A B.
    To test A alone against B, name B three times: A B B B.
    """
    from wizard_env.evaluation.evaluate import Entrant, evaluate
    from wizard_env.evaluation.workers import workers as start_workers
    from wizard_env.records.game_records import write_records

    outputs = Outputs(json, report, plots, records, files_of(agents))
    variants = options.rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    labels = options.read_labels(label, agents)
    loaded: dict[str, Entrant | str] = {name: Entrant(text, name) for name, text in labels.items()}
    entrants = [loaded.get(name, name) for name in agents]
    num_records = games * len(agents) if records else 0
    with start_workers(workers, ray) as spread:
        shown = with_progress(spread)
        results = [evaluate(entrants, rules, games, seed, num_records, shown) for rules in variants]
    if not outputs.prints_json:
        for result in results:
            title = f"{games} deals with {result.rules.num_players} players, seed {seed}"
            show_grids(console, evaluation_grids(result, title))
            show_grids(console, breakdown_grids(result) if details else [])
        if len(results) > 1:
            show_grid(console, size_grid(results))
    if records:
        write_records(records, [game for result in results for game in result.records])
    outputs.write_json([result.to_dict() for result in results], results[0].fingerprints)
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_evaluations

        title = f"Wizard: {', '.join(standing.name for standing in results[0].standings)}"
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
    label: options.Labels = None,
) -> None:
    """Rate many agents at tables of different agents, with the same deals at every table.

    An interrupted league continues where it stopped.
    When an agent is added, only the tables with that agent are played.
    """
    from wizard_env.evaluation.league import FILE_NAME, play_league
    from wizard_env.evaluation.workers import workers as start_workers

    outputs = Outputs(json, report, plots, inputs=(folder / FILE_NAME, *files_of(agents)))
    variants = options.rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    labels = options.read_labels(label, agents)
    with start_workers(workers, ray) as spread:
        found = play_league(folder, agents, variants, games, seed, with_progress(spread))
    result = found.relabelled(labels)
    if not outputs.prints_json:
        show_grids(console, league_grids(result))
        say(league_verdict(result))
    outputs.write_json(result.to_dict(), {one.name: one.fingerprint for one in result.ratings})
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_league

        outputs.write_report(report_league(result, f"Wizard: league {folder.name}", get_origin()))


def crossplay(
    agents: options.Agents,
    players: options.NumPlayers = 4,
    games: options.Games = 100,
    seed: options.Seed = 0,
    held_out: Annotated[
        list[str] | None,
        typer.Option("--held-out", metavar="AGENT", help="Also meet this agent; may be given several times."),
    ] = None,
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
    label: options.Labels = None,
) -> None:
    """Play each agent alone among copies of each other, and among copies of itself.

    Runs that differ by their seeds alone are groups, as in runs/quick-seed1 and runs/quick-seed2.
    """
    from wizard_env.evaluation.crossplay import cross_play
    from wizard_env.evaluation.duplicate_deals import Entrant
    from wizard_env.evaluation.seeds import group_of
    from wizard_env.evaluation.workers import workers as start_workers

    strangers = held_out or []
    outputs = Outputs(json, report, plots, inputs=files_of([*agents, *strangers]))
    (rules,) = options.rules_for(str(players), hand_sizes, bid_restriction, bid_reveal, magic_edition)
    families = {name: group_of(name) for name in (*agents, *strangers)}
    labels = options.read_labels(label, (*families, *families.values()))
    entrants = {name: Entrant(labels.get(name, name), name) for name in families}
    with start_workers(workers, ray) as spread:
        result = cross_play(
            [entrants[name] for name in agents],
            rules,
            games,
            seed,
            held_out=[entrants[name] for name in strangers],
            groups={entrants[name].name: labels.get(group, group) for name, group in families.items()},
            spread=with_progress(spread),
        )
    if not outputs.prints_json:
        show_grids(console, crossplay_grids(result))
        say(crossplay_verdict(result))
    values = result.to_dict()
    outputs.write_json(values, values.pop("fingerprints"))
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_crossplay

        outputs.write_report(report_crossplay(result, "Wizard: cross-play", get_origin()))


def curves(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Folders of runs, or folders that hold runs.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Plot this column of progress.csv; may be given several times."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Measure against this agent; may be given several times."),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT", help="Also score this agent, without seeds; may be given several times."
        ),
    ] = None,
    players: options.NumPlayers = 4,
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
    label: options.Labels = None,
) -> None:
    """Compare groups of runs that differ by their seeds: learning curves, and final scores.

    runs/quick-seed1 and runs/quick-seed2 are of the group quick, and so is runs/quick/seed3; groups of the
    same --label are one.
    """
    from wizard_env.evaluation.seeds import Group, average_curves, compare_groups, group_of, group_runs
    from wizard_env.evaluation.workers import workers as start_workers
    from wizard_env.train.selfplay.curves import CURVES, read_metric
    from wizard_env.train.selfplay.progress import BID_ACCURACY, POINTS

    names = [f"./{folder}" if len(folder.parts) == 1 else str(folder) for folder in _find_runs(runs)]
    agents, opponents = beside or [], against or ["rule_based", "heuristic", "champion"]
    labels = options.read_labels(label, [*map(group_of, names), *agents])
    groups = group_runs(names, labels)
    fixed = [Group(labels.get(name, name), (name,)) for name in agents]
    outputs = Outputs(json, report, plots, inputs=files_of([*names, *agents, *opponents]))
    (rules,) = options.rules_for(str(players), hand_sizes, bid_restriction, bid_reveal, magic_edition)
    averages = []
    for group in groups:
        files = [Path(run) / CURVES for run in group.runs]
        if not any(file.exists() for file in files):
            say(f"{group.name}: no curve, since its runs have no {CURVES}", Console(stderr=True))
            continue
        for one in metric or [BID_ACCURACY, POINTS]:
            averages.append(average_curves(group.name, one, [read_metric(file, one) for file in files]))
    with start_workers(workers, ray) as spread:
        result = compare_groups([*groups, *fixed], opponents, rules, games, seed, with_progress(spread))
    if not outputs.prints_json:
        show_grids(console, seeds_grids(result))
        say(seeds_verdict(result))
    values = result.to_dict() | {"curves": [asdict(one) for one in averages]}
    outputs.write_json(values, values.pop("fingerprints"))
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_seeds

        title = f"Wizard: {', '.join(group.name for group in groups)}"
        outputs.write_report(report_seeds(averages, result, title, get_origin()))


def _find_runs(folders: list[Path]) -> list[Path]:
    """Return the folders that are runs, and the runs in the others. Raises ValueError if there are none."""
    from wizard_env.agents.network import FILE_NAME

    found: list[Path] = []
    for folder in folders:
        inner = (
            [folder]
            if (folder / FILE_NAME).exists()
            else sorted(one.parent for one in folder.glob(f"*/{FILE_NAME}"))
        )
        if not inner:
            raise ValueError(f"{folder} is no run, and holds none: there is no {FILE_NAME}")
        found += inner
    return found


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

    0 is what random scores, 100 is what champion:goal=points scores, at the same tables on the same deals.
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
    outputs.write_json(card.to_dict(), {card.name: card.fingerprint})
    if outputs.wants_report:
        from wizard_env.evaluation.report.html import report_scorecard

        outputs.write_report(report_scorecard(card, f"Wizard: score card of {card.name}", get_origin()))


def exploit(
    context: typer.Context,
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
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Compute the gains of best responses in rounds of one card, with 3 or 4 players."
        ),
    ] = False,
) -> None:
    """Train a response to copies of an agent; its gain is a lower bound on what they can lose.

    An interrupted training continues where it stopped. With --exact nothing is trained.
    """
    if exact:
        for option in ("decisions", "games", "seed", "runs", "start", "device"):
            source = context.get_parameter_source(option)
            if source is not None and source.name == "COMMANDLINE":
                raise ValueError(f"--{option} {context.params[option]}: --exact trains no response")
        rules = options.rules_for(
            str(players), hand_sizes or "1", bid_restriction, bid_reveal, magic_edition
        )[0]
        _exploit_exactly(agent, rules, Outputs(json, inputs=files_of([agent])))
        return
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
    values = found.to_dict()
    outputs.write_json(values, values.pop("fingerprints"))


def _exploit_exactly(agent: str, rules: "Rules", outputs: Outputs) -> None:
    from wizard_env.cards import NUM_KINDS
    from wizard_env.evaluation.fingerprints import fingerprint
    from wizard_env.evaluation.one_card import measure_exactly
    from wizard_env.loading import load

    shown = Console(stderr=True) if outputs.prints_json else console
    progress = TaskProgress("counting", NUM_KINDS)

    def report(done: int) -> None:
        progress.done = done

    with show_progress(progress, shown, transient=True):
        found = measure_exactly(agent, rules, report)
    if not outputs.prints_json:
        show_grids(console, exact_grids(found))
        say(exact_verdict(found))
    outputs.write_json(found.to_dict(), {agent: fingerprint(agent, load(agent))})
