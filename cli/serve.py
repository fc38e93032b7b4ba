"""`wizard serve`: tables in the browser."""

import errno
import socket
import threading
from functools import partial
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import Annotated

import typer

from wizard_env.cli.feedback.console import say
from wizard_env.cli.speed import compile_missing
from wizard_env.files.outputs import check_file
from wizard_env.files.writing import check_folder_with_parent

OFFERED = ["rule_based", "heuristic", "search:worlds=64", "champion+search:worlds=32", "adaptive"]
"""Agents offered if none are named, the strongest last."""
_LARGEST_FRAME = 8192
"""The most bytes of a websocket message; a longer one closes the connection before it is read."""


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
    connections: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Connections that one client may have at the same time, and at most half of all.",
            show_default="400, with --public-url as many as there are",
        ),
    ] = None,
    database: Annotated[Path, typer.Option(help="File in which tables are saved.")] = Path("wizard.sqlite"),
    records: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write finished games to this folder, one file per table."),
    ] = None,
) -> None:
    """Serve tables for people and agents in the browser."""
    import uvicorn

    from wizard_env.play.web.access.addresses import Addresses
    from wizard_env.play.web.access.protocols import MOST_CONNECTIONS, LimitedProtocol, OpenConnections
    from wizard_env.play.web.access.readiness import Readiness, prepare
    from wizard_env.play.web.server import make_app

    check_file(database)
    if records:
        check_folder_with_parent(records)
    if agents and "human" in agents:
        raise ValueError("'human': people join in the browser; name only computer players")

    with _listen(host, port) as listening:
        addresses, readiness = Addresses(host, listening.getsockname()[1], public_url), Readiness()
        offered = agents or OFFERED
        app = make_app(database, offered, records, addresses, readiness)
        if connections is None and public_url is None:
            connections = MOST_CONNECTIONS  # a proxy would have all of them
        config = uvicorn.Config(
            app,
            http=partial(LimitedProtocol, OpenConnections(connections)),  # type: ignore[arg-type]
            log_level="warning",
            ws_max_size=_LARGEST_FRAME,
            proxy_headers=public_url is not None,
        )
        server = uvicorn.Server(config)
        failures: list[Exception] = []

        def get_ready() -> None:
            try:
                prepare(offered, readiness, compile_missing)
            except Exception as error:
                failures.append(error)
                server.should_exit = True

        say(f"tables       {addresses.public_address(host)}")
        say(f"saved in     {database}")
        if records:
            say(f"records      {records}")
        preparing = threading.Thread(target=get_ready, daemon=True)
        preparing.start()
        server.run(sockets=[listening])  # returns when the server is stopped
        if readiness.ready or not server.should_exit:
            preparing.join()
    for failure in failures:
        raise failure


def _listen(host: str, port: int) -> socket.socket:
    """Open the port. Raises ValueError, in the words of the command, if that is not possible."""
    try:
        return socket.create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ValueError(
                f"--port {port}: another program uses it, perhaps a server that still runs; stop that, or "
                f"choose another port, as in --port {port % 65535 + 1}, or 0 for any that is free"
            ) from None
        if error.errno == errno.EACCES:
            raise ValueError(f"--port {port}: you may not open it; allowed are ports from 1024") from None
        raise ValueError(
            f"--host {host}: no address of this computer; 127.0.0.1 is for this computer alone, and 0.0.0.0 "
            "for others too"
        ) from None
