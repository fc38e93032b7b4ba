"""Serving tools over MCP: strict calls, refusals that a model can read, and the application for HTTP."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from wizard_env.checks import check_names, quoted

PATH = "/mcp"
"""Path of a server's address over HTTP."""
LONGEST_BODY = 100_000
"""Bytes in the body of a request."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("0.0.0.0", "::")
_SOMEWHERE = ("192.0.2.1", 9)
"""Nothing is sent there, but the route to it shows our own address."""


class StrictServer(MCPServer[Any]):
    """Refuses arguments that a tool does not have; the SDK would ignore them."""

    def __init__(self, instructions: str) -> None:
        super().__init__(
            "wizard", instructions=instructions, version=version("wizard-env"), log_level="WARNING"
        )

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        allowed = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if name in allowed:
            with refusals():
                check_names(f"tool {name!r}", arguments, allowed[name])
        return await super().call_tool(name, arguments, context)


def make_app(server: MCPServer[Any], host: str, public_url: str | None = None) -> ASGIApp:
    """Make the ASGI application that serves over HTTP.

    Requests must name the server in `Host`, and in `Origin` if they have one; else any page could read from
    it through a name that it lets resolve to this computer (DNS rebinding).

    Args:
        server: the tools.
        host: the address that the server listens on.
        public_url: the address at which others reach it, as through a proxy.

    Raises ValueError if `public_url` is not the address of a server.
    """
    names = [f"[{name}]" if ":" in name else name for name in (*_LOOPBACK, host)]
    if host in _EVERYWHERE:
        names += [socket.gethostname(), f"{socket.gethostname()}.local", *_own_addresses()]
    hosts, origins = [f"{name}:*" for name in names], [f"http://{name}:*" for name in names]
    if public_url is not None:
        parts = urlsplit(public_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"public_url={quoted(public_url)}: an address such as https://wizard.example")
        hosts.append(parts.netloc)
        origins.append(f"{parts.scheme}://{parts.netloc}")
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,  # calls name their table or question, and have nothing else in common
        max_request_body_size=LONGEST_BODY,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )
    app.router.routes.insert(0, Route(PATH, _refuse_stream, methods=["GET"]))
    return app


async def _refuse_stream(request: Request) -> Response:
    """Refuse to open a stream for messages of the server, which sends none."""
    return Response(status_code=405, headers={"Allow": "POST"})


def address_of(host: str, port: int) -> str:
    """Return the address at which clients find a server that listens on a host and a port."""
    name = socket.gethostname() if host in _EVERYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{PATH}"


def _own_addresses() -> list[str]:
    """Return the addresses of this computer in its networks, as far as it knows them."""
    found = []
    with suppress(OSError):
        found += socket.gethostbyname_ex(socket.gethostname())[2]
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.connect(_SOMEWHERE)
        found.append(out.getsockname()[0])
    return found


@contextmanager
def refusals() -> Iterator[None]:
    """Tell the model why a call is refused; it would not see the text of other errors."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ToolError(str(error)) from error
