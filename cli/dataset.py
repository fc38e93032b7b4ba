"""`wizard dataset`: decisions of agents, as Parquet."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wizard_env.cli import options
from wizard_env.cli.console import say
from wizard_env.cli.progress import TaskProgress, show_progress, with_progress


def dataset(
    folder: Annotated[Path, typer.Argument(help="Folder for the data set.")],
    agents: options.Agents,
    decisions: Annotated[
        int, typer.Option(help="Number of decisions; a few more are written, as games are played to the end.")
    ] = 1_000_000,
    players: options.Players = "4",
    seed: options.Seed = 0,
    hand_sizes: options.HandSizes = "",
    bid_restriction: options.Restriction = "free",
    bid_reveal: options.Reveal = "open",
    magic_edition: options.MagicEdition = False,
    canonical_suits: Annotated[
        bool, typer.Option(help="Show suits in the acting seat's canonical order, as networks see them.")
    ] = False,
    skip_forced: Annotated[
        bool, typer.Option(help="Leave out decisions with a single legal action.")
    ] = False,
    records: Annotated[
        bool, typer.Option(help="Also write a record of every game, for `wizard replay`.")
    ] = False,
    workers: options.WorkerCount = 1,
    ray: options.RayAddress = None,
    minari: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Also add it to Minari under this ID, as in wizard/heuristic-v0."),
    ] = None,
) -> None:
    """Write decisions of agents into a folder of Parquet files; the agents take the seats in turn.

    An interrupted data set continues where it stopped.
    """
    from wizard_env.evaluation.datasets.writer import write_dataset
    from wizard_env.evaluation.workers import workers as start_workers

    if minari is not None:
        # fails now rather than after the games
        from wizard_env.evaluation.datasets.minari import check_minari

        check_minari(minari)
    variants = options.rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    began, written = time.perf_counter(), 0
    with start_workers(workers, ray) as spread:
        for count in write_dataset(
            folder,
            agents,
            variants,
            decisions,
            seed,
            canonical_suits=canonical_suits,
            skip_forced=skip_forced,
            records=records,
            spread=with_progress(spread),
        ):
            written += count
    seconds = time.perf_counter() - began
    say(f"decisions    {written:,} written in {seconds:.1f} s, {written / seconds:,.0f} a second")
    say(f"data set     {folder} (wizard_env.evaluation.datasets.parquet.read_decisions)")
    if minari is not None:
        say(f"minari       {minari}: {_add_to_minari(folder, minari):,} episodes")


def _add_to_minari(folder: Path, dataset_id: str) -> int:
    """Add a data set to Minari, and show the progress; return the number of episodes."""
    from wizard_env.evaluation.datasets.minari import add_to_minari
    from wizard_env.evaluation.datasets.parquet import count_decisions

    shown, episodes = TaskProgress("minari", count_decisions(folder)), 0
    with show_progress(shown, Console(stderr=True), transient=True):
        for block in add_to_minari(folder, dataset_id):
            shown.done += block.decisions
            episodes += block.episodes
    return episodes
