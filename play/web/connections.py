"""The browsers at the tables: what is sent to whom, and who is there."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from wizard_env.play.language.translation import t
from wizard_env.play.web.table import Table
from wizard_env.play.web.table_json import NOBODY

MOST_UNSENT = 32
"""Messages that wait for one browser; one that lets more wait reads too slowly, and is dropped."""
MOST_AT_SEAT = 10
"""Browsers at one seat of a table."""
MOST_WATCHERS = 200
"""Browsers that watch one table."""
DONE, TRY_AGAIN = 1000, 1013
"""The codes that close a websocket after all is done, and when the browser should connect again."""
SECONDS_TO_CLOSE = 1.0


class CrowdedError(ValueError):
    """Too many browsers are at a table."""


class Connection:
    """One browser at one table. Messages to it wait in a queue of its own, so nobody waits for it."""

    def __init__(self, websocket: WebSocket, table: Table, seat: int, client: str) -> None:
        """Begin to send.

        Args:
            websocket: an accepted websocket.
            table: the table.
            seat: the seat that this browser has taken, or NOBODY.
            client: the client behind the browser, see `client_of`.
        """
        self._websocket = websocket
        self.table = table
        self.seat = seat
        self.client = client
        self.question: asyncio.Task[None] | None = None
        """The answer to the last Hint, if it is still awaited."""
        self._is_slow = False
        self._unsent: asyncio.Queue[str | int] = asyncio.Queue()
        self.sending = asyncio.create_task(self._send_all())
        """Ends when the connection shall end."""

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message in due time; if the browser reads too slowly, the connection ends instead."""
        self.send_text(_encode(message))

    def send_text(self, text: str) -> None:
        """Send a message that is JSON already."""
        if self._unsent.qsize() < MOST_UNSENT:
            self._unsent.put_nowait(text)
        elif not self._is_slow:
            self._is_slow = True
            self.sending.cancel()

    def close(self, code: int = DONE) -> None:
        """End the connection once everything is sent."""
        self._unsent.put_nowait(code)

    def drop_question(self) -> None:
        """No longer wait for the answer to the last Hint."""
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
                await asyncio.wait_for(self._websocket.close(TRY_AGAIN), SECONDS_TO_CLOSE)
            raise


class Connections:
    """The connections of a server, by table."""

    def __init__(self) -> None:
        """Start without connections."""
        self._at: dict[str, set[Connection]] = {}

    def add(self, connection: Connection) -> None:
        """Add a connection. Raises CrowdedError if there are too many at its seat, or too many watchers."""
        most = MOST_WATCHERS if connection.seat == NOBODY else MOST_AT_SEAT
        if sum(one.seat == connection.seat for one in self._at.get(connection.table.name, ())) >= most:
            raise CrowdedError(t("{count} browsers are here already: no more are allowed", count=most))
        self._at.setdefault(connection.table.name, set()).add(connection)

    def remove(self, connection: Connection) -> None:
        """Remove a connection that was added, or was not."""
        name = connection.table.name
        self._at.get(name, set()).discard(connection)
        if not self._at.get(name):
            self._at.pop(name, None)

    def at(self, table: Table) -> list[Connection]:
        """The connections to a table, copied."""
        return list(self._at.get(table.name, ()))

    def client_at(self, table: Table) -> str:
        """The client that a table is played for: behind its first seat that is connected, or who watches."""
        at_table = self._at.get(table.name, ())
        first = min(at_table, key=lambda one: (one.seat == NOBODY, one.seat), default=None)
        return "" if first is None else first.client

    def tables(self) -> dict[str, Table]:
        """The tables that someone is connected to, by name."""
        return {name: next(iter(at_table)).table for name, at_table in self._at.items()}

    def here(self, table: Table) -> set[int]:
        """The seats of a table that are connected."""
        return {one.seat for one in self._at.get(table.name, ()) if one.seat != NOBODY}

    def watching(self, table: Table) -> int:
        """How many watch a table."""
        return sum(one.seat == NOBODY for one in self._at.get(table.name, ()))

    def send_views(self, table: Table) -> None:
        """Send every browser at a table what its seat may see; each seat's view is made once."""
        here, watching = self.here(table), self.watching(table)
        views: dict[int, str] = {}
        for one in self._at.get(table.name, ()):
            if one.seat not in views:
                views[one.seat] = _encode({"kind": "view", **table.view(one.seat, here, watching)})
            one.send_text(views[one.seat])

    def send_view(self, connection: Connection) -> None:
        """Send one browser what its seat may see."""
        table = connection.table
        view = table.view(connection.seat, self.here(table), self.watching(table))
        connection.send({"kind": "view", **view})

    def send_all(self, table: Table, message: Mapping[str, Any]) -> None:
        """Send every browser at a table the same message."""
        text = _encode(message)
        for one in self._at.get(table.name, ()):
            one.send_text(text)


def _encode(message: Mapping[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))
