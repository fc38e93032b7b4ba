"""Commands that read game records: `wizard replay`, `analyse`, `convert`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env.checks import check_integer
from wizard_env.cli.feedback.console import console, say, show_grids
from wizard_env.cli.options import JsonFile
from wizard_env.cli.outputs import Outputs, files_of
from wizard_env.evaluation.report.grids import analysis_grids

if TYPE_CHECKING:
    from wizard_env import Game

_SHOWN = 10
"""Decisions that `analyse` shows without `--every`."""

_Records = Annotated[Path, typer.Argument(metavar="FILE", help="A file of records, one game per line.")]
_Number = Annotated[
    int | None, typer.Option("--game", help="Read only this game of the file, counted from 1.")
]


def replay(
    file: _Records,
    game: _Number = None,
    tables: Annotated[bool, typer.Option(help="Show the whole table before every action.")] = False,
    seat: Annotated[
        int | None, typer.Option(help="With --tables, show the view of this seat, from 1.")
    ] = None,
) -> None:
    """Print the games of a file trick by trick; every action is checked against the rules."""
    from wizard_env.narration import narrate_game
    from wizard_env.records.transcripts import transcribe

    if seat is not None and not tables:
        raise ValueError(f"--seat {seat} has no effect without --tables")
    for number, played in _read(file, game):
        say(f"Game {number}")
        if not tables:
            say("\n".join([*narrate_game(transcribe(played)), ""]))
            continue
        for replayed, action in played.retrace():
            _show_table(replayed, seat)
            replayed.step(action)
        _show_table(played, seat)


def _show_table(game: "Game", seat: int | None) -> None:
    from wizard_env.render.ansi import SceneText
    from wizard_env.words import label_seats

    players = game.rules.num_players
    if seat is not None:
        check_integer("--seat", seat, 1, players)
    scene = game.scene(None if seat is None else seat - 1)
    drawing = SceneText(scene, label_seats(players, game.players), console.is_terminal)
    pad = ["", *drawing.pad_lines()] if scene.pad else []
    say("\n".join([*drawing.lines(), *pad, ""]))


def analyse(
    file: _Records,
    game: _Number = None,
    by: Annotated[
        str, typer.Option(help="The agent that judges; it must be one that searches.")
    ] = "champion+search:worlds=32",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the judging agent.")] = 0,
    every: Annotated[bool, typer.Option(help="Show all decisions, in the order of play.")] = False,
    json: JsonFile = None,
) -> None:
    """Show where points were lost: judge every decision in a file by what its seat could know."""
    from wizard_env.evaluation.analysis import analyse
    from wizard_env.loading import load

    outputs = Outputs(json, inputs=(file, *files_of([by])))
    agent, found = load(by), []
    for number, played in _read(file, game):
        found.append(analyse(played, agent, by, seed))
        if not outputs.prints_json:
            show_grids(console, analysis_grids(found[-1], f"game {number}", None if every else _SHOWN))
    outputs.write_json([analysis.to_dict() for analysis in found])


def convert(
    file: _Records,
    out: Annotated[Path, typer.Argument(metavar="OUT.json", help="The file to write; - prints it.")],
    game: _Number = None,
) -> None:
    """Write games as JSON with every trick spelled out, for programs that do not know the rules."""
    from wizard_env.records.transcripts import transcribe

    outputs = Outputs(out, inputs=(file,))
    outputs.write_json([transcribe(played).to_dict() for _, played in _read(file, game)])


def _read(file: Path, number: int | None) -> "Iterator[tuple[int, Game]]":
    """Yield the games of a file, or one of them, with their numbers; at least one, or raise ValueError."""
    from wizard_env.records.game_records import read_records

    found = 0
    for found, game in enumerate(read_records(file), start=1):
        if number in (None, found):
            yield found, game
        if number == found:
            return
    if number is not None or not found:
        option = "" if number is None else f"--game {number}: "
        raise ValueError(f"{option}{file} has {found} games")
