"""Requests: the message in the body, the client behind it, and the reason of a refusal."""

from typing import TypeVar

from pydantic import ValidationError
from starlette.requests import HTTPConnection, Request

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
            raise ValueError(f"the request has more than {LONGEST_BODY} bytes")
    return kind.model_validate_json(body)


def client_behind(connection: HTTPConnection) -> str:
    """Return the client behind a connection, see `client_of`."""
    return client_of(connection.client.host if connection.client else "")


def reason_for(error: Exception) -> str:
    """Return the reason of a refusal, on one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "value_error":  # raised by a check of ours, in the words of a person
            return str(first["ctx"]["error"])
        where = ".".join(map(str, first["loc"])) or "the message"
        return f"{where}: {first['msg']}"
    return str(error)


def field_of(error: Exception) -> str | None:
    """Return the field of a message that is refused, so that the page shows the reason beside it; or None."""
    if isinstance(error, ValidationError):
        where = error.errors(include_url=False, include_input=False, include_context=False)[0]["loc"]
        return str(where[0]) if where else None
    return getattr(error, "field", None)
