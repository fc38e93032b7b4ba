"""`wizard dataset`: decisions of agents, as Parquet."""

import time
from pathlib import Path
from typing import Annotated

import typer

from wizard_env.cli.feedback.progress import with_progress
from wizard_env.cli.options import (
    Agents,
    HandSizes,
    MagicEdition,
    Players,
    RayAddress,
    Restriction,
    Reveal,
    Seed,
    WorkerCount,
    rules_for,
)
from wizard_env.evaluation.report.console import say


def dataset(
    folder: Annotated[Path, typer.Argument(help="Folder for the data set.")],
    agents: Agents,
    decisions: Annotated[
        int, typer.Option(help="Number of decisions; the last games are finished.")
    ] = 1_000_000,
    players: Players = "4",
    seed: Seed = 0,
    hand_sizes: HandSizes = "",
    bid_restriction: Restriction = "free",
    bid_reveal: Reveal = "open",
    magic_edition: MagicEdition = False,
    canonical_suits: Annotated[
        bool, typer.Option(help="Show suits in the acting seat's canonical order, as networks see them.")
    ] = False,
    skip_forced: Annotated[
        bool, typer.Option(help="Leave out decisions with a single legal action.")
    ] = False,
    records: Annotated[
        bool, typer.Option(help="Also write a record of every game, for replay and analyse.")
    ] = False,
    compression: Annotated[
        str, typer.Option(help="zstd, or lz4 or snappy: faster, twice the size.")
    ] = "zstd",
    workers: WorkerCount = 1,
    ray: RayAddress = None,
    minari: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Also add it to Minari's data sets, as in wizard/heuristic-v0."),
    ] = None,
) -> None:
    """Write decisions of agents into a folder of Parquet files; the agents take the seats in turn.

    An interrupted data set goes on where it stopped.
    """
    from wizard_env.evaluation.datasets.writing import write_dataset
    from wizard_env.evaluation.workers import workers as open_workers

    if minari is not None:
        from wizard_env.evaluation.datasets.minari import (
            add_to_minari,  # fails now rather than after the games
        )

    variants = rules_for(players, hand_sizes, bid_restriction, bid_reveal, magic_edition)
    began, written = time.perf_counter(), 0
    with open_workers(workers, ray) as spread:
        for count in write_dataset(
            folder,
            agents,
            variants,
            decisions,
            seed,
            canonical_suits=canonical_suits,
            skip_forced=skip_forced,
            records=records,
            compression=compression,  # type: ignore[arg-type]
            spread=with_progress(spread),
        ):
            written += count
    seconds = time.perf_counter() - began
    say(f"decisions    {written:,} written in {seconds:.1f} s, {written / seconds:,.0f} a second")
    say(f"data set     {folder} (wizard_env.evaluation.datasets.parquet.read_decisions)")
    if minari is not None:
        say(f"minari       {minari}: {add_to_minari(folder, minari):,} episodes")
