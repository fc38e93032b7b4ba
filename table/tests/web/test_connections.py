"""Sending to many browsers: nobody waits for one that does not read, and comings are told once."""

import asyncio
import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from wizard_table.web.connections import (
    DONE,
    MOST_UNSENT,
    TRY_AGAIN,
    Connection,
    Connections,
    CrowdedError,
)
from wizard_table.web.setup import Setup
from wizard_table.web.table import Table
from wizard_table.web.transitions import TableState
from wizard_table.web.views import NOBODY

from table.tests.web.seats import Seat, new_table
from wizard_env import Rules
from wizard_env.loading import load


class FakeWebSocket:
    """Keeps what is sent; while it is stuck, as when the other end does not read, sending does not end."""

    def __init__(self, stuck: bool = False) -> None:
        self.sent: list[dict[str, Any]] = []
        self.closed: int | None = None
        self._unstuck = asyncio.Event()
        if not stuck:
            self._unstuck.set()

    async def send_text(self, text: str) -> None:
        await self._unstuck.wait()
        self.sent.append(json.loads(text))

    async def close(self, code: int) -> None:
        self.closed = code


def a_table() -> Table:
    return Table("name", TableState.of(Setup(Rules(3), ("random", "random", "random"), seed=7), load))


def connected(websocket: FakeWebSocket, table: Table) -> Connection:
    return Connection(websocket, table, NOBODY)  # type: ignore[arg-type]


def test_nobody_waits_for_a_browser_that_does_not_read() -> None:
    """It is dropped once too much waits for it, and told to connect again; the others get everything."""

    async def run() -> None:
        table, connections = a_table(), Connections()
        slow, quick = FakeWebSocket(stuck=True), FakeWebSocket()
        slow_one, quick_one = connected(slow, table), connected(quick, table)
        connections.add(slow_one)
        connections.add(quick_one)
        for _ in range(MOST_UNSENT + 2):
            connections.send_views(table)
            await asyncio.sleep(0)
        await asyncio.wait([slow_one.sending])
        assert (slow.closed, len(slow.sent)) == (TRY_AGAIN, 0)
        quick_one.close()
        await quick_one.sending
        assert (quick.closed, len(quick.sent)) == (DONE, MOST_UNSENT + 2)

    asyncio.run(run())


def test_a_table_has_room_for_so_many_browsers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard_table.web.connections.MOST_WATCHERS", 2)

    async def run() -> None:
        table, connections = a_table(), Connections()
        three = [connected(FakeWebSocket(), table) for _ in range(3)]
        for one in three[:2]:
            connections.add(one)
        with pytest.raises(CrowdedError, match="2 browsers are here already"):
            connections.add(three[2])
        connections.remove(three[2])
        assert connections.audience(table).watchers == 2
        for one in three[:2]:
            connections.remove(one)
        assert connections.tables() == {}

    asyncio.run(run())


def test_comings_are_told_once(client: TestClient) -> None:
    """A newcomer's view goes to the newcomer, and a few messages announce many who come together."""
    opened = new_table(client, [None, "random", "random"], watchers=True)
    first = Seat(client, opened)
    first.say(kind="pace", seconds=5)
    first.wait_for_turn()
    first.say(kind="pace", seconds=5)  # as it is: nobody is told
    before = len(first.received)
    watchers = [Seat(client, opened | {"token": None}) for _ in range(20)]
    while first.hear("presence")["watchers"] < len(watchers):
        pass
    told = [json.loads(text)["kind"] for text in first.received[before:]]
    assert told.count("view") <= 2  # agents' actions, if any
    assert told.count("presence") <= len(watchers)
    assert len(watchers[0].hear()["scene"]["seats"]) == 3
