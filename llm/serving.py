"""Serving tools over MCP: strict calls, refusals that a model can read, and the application for HTTP."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from wizard_env.checks import check_names

PATH = "/mcp"
"""Path of a server's address over HTTP."""
LONGEST_BODY = 100_000
"""Bytes in the body of a request."""
LONGEST_ANSWER = 4000
"""Characters of the answer that a model gives to a decision."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("0.0.0.0", "::", "")


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
    """
    names = [f"[{name}]" if ":" in name else name for name in (*_LOOPBACK, host)]
    if host in _EVERYWHERE:
        names += [socket.gethostname(), f"{socket.gethostname()}.local", *_own_addresses()]
    hosts, origins = [f"{name}:*" for name in names], [f"http://{name}:*" for name in names]
    if public_url is not None:
        hosts.append(urlsplit(public_url).netloc)
        origins.append(public_url.rstrip("/"))
    return server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,  # calls name their table or question, and have nothing else in common
        max_request_body_size=LONGEST_BODY,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )


def address_of(host: str, port: int) -> str:
    """Return the address at which clients find a server that listens on a host and a port."""
    name = socket.gethostname() if host in _EVERYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{PATH}"


def _own_addresses() -> list[str]:
    try:
        return socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:  # the name of this computer has no address
        return []


@contextmanager
def refusals() -> Iterator[None]:
    """Tell the model why a call is refused; it would not see the text of other errors."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ToolError(str(error)) from error
