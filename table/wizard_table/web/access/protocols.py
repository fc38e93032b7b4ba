"""Connections: how many a client may have, and how long each may keep the server waiting."""

import asyncio
from collections import Counter
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from wizard_table.web.access.limits import client_of

MOST_CONNECTIONS = 400
"""Connections that a client may have at the same time by default; many people share some addresses."""
SECONDS_TO_ASK = 20.0
"""Time in which a request must arrive, head and body, from the connection or its first byte on."""
SECONDS_TO_READ = 30.0
"""Time in which a client must read some of an answer that waits for it."""
_KEPT_FREE = 100
"""File descriptors that connections leave to the database, to records and to programs."""
_PIECE = 8192
"""Bytes that are parsed at once, so that too long a head is refused before the rest is looked at."""
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


class OpenConnections:
    """Counts the open connections, of each client and in all.

    No client may have more than half, so one alone never keeps the others out.
    """

    def __init__(self, most_each: int | None = MOST_CONNECTIONS, most: int | None = None) -> None:
        """Limit connections to `most_each` of a client, and to `most` in all.

        Args:
            most_each: None if clients cannot be told apart, as behind a proxy.
            most: None for what the system allows this process, less some file descriptors.
        """
        self._most = _most_descriptors() if most is None else most
        self._most_each = self._most if most_each is None else min(most_each, max(self._most // 2, 1))
        self._of: Counter[str] = Counter()

    def enter(self, client: str) -> bool:
        """Count one more of a client; False if that is one too many."""
        if self._of[client] >= self._most_each or self._of.total() >= self._most:
            return False
        self._of[client] += 1
        return True

    def leave(self, client: str) -> None:
        """Count one less of a client."""
        self._of[client] -= 1
        if not self._of[client]:
            del self._of[client]


def limited_protocol(most_each: int | None) -> Any:
    """Return the `http` of a configuration of uvicorn, with limits of its own; see `OpenConnections`."""
    return partial(LimitedProtocol, OpenConnections(most_each))


def _most_descriptors() -> int:
    """Return the number of connections that leave enough file descriptors free."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 10_000
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 10_000 if most == resource.RLIM_INFINITY else max(most - _KEPT_FREE, most // 2)


class LimitedProtocol(H11Protocol):
    """Uvicorn's HTTP, for clients that are silent, endless, or too many.

    It closes connections beyond the limits of `OpenConnections`, those whose request does not arrive in time,
    and those that do not read. Uvicorn itself closes connections that stay silent after an answer, and h11
    refuses a head of more than 16 KiB.
    """

    def __init__(self, connections: OpenConnections, **options: Any) -> None:
        super().__init__(**options)
        self._open_connections = connections
        self._client: str | None = None
        """The client while it is counted."""
        self._deadline: asyncio.TimerHandle | None = None
        """Ends the connection unless the rest of a request arrives."""
        self._watch: asyncio.TimerHandle | None = None
        self._unread = 0
        """Bytes that the client had not read when it was last looked at."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        client = client_of(self.client[0] if self.client else "")
        self._look()
        if self._open_connections.enter(client):
            self._client = client
            self._await_request()
        else:
            transport.write(_REFUSAL)
            transport.close()

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _PIECE):
            super().data_received(data[start : start + _PIECE])
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._await_request()
        else:
            self._stop_waiting()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Leave the connection to the websocket; it is counted until that is lost."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)
        websocket = self.transport.get_protocol()
        lost = websocket.connection_lost

        def connection_lost(error: Exception | None) -> None:
            self._end()
            lost(error)

        websocket.connection_lost = connection_lost  # type: ignore[assignment, method-assign]

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        """Close the connection in a while, unless a request has arrived by then."""
        if self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS_TO_ASK, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _look(self) -> None:
        """Disconnect a client that has read nothing since the last look."""
        unread = self.transport.get_write_buffer_size()
        if unread and unread >= self._unread > 0:
            self.transport.abort()
            return
        self._unread = unread
        self._watch = self.loop.call_later(SECONDS_TO_READ, self._look)

    def _end(self) -> None:
        self._stop_waiting()
        if self._watch is not None:
            self._watch.cancel()
        if self._client is not None:
            self._open_connections.leave(self._client)
            self._client = None
