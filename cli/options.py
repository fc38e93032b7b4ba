"""Options that several commands share, and the rules that they describe."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env import configs
from wizard_env.checks import quoted

if TYPE_CHECKING:
    from wizard_env import Rules


ADDITIONS = "wizard_env.commands"
"""The entry points of commands that other distributions add to `wizard`."""


def _use_threads(count: int | None) -> None:
    if count is not None:
        from wizard_env.evaluation.workers import limit_threads

        limit_threads(count)


Agents = Annotated[list[str], typer.Argument(help="Names of agents, or folders of runs.")]
Agent = Annotated[
    str, typer.Argument(help="Name of an agent, the folder of a run, or the command of your program.")
]
NumPlayers = Annotated[int, typer.Option("--players", help="Number of players, 3 to 6.")]
Players = Annotated[str, typer.Option(help="Number of players, 3 to 6, or several, as in 3,4,5,6.")]
Games = Annotated[int, typer.Option(help="Number of deals; a deal is a whole game.")]
Decisions = Annotated[int, typer.Option(min=1, help="Number of decisions to learn from.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same deals and random numbers.")]
RunSeed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="The same seed gives the same result.")]
HandSizes = Annotated[str, typer.Option(help="Play only rounds of these hand sizes, as in 1,2,3.")]
Restriction = Annotated[
    str, typer.Option(help="Bid restriction: free, no_even, leader, canadian, or your own.")
]
Reveal = Annotated[str, typer.Option(help="When bids are revealed: open, simultaneous or secret.")]
MagicEdition = Annotated[bool, typer.Option(help="Play the Magic Edition.")]
WorkerCount = Annotated[int, typer.Option(help="Number of processes that play.")]
Resume = Annotated[
    bool, typer.Option(help="Fail if there is no run to resume. An existing run is always resumed.")
]
Runs = Annotated[Path, typer.Option(help="Folder for runs.")]
Config = Annotated[
    str, typer.Argument(help=f"A TOML file, or the name of an included config: {', '.join(configs.names())}.")
]
Device = Annotated[str, typer.Option(help="Device of the network: cpu or cuda.")]
Threads = Annotated[
    int | None,
    typer.Option(
        callback=_use_threads,
        min=1,
        help="Maximum number of threads; by default OMP_NUM_THREADS, or one for each processor available "
        "to this process. Fewer are used where that is faster.",
    ),
]
AllowPrograms = Annotated[
    bool, typer.Option(help="Allow the config to run programs; they run with your rights.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key, as in learning.epochs=4; may be given several times.",
    ),
]
RayAddress = Annotated[
    str | None, typer.Option(help="Play on the Ray cluster at this address; 'local' starts one here.")
]
JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the results to this file as JSON; - prints it."),
]
ReportFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a report with plots and tables to one HTML file.")
]
PlotFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Write plots to this folder as PNG, SVG and PDF, tables as LaTeX, and numbers as CSV.",
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="NAME=TEXT",
        help="Show an agent under another name, as in runs/quick=PPO; may be given several times.",
    ),
]


def rules_for(
    players: str, hand_sizes: str, bid_restriction: str, bid_reveal: str, magic_edition: bool
) -> "list[Rules]":
    """Return the rules for each number of players. Raises ValueError if an option is wrong."""
    from wizard_env import Rules

    sizes = dict.fromkeys(whole_numbers("--players", players))
    if not sizes:
        raise ValueError("--players '': give at least one number of players, as in 4 or 3,4,5,6")
    try:
        return [
            Rules(
                num_players=num_players,
                bid_restriction=bid_restriction,  # type: ignore[arg-type]
                bid_reveal=bid_reveal,  # type: ignore[arg-type]
                magic_edition=magic_edition,
                hand_sizes=whole_numbers("--hand-sizes", hand_sizes) or None,
            )
            for num_players in sizes
        ]
    except ValueError as error:
        raise ValueError(_in_options(str(error))) from None


def _in_options(text: str) -> str:
    """Name the rules in a text as their options are typed: "num_players=9" as "--players 9"."""
    from wizard_env import Rules

    fields = "|".join(Rules().to_dict())
    return re.sub(rf"\b({fields})\b(?:\[\d+\])?(=?)", lambda one: _option(one[1]) + " " * len(one[2]), text)


def _option(field: str) -> str:
    """Return the option for a field of the rules."""
    return f"--{field.removeprefix('num_').replace('_', '-')}"


def read_labels(given: Sequence[str] | None, names: Iterable[str]) -> dict[str, str]:
    """Return the labels by name.

    Raises ValueError for a label without text, and for one of none of the names.
    """
    known, labels = list(dict.fromkeys(names)), {}
    for label in given or []:
        name, equals, text = label.rpartition("=")
        if not (name and equals and text):
            raise ValueError(f"--label {quoted(label)}: allowed is NAME=TEXT, as in runs/quick=PPO")
        if name not in known:
            raise ValueError(
                f"--label {quoted(label)}: there is no {quoted(name)}; there are {', '.join(known)}"
            )
        labels[name] = text
    return labels


def options_of(rules: "Rules") -> list[str]:
    """Return the options that `rules_for` reads as these rules, without defaults."""
    usual, options = type(rules)().to_dict(), []
    for name, value in rules.to_dict().items():
        option = _option(name)
        if value == usual[name]:
            continue
        options.append(option)
        if value is not True:
            options.append(",".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
    return options


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """Return the numbers given to an option, as in 3,4,5. Raises ValueError for anything else."""
    try:
        return tuple(int(number) for number in text.split(",")) if text else ()
    except ValueError:
        raise ValueError(f"{option} {quoted(text)}: allowed are whole numbers, as in 3,4,5") from None
