"""`wizard serve`: tables in the browser."""

import socket
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import Annotated

import typer

from wizard_env.play.cli.compiling import compile_all
from wizard_env.play.report.console import say

OFFERED = ["random", "rule_based", "heuristic", "search:worlds=64", "champion+search:worlds=32", "champion"]
"""Agents offered if none are named; the last one is preselected for every seat."""
LARGEST_FRAME = 8192
"""Bytes of a websocket message, at most; a longer one closes the connection before it is read."""


def serve(
    agents: Annotated[
        list[str] | None,
        typer.Argument(help="Agents that can play and give hints.", show_default=" ".join(OFFERED)),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other computers connect.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = 8000,
    database: Annotated[Path, typer.Option(help="File that tables are saved in.")] = Path("wizard.sqlite"),
    records: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write finished games to this folder, one file per table."),
    ] = None,
) -> None:
    """Serve tables for people and agents in the browser."""
    import uvicorn

    from wizard_env.play.web.server import make_app
    from wizard_env.records.files import check_folder

    for path in (database, records):
        if path:
            check_folder(path)

    app = make_app(database, agents or OFFERED, records)
    listening = socket.create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)

    compile_all()
    say(f"tables       http://{host}:{listening.getsockname()[1]}")
    say(f"saved in     {database}")
    if records:
        say(f"records      {records}")
    config = uvicorn.Config(app, log_level="warning", ws_max_size=LARGEST_FRAME)
    uvicorn.Server(config).run(sockets=[listening])
