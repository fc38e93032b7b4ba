"""`wizard replay`: the games of a file of records, printed, judged or written as JSON."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env.checks import check_integer
from wizard_env.cli.console import console, say, show_grids
from wizard_env.cli.options import JsonFile, Seed
from wizard_env.cli.outputs import Outputs, files_of
from wizard_env.evaluation.report.grids import analysis_grids

if TYPE_CHECKING:
    from wizard_env import Game

_SHOWN = 10
"""Decisions that are shown without `--every`."""


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of records, one game per line.")],
    game: Annotated[int | None, typer.Option(help="Read only this game of the file, counted from 1.")] = None,
    tables: Annotated[bool, typer.Option(help="Show the whole table before every action.")] = False,
    seat: Annotated[
        int | None, typer.Option(help="Show the table as this seat sees it, from 1, before every action.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Judge every decision by what its seat could know, and show where points were lost. The "
            "agent must be one that searches, such as champion+search:worlds=32.",
        ),
    ] = None,
    seed: Seed = 0,
    every: Annotated[
        bool, typer.Option(help="With --judge, show all decisions, in the order of play.")
    ] = False,
    json: JsonFile = None,
) -> None:
    """Print the games of a file trick by trick; every action is checked against the rules.

    With --json, write every trick spelled out, for programs that do not know the rules; with --judge, the
    judgement of every decision.
    """
    if judge is not None:
        outputs = Outputs(json, inputs=(file, *files_of([judge])))
        _judge(_read(file, game), judge, seed, every, outputs)
        return
    outputs = Outputs(json, inputs=(file,))
    if json is None:
        _print(_read(file, game), tables, seat)
    else:
        from wizard_env.records.transcripts import transcribe

        outputs.write_json([transcribe(played).to_dict() for _, played in _read(file, game)])


def _print(games: "Iterable[tuple[int, Game]]", tables: bool, seat: int | None) -> None:
    from wizard_env.narration import narrate_game
    from wizard_env.records.transcripts import transcribe

    for number, played in games:
        say(f"Game {number}")
        if not tables and seat is None:
            say("\n".join([*narrate_game(transcribe(played)), ""]))
            continue
        for replayed, action in played.retrace():
            _show_table(replayed, seat)
            replayed.step(action)
        _show_table(played, seat)


def _show_table(game: "Game", seat: int | None) -> None:
    from wizard_env.render.ansi import text
    from wizard_env.words import label_seats

    players = game.rules.num_players
    if seat is not None:
        check_integer("--seat", seat, 1, players)
    scene = game.scene(None if seat is None else seat - 1)
    say(text(scene, console.is_terminal, label_seats(players, game.players)) + "\n")


def _judge(games: "Iterable[tuple[int, Game]]", judge: str, seed: int, every: bool, outputs: Outputs) -> None:
    from wizard_env.evaluation.analysis import analyse
    from wizard_env.evaluation.fingerprints import fingerprint
    from wizard_env.loading import load

    agent, found = load(judge), []
    for number, played in games:
        found.append(analyse(played, agent, judge, seed))
        if not outputs.prints_json:
            show_grids(console, analysis_grids(found[-1], f"game {number}", None if every else _SHOWN))
    outputs.write_json([analysis.to_dict() for analysis in found], {judge: fingerprint(judge, agent)})


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
