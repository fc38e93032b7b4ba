"""`wizard serve`: the browser table."""

import socket
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import Annotated

import typer

from wizard_env.play.report.console import say
from wizard_env.records.files import check_folder

OFFERED = ["random", "rule_based", "heuristic", "search:worlds=64", "champion+search:worlds=32", "champion"]
"""Who may sit at the tables if nobody else is named; the last is who sits there at first."""
LARGEST_FRAME = 8192
"""Bytes of a websocket's message; what is longer ends the connection before it is read."""


def serve(
    agents: Annotated[
        list[str] | None,
        typer.Argument(help=f"Who may sit at the tables and give hints.  [{' '.join(OFFERED)}]"),
    ] = None,
    host: Annotated[str, typer.Option(help="0.0.0.0 lets others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free one.")] = 8000,
    database: Annotated[Path, typer.Option(help="Where tables are kept.")] = Path("wizard.sqlite"),
    records: Annotated[
        Path | None, typer.Option(help="Write games that are over to this folder, a file for each table.")
    ] = None,
) -> None:
    """Serve tables for people and agents to browsers."""
    for path in (database, records):
        if path:
            check_folder(path)
    import uvicorn

    from wizard_env.play.web.server import make_app

    app = make_app(database, agents or OFFERED, records)
    listening = socket.create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)

    say(f"tables       http://{host}:{listening.getsockname()[1]}")
    say(f"kept in      {database}")
    if records:
        say(f"records      {records}")
    config = uvicorn.Config(app, log_level="warning", ws_max_size=LARGEST_FRAME)
    uvicorn.Server(config).run(sockets=[listening])
