"""Requests: the message in the body, and the client behind it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, HTTPConnection, Request

from wizard_table.translation import t
from wizard_table.web.access.limits import client_of
from wizard_table.web.access.messages import Message

LONGEST_BODY = 100_000
"""Bytes in the body of a request; those with a record are the longest."""
M = TypeVar("M", bound=Message)
T = TypeVar("T")


async def read_message(request: Request, kind: type[M]) -> M:
    """Read the body of a request. Raises ValueError if it is too long, or no message of that kind."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise ValueError(t("the request has more than {most} bytes", most=LONGEST_BODY))
    return kind.model_validate_json(body)


async def while_connected(request: Request, answer: Coroutine[Any, Any, T]) -> T:
    """Await the answer to a request whose body has been read; drop it if the client goes.

    Raises ClientDisconnect, and what the answer raises.
    """
    tasks = asyncio.create_task(answer), asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[0].done():
            raise ClientDisconnect
        return tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def client_behind(connection: HTTPConnection) -> str:
    """Return the client behind a connection, see `client_of`."""
    return client_of(connection.client.host if connection.client else "")
