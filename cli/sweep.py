"""`wizard sweep`: a search for better values of a config's keys."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env import configs
from wizard_env.cli.console import console, say, show_grid
from wizard_env.cli.next_steps import format_command
from wizard_env.cli.options import AllowPrograms, Changes, RunSeed
from wizard_env.cli.stopping import stoppable
from wizard_env.evaluation.report.grids import Grid

if TYPE_CHECKING:
    from wizard_env.train.sweep import Trial

_SHOWN = 10
"""Trials that are listed."""


def sweep(
    config: Annotated[
        str, typer.Argument(help=f"A TOML file, or an included config: {', '.join(configs.names())}.")
    ],
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUES",
            help="Values to search: learning.learning_rate=1e-4..1e-2:log, learning.epochs=1..4 or "
            "learning.layers=[64],[128,128]; may be given several times.",
        ),
    ],
    changes: Changes = None,
    folder: Annotated[Path, typer.Option(help="Folder for the sweep.")] = Path("runs/sweep"),
    trials: Annotated[
        int, typer.Option(min=1, help="Number of runs, including earlier ones in the folder.")
    ] = 20,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes that train.")] = 1,
    against: Annotated[str, typer.Option(help="The agent that runs are rated against.")] = "heuristic",
    games: Annotated[int, typer.Option(min=2, help="Deals of each rating.")] = 50,
    ratings: Annotated[int, typer.Option(min=1, help="Ratings of each run, each a chance to stop it.")] = 5,
    seed: RunSeed = 0,
    allow_programs: AllowPrograms = False,
) -> None:
    """Search for better values of a config's keys with Optuna; runs that fall behind are stopped early.

    An interrupted sweep continues where it stopped.
    """
    from wizard_env.train.sweep import STUDY, Sweep
    from wizard_env.train.sweep import sweep as search

    plan = Sweep(
        config=configs.find(config),
        changes=tuple(changes or ()),
        vary=tuple(vary),
        folder=folder,
        against=against,
        games=games,
        ratings=ratings,
        trials=trials,
        allow_programs=allow_programs,
        seed=seed,
    )
    with stoppable():
        found = search(plan, workers)
    show_grid(console, sweep_grid(found, against))
    chosen = [*(changes or ()), *(f"{key}={value}" for key, value in found[0].values.items())]
    options = [word for change in chosen for word in ("--set", change)]
    allowed = ["--allow-programs"] if allow_programs else []
    say(f"best         {format_command('train', config, *options, *allowed)}")
    say(f"study        {folder / STUDY}")


def sweep_grid(trials: Sequence["Trial"], against: str) -> Grid:
    """Return the best trials of a sweep, with the values of the keys that were searched."""
    keys = list(dict.fromkeys(key for trial in trials for key in trial.values))
    rows = []
    for trial in trials[:_SHOWN]:
        values = (trial.values.get(key, "") for key in keys)
        cells = (f"{value:.4g}" if isinstance(value, float) else str(value) for value in values)
        rows.append([str(trial.number), trial.state, f"{trial.points:+.0f}", *cells])
    return Grid(f"lead over {against}, points per game", ["trial", "state", "points", *keys], rows)
