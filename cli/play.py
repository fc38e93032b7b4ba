"""`wizard play`: a game against agents in the terminal."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env.checks.arguments import check_integer, printable
from wizard_env.cli import options
from wizard_env.files.outputs import check_file

if TYPE_CHECKING:
    from wizard_env import Game


def play(
    agents: Annotated[
        list[str] | None,
        typer.Argument(help="Your opponents, from your left; repeated if too few.", show_default="champion"),
    ] = None,
    players: Annotated[int, typer.Option(help="Number of players, 3 to 6.")] = 4,
    seat: Annotated[int, typer.Option(help="Your seat, from 1.")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the deals; random by default.")] = None,
    hand_sizes: options.HandSizes = "",
    bid_restriction: options.Restriction = "free",
    bid_reveal: options.Reveal = "open",
    magic_edition: options.MagicEdition = False,
    hint: Annotated[str, typer.Option(help="The agent that gives hints.")] = "champion+search:worlds=32",
    seconds: Annotated[
        float, typer.Option(min=0, help="Seconds that each agent waits before it acts.")
    ] = 0.6,
    plain: Annotated[
        bool, typer.Option(help="Play in plain lines of text, as always if input or output is a pipe.")
    ] = False,
    language: options.Language = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append the game to this file of records.")
    ] = None,
) -> None:
    """Play against agents in the terminal."""
    from wizard_env.loading import load
    from wizard_env.play.language.translation import environment_language, use_language
    from wizard_env.play.session import PERSON, Session, fresh_seed, seat_agents
    from wizard_env.play.terminal.lines import PlainTerminal
    from wizard_env.records.game_records import write_records

    rules = options.rules_for(str(players), hand_sizes, bid_restriction, bid_reveal, magic_edition)[0]
    check_integer("--seat", seat, 1, players)
    use_language(language or environment_language())
    if records:
        check_file(records)
        _read_games(records)  # fails now rather than after the game
    others = agents or ["champion"]
    seats = seat_agents(others, seat - 1, players)
    if "human" in others:
        raise ValueError("'human': only one person sits at this table; `wizard serve` has tables for several")
    session = Session(rules, seats, fresh_seed() if seed is None else seed)
    session.game.players = tuple(PERSON if name is None else printable(name) for name in seats)
    adviser = load(hint)
    try:
        if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
            PlainTerminal(session, seat - 1, adviser, sys.stdin, sys.stdout).run()
        else:
            from wizard_env.play.terminal.full_screen import TerminalApp

            TerminalApp(session, seat - 1, adviser, seconds).run()
    finally:
        if records:
            write_records(records, [*_read_games(records), session.game])


def _read_games(file: Path) -> "list[Game]":
    """Read the games already in a file. Raises RecordError if a line is not a record."""
    from wizard_env.records.game_records import read_records

    return list(read_records(file)) if file.is_file() else []
