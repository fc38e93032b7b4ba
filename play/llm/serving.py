"""Serving tools over MCP: strict calls, refusals that a model can read, and the application for HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from wizard_env.checks.arguments import check_names
from wizard_env.play.web.access.addresses import Addresses
from wizard_env.play.web.access.guard import Guard
from wizard_env.play.web.access.readiness import READY

PATH = "/mcp"
"""Path of a server's address over HTTP."""
LONGEST_BODY = 100_000
"""Bytes in the body of a request."""
LONGEST_ANSWER = 4000
"""Characters of the answer that a model gives to a decision."""


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


def make_app(server: MCPServer[Any], addresses: Addresses) -> ASGIApp:
    """Make the ASGI application that serves over HTTP; requests to other addresses are refused."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,  # calls name their table or question, and have nothing else in common
        max_request_body_size=LONGEST_BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # as Guard does
    )
    return Guard(app, addresses, READY)


@contextmanager
def refusals() -> Iterator[None]:
    """Tell the model why a call is refused; it would not see the text of other errors."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ToolError(str(error)) from error
