"""Requests: the message in the body, and the client behind it."""

from typing import TypeVar

from starlette.requests import HTTPConnection, Request

from wizard_env.play.language.translation import t
from wizard_env.play.web.access.limits import client_of
from wizard_env.play.web.access.messages import Message

LONGEST_BODY = 100_000
"""Bytes in the body of a request; those with a record are the longest."""
M = TypeVar("M", bound=Message)


async def read_message(request: Request, kind: type[M]) -> M:
    """Read the body of a request. Raises ValueError if it is too long, or no message of that kind."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise ValueError(t("the request has more than {most} bytes", most=LONGEST_BODY))
    return kind.model_validate_json(body)


def client_behind(connection: HTTPConnection) -> str:
    """Return the client behind a connection, see `client_of`."""
    return client_of(connection.client.host if connection.client else "")
