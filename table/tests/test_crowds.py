"""One client asks for as much as it can, and the others still get in and play."""

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from wizard_table.web.access.guard import REQUEST_BURST
from wizard_table.web.access.limits import Buckets, Limit
from wizard_table.web.duplicate import comparison
from wizard_table.web.server import make_app
from wizard_table.web.tables import socket as table_socket
from wizard_table.web.tables.connections import MOST_AT_SEAT, MOST_WATCHERS
from wizard_table.web.tables.socket import MOST_SOCKETS
from wizard_table.web.tables.store import Stored

from table.tests.web.seats import AGENTS, Seat, browser, new_table
from wizard_env.agents.random import RandomAgent
from wizard_env.view import Actions, View

TABLE = [None, "random", "random"]


@pytest.fixture
def app() -> Iterator[Starlette]:
    app = make_app(":memory:", AGENTS)
    with browser(app) as client:
        app.state.portal = client.portal
        yield app
        Seat.leave_all()


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[Starlette]:
    """A server that never forgets a request."""
    monkeypatch.setattr("wizard_table.web.access.guard.REQUEST_RATE", 0.0)
    app = make_app(":memory:", AGENTS)
    with browser(app) as client:
        app.state.portal = client.portal
        yield app
        Seat.leave_all()


def others(app: Starlette, number: int) -> TestClient:
    """A client at another address, in the event loop of the one that runs the server."""
    client = browser(app, f"10.0.0.{number}")
    client.portal = app.state.portal
    return client


# --- places


def test_watchers_take_no_place_of_those_who_play(app: Starlette) -> None:
    """Formerly 200 watchers, from one address, kept the players of a table from coming back."""
    host = others(app, 1)
    opened = new_table(host, TABLE, watchers=True)
    watching = opened | {"token": None}
    for number in range(MOST_WATCHERS):
        Seat(others(app, 2 + number % 50), watching).hear()
    assert "no more are allowed" in Seat(others(app, 1), watching).hear("error")["why"]
    assert Seat(host, opened).hear()["you"] == 0


def test_a_seat_has_room_for_few_browsers(app: Starlette) -> None:
    """Others at the table can still come in."""
    host, guest = others(app, 1), others(app, 2)
    opened = new_table(host, [None, None, "random"])
    joined = guest.post(f"/tables/{opened['table']}/seats", json={}).json()
    for _ in range(MOST_AT_SEAT):
        Seat(host, opened).hear()
    assert "no more are allowed" in Seat(host, opened).hear("error")["why"]
    assert Seat(guest, joined).hear()["you"] == 1


