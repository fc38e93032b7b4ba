"""`wizard play` and `wizard serve`: a game in the terminal, and tables in the browser."""

import sys
import threading
from collections import deque
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wizard_env.checks import check_integer, printable
from wizard_env.cli import options
from wizard_env.cli.console import say
from wizard_env.cli.speed import behind, compile_missing
from wizard_env.files import check_file, check_folder_with_parent

if TYPE_CHECKING:
    from wizard_env import Game

OFFERED = ["rule_based", "heuristic", "search:worlds=64", "champion+search:worlds=32", "adaptive"]
"""Agents offered if none are named, the strongest last."""
_OPTION = "--{} {}"
"""An option and its value."""
LARGEST_MESSAGE = 4096
"""The most bytes of a websocket message; a longer one closes the connection before it is read."""
_Language = Annotated[
    str | None,
    typer.Option(
        metavar="[ca|de|es|en|pt]", help="The language; by default that of the environment (LANGUAGE, LANG)."
    ),
]


def play(
    agents: Annotated[
        list[str] | None,
        typer.Argument(help="Your opponents, from your left; repeated if too few.", show_default="champion"),
    ] = None,
    players: options.NumPlayers = 4,
    seat: Annotated[int, typer.Option(help="Your seat, from 1.")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the deals; random by default.")] = None,
    hand_sizes: options.HandSizes = "",
    bid_restriction: options.Restriction = "free",
    bid_reveal: options.Reveal = "open",
    magic_edition: options.MagicEdition = False,
    hint: Annotated[str, typer.Option(help="The agent that gives hints.")] = "champion+search:worlds=32",
    language: _Language = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append the game to this file of records.")
    ] = None,
) -> None:
    """Play against agents in the terminal."""
    from wizard_env.agents.assessment import expects_points
    from wizard_env.compiled.all_kernels import be_quiet, compile_behind, missing_kernels
    from wizard_env.compiled.patience import patience
    from wizard_env.evaluation.advice import Advice, advise
    from wizard_env.loading import load
    from wizard_env.records.game_records import write_records
    from wizard_env.session import PERSON, Session, fresh_seed, seat_agents
    from wizard_table.terminal.lines import Terminal
    from wizard_table.translation import environment_language, t, use_language

    rules = options.rules_for(str(players), hand_sizes, bid_restriction, bid_reveal, magic_edition)[0]
    check_integer("--seat", seat, 1, players)
    use_language(language or environment_language())
    if records:
        check_file(records)
        _read_games(records)  # fails now rather than after the game
    others = agents or ["champion"]
    seats = seat_agents(others, seat - 1, players)
    session = Session(rules, seats, fresh_seed() if seed is None else seed, t=t)
    session.game.players = tuple(PERSON if name is None else printable(name) for name in seats)
    be_quiet()
    adviser, compiled = load(hint), threading.Event()

    def compile_quietly() -> None:
        with patience(), suppress(BrokenProcessPool):  # when the game ends before
            deque(compile_behind(missing_kernels()), maxlen=0)
        compiled.set()

    def ask_adviser(game: "Game") -> Advice:
        if not compiled.is_set():
            say(t("{agent} is thinking …", agent=hint))
            compiled.wait()  # its playouts would take minutes in plain Python
        return advise(adviser, game)

    if any(expects_points(load(name)) for name in others):
        compile_missing()
    try:
        with behind(compile_quietly):
            Terminal(session, seat - 1, ask_adviser, sys.stdin, sys.stdout).run()
    finally:
        if records:
            write_records(records, [*_read_games(records), session.game])


def _read_games(file: Path) -> "list[Game]":
    """Read the games already in a file. Raises RecordError if a line is not a record."""
    from wizard_env.records.game_records import read_records

    return list(read_records(file)) if file.is_file() else []


def serve(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Agents that can play and give hints; the last one plays for people who leave.",
            show_default=" ".join(OFFERED),
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other computers connect.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = 8000,
    public_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Address at which others reach this server, as through a proxy."),
    ] = None,
    database: Annotated[Path, typer.Option(help="File in which tables are saved.")] = Path("wizard.sqlite"),
    records: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write finished games to this folder, one file per table."),
    ] = None,
) -> None:
    """Serve tables for people and agents in the browser."""
    import uvicorn

    from wizard_env.llm.ports import open_port
    from wizard_table.web.addresses import Addresses
    from wizard_table.web.readiness import Readiness, prepare
    from wizard_table.web.server import make_app

    check_file(database)
    if records:
        check_folder_with_parent(records)

    with open_port(host, port, _OPTION) as listening:
        addresses, readiness = Addresses(host, listening.getsockname()[1], public_url), Readiness()
        offered = agents or OFFERED
        app = make_app(database, offered, records, addresses, readiness)
        config = uvicorn.Config(
            app,
            log_config=None,  # uvicorn's own would close all handlers of the process
            log_level="warning",
            ws_max_size=LARGEST_MESSAGE,
            proxy_headers=public_url is not None,
        )
        server = uvicorn.Server(config)
        failures: list[Exception] = []

        def get_ready() -> None:
            try:
                prepare(offered, readiness, partial(compile_missing, behind=True))
            except Exception as error:
                if not server.should_exit:
                    failures.append(error)
                server.should_exit = True

        say(f"tables       {addresses.public_address(host)}")
        say(f"saved in     {database}")
        if records:
            say(f"records      {records}")
        with behind(get_ready):
            server.run(sockets=[listening])  # returns when the server is stopped
            server.should_exit = True  # so that what is compiled no more is no failure
    for failure in failures:
        raise failure
