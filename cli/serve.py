"""`wizard serve` and `wizard mcp`: tables in the browser, and for language models."""

import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from wizard_env.cli.feedback.console import say
from wizard_env.cli.speed import compile_missing
from wizard_env.files.outputs import check_file
from wizard_env.files.writing import check_folder_with_parent

OFFERED = ["rule_based", "heuristic", "search:worlds=64", "champion+search:worlds=32", "adaptive"]
"""Agents offered if none are named, the strongest last."""
OPPONENTS = ["heuristic", "rule_based", "champion", "adaptive", "champion+search:worlds=32"]
"""Agents that models may play against if none are named."""
_HOST, _PORT = "127.0.0.1", 8000
_OPTION = "--{} {}"
"""An option and its value."""
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
    from wizard_env.play.web.access.ports import open_port
    from wizard_env.play.web.access.protocols import MOST_CONNECTIONS, limited_protocol
    from wizard_env.play.web.access.readiness import Readiness, prepare
    from wizard_env.play.web.server import make_app

    check_file(database)
    if records:
        check_folder_with_parent(records)
    if agents and "human" in agents:
        raise ValueError("'human': people join in the browser; name only computer players")

    with open_port(host, port, _OPTION) as listening:
        addresses, readiness = Addresses(host, listening.getsockname()[1], public_url), Readiness()
        offered = agents or OFFERED
        app = make_app(database, offered, records, addresses, readiness)
        if connections is None and public_url is None:
            connections = MOST_CONNECTIONS  # a proxy would have all of them
        config = uvicorn.Config(
            app,
            http=limited_protocol(connections),
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


def mcp(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Agents that may be chosen as opponents; the first plays where none is chosen.",
            show_default=" ".join(OPPONENTS),
        ),
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of stdio.")] = False,
    host: Annotated[
        str | None,
        typer.Option(
            help="With --http: address to listen on; 0.0.0.0 lets other computers connect.",
            show_default=_HOST,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="With --http: port to listen on; 0 picks a free one.",
            show_default=str(_PORT),
        ),
    ] = None,
    public_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="With --http: address at which others reach this server, as through a proxy.",
        ),
    ] = None,
    tables: Annotated[int, typer.Option(min=1, help="Tables that may be open at the same time.")] = 100,
) -> None:
    """Serve tables for language models, as an MCP server."""
    from wizard_env.play.llm.mcp import make_server
    from wizard_env.play.llm.serving import PATH, make_app
    from wizard_env.play.llm.tables import Tables

    for option, given in (("--host", host), ("--port", port), ("--public-url", public_url)):
        if given is not None and not http:
            raise ValueError(f"{option} {given}: only with --http does the server listen")
    server = make_server(Tables(agents or OPPONENTS, tables))
    if not http:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # else the thread that reads stdin would not end
        server.run("stdio")
        return

    import uvicorn

    from wizard_env.play.web.access.addresses import Addresses
    from wizard_env.play.web.access.ports import open_port
    from wizard_env.play.web.access.protocols import MOST_CONNECTIONS, limited_protocol

    with open_port(host or _HOST, _PORT if port is None else port, _OPTION) as listening:
        addresses = Addresses(host or _HOST, listening.getsockname()[1], public_url)
        say(f"mcp          {addresses.public_address(host or _HOST)}{PATH}")
        protocol = limited_protocol(MOST_CONNECTIONS if public_url is None else None)
        config = uvicorn.Config(make_app(server, addresses), http=protocol, log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])
