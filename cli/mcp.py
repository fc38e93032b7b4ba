"""`wizard mcp`: tables for language models."""

import signal
from typing import Annotated

import typer

from wizard_env.cli.console import say

OPPONENTS = ["heuristic", "rule_based", "champion", "adaptive", "champion+search:worlds=32"]
"""Agents that models may play against if none are named."""
_HOST, _PORT = "127.0.0.1", 8000
_OPTION = "--{} {}"
"""An option and its value."""


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
    from wizard_env.llm.mcp import make_server
    from wizard_env.llm.ports import open_port
    from wizard_env.llm.served_games import ServedGames
    from wizard_env.llm.serving import PATH, address_of, make_app

    for option, given in (("--host", host), ("--port", port), ("--public-url", public_url)):
        if given is not None and not http:
            raise ValueError(f"{option} {given}: only with --http does the server listen")
    server = make_server(ServedGames(agents or OPPONENTS, tables))
    if not http:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # else the thread that reads stdin would not end
        server.run("stdio")
        return

    import uvicorn

    host = host or _HOST
    with open_port(host, _PORT if port is None else port, _OPTION) as listening:
        address = address_of(host, listening.getsockname()[1])
        say(f"mcp          {address if public_url is None else public_url.rstrip('/') + PATH}")
        config = uvicorn.Config(make_app(server, host, public_url), log_config=None, log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])
