"""The browsers at the tables: their messages wait in queues, so that nobody waits for a slow one."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from wizard_table.translation import t
from wizard_table.web.table import Audience, Table
from wizard_table.web.views import NOBODY

MOST_UNSENT = 32
"""Messages that may wait for one browser; a browser that reads more slowly is dropped."""
MOST_AT_SEAT = 10
"""Browsers at one seat of a table."""
MOST_WATCHERS = 200
"""Browsers that watch one table."""
DONE, TRY_AGAIN = 1000, 1013
"""Codes that close a websocket: nothing is left to send; the browser should connect again."""
_SECONDS_TO_CLOSE = 1.0


class CrowdedError(ValueError):
    """Too many browsers are at a table."""


class Connection:
    """One browser at one table, and the queue of messages to it."""

    def __init__(self, websocket: WebSocket, table: Table, seat: int) -> None:
        """Start to send over an accepted websocket."""
        self._websocket = websocket
        self.table = table
        self.seat = seat
        self.question: asyncio.Task[None] | None = None
        """The answer to the last AskHint, if it is still awaited."""
        self._is_slow = False
        self._unsent: asyncio.Queue[str | int] = asyncio.Queue()
        self.sending = asyncio.create_task(self._send_all())
        """Ends with the connection."""

    def send(self, message: Mapping[str, Any]) -> None:
        """Queue a message; if the browser reads too slowly, the connection ends instead."""
        self.send_text(_encode(message))

    def send_text(self, text: str) -> None:
        if self._unsent.qsize() < MOST_UNSENT:
            self._unsent.put_nowait(text)
        elif not self._is_slow:
            self._is_slow = True
            self.sending.cancel()

    def close(self, code: int = DONE) -> None:
        """End the connection once all messages are sent."""
        self._unsent.put_nowait(code)

    def drop_question(self) -> None:
        """Cancel the last AskHint, if it is not answered yet."""
        if self.question is not None:
            self.question.cancel()
            self.question = None

    async def _send_all(self) -> None:
        try:
            with suppress(WebSocketDisconnect, RuntimeError):  # the browser has gone
                while isinstance(item := await self._unsent.get(), str):
                    await self._websocket.send_text(item)
                await self._websocket.close(item)
        except asyncio.CancelledError:
            with suppress(Exception):
                await asyncio.wait_for(self._websocket.close(TRY_AGAIN), _SECONDS_TO_CLOSE)
            raise


class Connections:
    """The connections of a server, by table."""

    def __init__(self) -> None:
        self._at: dict[str, set[Connection]] = {}

    def add(self, connection: Connection) -> None:
        """Add a connection. Raises CrowdedError if there are too many at its seat, or too many watchers."""
        most = MOST_WATCHERS if connection.seat == NOBODY else MOST_AT_SEAT
        if sum(one.seat == connection.seat for one in self._at.get(connection.table.name, ())) >= most:
            raise CrowdedError(t("{count} browsers are here already: no more are allowed", count=most))
        self._at.setdefault(connection.table.name, set()).add(connection)

    def remove(self, connection: Connection) -> None:
        """Remove a connection, if it was added."""
        name = connection.table.name
        self._at.get(name, set()).discard(connection)
        if not self._at.get(name):
            self._at.pop(name, None)

    def at(self, table: Table) -> list[Connection]:
        return list(self._at.get(table.name, ()))

    def tables(self) -> dict[str, Table]:
        """Return the tables with connections, by name."""
        return {name: next(iter(at_table)).table for name, at_table in self._at.items()}

    def audience(self, table: Table) -> Audience:
        """Return the seats of a table that are connected, and the number of its watchers."""
        seats = [one.seat for one in self._at.get(table.name, ())]
        return Audience(set(seats) - {NOBODY}, seats.count(NOBODY))

    def send_views(self, table: Table, *only: Connection) -> None:
        """Send the browsers at a table, or only some, what their seats may see, each view made once."""
        audience = self.audience(table)
        views: dict[int, str] = {}
        for one in only or self._at.get(table.name, ()):
            if one.seat not in views:
                views[one.seat] = _encode({"kind": "view", **table.view(one.seat, audience)})
            one.send_text(views[one.seat])

    def send_all(self, table: Table, message: Mapping[str, Any]) -> None:
        """Send every browser at a table the same message."""
        text = _encode(message)
        for one in self._at.get(table.name, ()):
            one.send_text(text)


def _encode(message: Mapping[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))
