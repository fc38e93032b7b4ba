"""What a request brings: its body, and the client behind it."""

from starlette.requests import HTTPConnection, Request

from wizard_env.play.web.access.limits import client_of

LONGEST_BODY = 100_000
"""Bytes in the body of a request; those with a record are the longest."""


async def body_of(request: Request) -> bytes:
    """The body of a request. Raises ValueError if it is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise ValueError(f"the request has more than {LONGEST_BODY} bytes")
    return body


def client_behind(connection: HTTPConnection) -> str:
    """The client behind a connection, see `client_of`."""
    return client_of(connection.client.host if connection.client else "")