def test_a_connection_that_does_not_sit_down_is_closed(
    app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formerly such a connection stayed for ever."""
    monkeypatch.setattr(table_socket, "SECONDS_TO_SIT", 0.05)
    with others(app, 1).websocket_connect("ws://localhost/tables/any") as socket:
        assert "must come within" in json.loads(socket.receive_text())["why"]
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == 1008


def test_a_client_has_few_connections(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    """Formerly one client could take all that the system lets the server have."""
    monkeypatch.setattr(table_socket, "MOST_SOCKETS", 5)
    assert MOST_SOCKETS >= 50, "people behind one address play at many tables"
    tables = [new_table(others(app, 1), TABLE) for _ in range(6)]
    seats = [Seat(others(app, 1), opened) for opened in tables[:5]]
    for seat in seats:
        seat.hear()
    assert "too many connections" in Seat(others(app, 1), tables[5]).hear("error")["why"]
    assert Seat(others(app, 2), tables[5]).hear()["you"] == 0
    seats[0].leave()
    assert Seat(others(app, 1), tables[0]).hear()["you"] == 0


# --- time


@pytest.mark.parametrize("path", ["/tables/NAME/invitation", "/tables/NAME", "/matches/none", "/tables"])
def test_questions_without_a_body_are_limited_too(path: str, strict: Starlette) -> None:
    """Some cost the server as much as those with one."""
    app = strict
    host = others(app, 1)
    opened = new_table(host, TABLE)
    path = path.replace("NAME", opened["table"])
    answers = [others(app, 2).get(path).status_code for _ in range(REQUEST_BURST + 20)]
    assert 429 in answers
    assert host.get(path).status_code != 429


def test_comings_and_goings_are_limited_too(strict: Starlette) -> None:
    greedy = others(strict, 1)
    opened = new_table(greedy, TABLE)
    refused = 0
    for _ in range(REQUEST_BURST + 20):
        try:
            with greedy.websocket_connect(f"ws://localhost/tables/{opened['table']}"):
                pass
        except WebSocketDisconnect:
            refused += 1
    assert refused


def test_messages_of_a_client_are_limited_together() -> None:
    """Those beyond the limit wait, whatever connection they come by; another client's do not."""

    async def run() -> list[str]:
        buckets, counted = Buckets(Limit(rate=100, burst=3)), []

        async def count(client: str) -> None:
            await buckets.wait(client)
            counted.append(client)

        waiting = [asyncio.create_task(count("greedy")) for _ in range(5)]
        await asyncio.sleep(0)
        await count("modest")
        seen = list(counted)
        await asyncio.gather(*waiting)
        assert len(counted) == 6
        return seen

    assert asyncio.run(run()) == ["greedy"] * 3 + ["modest"]


@pytest.mark.parametrize(
    "headers",
    [{"Accept-Language": ",".join(["xx"] * 20_000)}, {"Host": "localhost:" + "9" * 60_000}],
    ids=["languages", "port"],
)
def test_absurd_headers_cost_nothing(headers: dict[str, str], app: Starlette) -> None:
    """Formerly the first took 90 ms each, in which nobody else was answered."""
    client = others(app, 1)
    client.get("/ready")
    before = time.process_time()
    for _ in range(10):
        assert client.get("/ready", headers=headers).status_code in (200, 403)
    assert time.process_time() - before < 0.4


class SlowAgent(RandomAgent):
    """Takes its time."""

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        time.sleep(0.1)
        return super().act(view, rng)


def test_moves_are_fair_to_clients(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    """One client watches agents at thirty tables; another waits for its opponents as if alone, nearly."""
    monkeypatch.setattr("wizard_table.web.tables.agents.load", lambda name: SlowAgent())
    slow = make_app(":memory:", ["slow"])
    with browser(slow, "10.0.0.1") as greedy:
        slow.state.portal = greedy.portal
        for _ in range(30):
            seat = Seat(greedy, new_table(greedy, ["slow"] * 3))
            seat.say(kind="pace", seconds=0)
        modest = others(slow, 2)
        seat = Seat(modest, new_table(modest, ["slow", None, "slow"], hand_sizes=[3]))
        seat.say(kind="pace", seconds=0)
        view = seat.wait_for_turn()
        waited = []
        while view["legal"]:
            seat.act(view, view["legal"][0])
            since = time.monotonic()
            view = seat.wait_for_turn()
            waited.append(time.monotonic() - since)
        Seat.leave_all()
    assert sorted(waited)[len(waited) // 2] < 1.5  # formerly about three seconds


def test_a_comparison_replays_as_many_games_as_it_lists(
    app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "LISTED", 3)
    host = others(app, 1)
    opened = new_table(host, TABLE, hand_sizes=[1])
    match = host.post(f"/tables/{opened['table']}/match", json={"token": opened["token"]}).json()["match"]
    for _ in range(10):
        assert host.post(f"/matches/{match}/seats", json={}).status_code == 201
    replayed, replay = [], comparison.replay

    def counted(stored: Stored) -> comparison.PlayedGame:
        replayed.append(stored.name)
        return replay(stored)

    monkeypatch.setattr(comparison, "replay", counted)
    compared = host.post(f"/tables/{opened['table']}/comparison", json={"token": opened["token"]}).json()
    assert len(compared["others"]) == 3
    assert len(replayed) == 4


def test_joining_while_the_last_person_leaves(app: Starlette) -> None:
    """The table closes only if nobody has come meanwhile."""
    host, hub = others(app, 1), app.state.hub
    opened = new_table(host, [None, None, "random"])

    async def both() -> tuple[Any, ...]:
        table = await hub.tables.find(opened["table"], "client")
        return await asyncio.gather(
            hub.leave_seat(table, 0), hub.take_seat(table, "Guest"), return_exceptions=True
        )

    _, taken = app.state.portal.call(both)
    if not isinstance(taken, Exception):
        assert Seat(host, taken._asdict()).hear()["names"][taken.seat] == "Guest"
