"""The server behind the browser table: rooms over HTTP and websockets.

Each connection is sent the view of its own seat and nothing else. Agents act as long as somebody looks on.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from play.messages import SAID, Act, Hint, NewTable, Pace, Sit, TakeBack
from play.rooms import Room, Rooms, UnknownRoomError
from play.store import Store
from wizard_env import Rules
from wizard_env.notation import record

PAGE = Path(__file__).parent / "web"
LONGEST_MESSAGE = 1024
"""Characters of what a browser says at once."""
LONGEST_BODY = 4096
"""Bytes of a request."""
RATE = 10.0
"""So many messages a second a connection may send, for long."""
BURST = 20
"""And so many at once."""
POLICY_VIOLATION = 1008
HINTS_AT_ONCE = 2


class TooFastError(ValueError):
    """Somebody sends more than RATE messages a second."""


class Bucket:
    """Counts what a connection may still send: a token bucket."""

    def __init__(self) -> None:
        self._left = float(BURST)
        self._seen = time.monotonic()

    def take(self) -> None:
        """Count a message. Raises TooFastError if it is one too many."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._seen) * RATE)
        self._seen = now
        if self._left < 1:
            raise TooFastError(f"too many messages: {RATE:g} a second are allowed")
        self._left -= 1


class Hall:
    """The rooms of a server, who is connected to them, and the agents that may be asked."""

    def __init__(self, rooms: Rooms, agents: Sequence[str]) -> None:
        """Open the doors.

        Args:
            rooms: the tables.
            agents: what may sit there and be asked. Browsers may name no others, since `load` would run
                programs and read files for them.
        """
        self.rooms = rooms
        self.agents = list(agents)
        self._connections: dict[str, set[Connection]] = {}
        self._players: dict[str, asyncio.Task[None]] = {}
        self._hints = asyncio.Semaphore(HINTS_AT_ONCE)

    # --- tables

    def open(self, wanted: NewTable) -> tuple[Room, int | None, str | None]:
        """A new table; the seat and the token of whoever asked, None if all seats are agents'."""
        for name in wanted.seats:
            if name is not None:
                self._check_agent(name)
        rules = Rules(num_players=len(wanted.seats), **wanted.model_dump(exclude={"seats"}))
        room = self.rooms.open(rules, wanted.seats)
        if not room.open_seats:
            return room, None, None
        return room, *self.take_seat(room)

    def take_seat(self, room: Room) -> tuple[int, str]:
        """An open seat and its token."""
        seat, token = room.take_seat()
        self.rooms.save(room)
        return seat, token

    def _check_agent(self, name: str) -> None:
        if name not in self.agents:
            raise ValueError(f"no agent {name!r}: allowed are {', '.join(self.agents)}")

    # --- connections

    async def enter(self, connection: "Connection") -> None:
        """Show the table to somebody, and let agents act."""
        self._connections.setdefault(connection.room.name, set()).add(connection)
        await self.show(connection.room)

    def leave(self, connection: "Connection") -> None:
        """Forget a connection; the seat stays taken."""
        name = connection.room.name
        self._connections[name].discard(connection)
        if not self._connections[name]:
            del self._connections[name]
            player = self._players.pop(name, None)
            if player:
                player.cancel()

    async def show(self, room: Room) -> None:
        """Send everybody at a table what their seat sees, and go on if an agent's turn has come."""
        await self._send_views(room)
        if room.table.waits_for_an_agent and room.name in self._connections:
            player = self._players.get(room.name)
            if player is None or player.done():
                self._players[room.name] = asyncio.create_task(self._play(room))

    async def _play(self, room: Room) -> None:
        """Let agents act, as long as it is their turn and somebody looks on."""
        while room.table.waits_for_an_agent:
            await asyncio.sleep(room.seconds)
            game, decisions = room.table.game, len(room.table.events)
            action = await asyncio.to_thread(room.table.choose)
            if room.table.game is not game or len(room.table.events) != decisions:
                continue  # somebody took back meanwhile
            room.table.advance(action)
            self.rooms.save(room)
            await self._send_views(room)

    async def _send_views(self, room: Room) -> None:
        for connection in list(self._connections.get(room.name, ())):
            await connection.send({"kind": "view", **room.view(connection.seat)})

    # --- what is said

    async def hear(self, connection: "Connection", text: str) -> None:
        """Do what a browser asks for. Raises ValueError, with the reason, for what is not allowed."""
        room, seat = connection.room, connection.seat
        said = SAID.validate_json(text)
        if isinstance(said, Pace):
            room.set_pace(said.seconds)
        elif seat is None or isinstance(said, Sit):
            raise ValueError("only watching is allowed here")
        elif isinstance(said, Act):
            if said.decisions != len(room.table.events):
                raise ValueError("the table has changed meanwhile")
            room.table.act(seat, said.action)
        elif isinstance(said, TakeBack):
            room.table.take_back(seat)
        elif isinstance(said, Hint):
            await self._hint(connection, said.agent)
            return
        self.rooms.save(room)
        await self.show(room)

    async def _hint(self, connection: "Connection", name: str) -> None:
        """Ask an agent about the decision of a seat; it is told what that seat knows."""
        self._check_agent(name)
        table = connection.room.table
        if table.seat != connection.seat:
            raise ValueError("a hint is given to whoever acts")
        async with self._hints:
            decisions = len(table.events)
            advice = await asyncio.to_thread(lambda: table.advise(self.rooms.agent(name)))
        told = {"agent": name, "decisions": decisions, "advice": [asdict(one) for one in advice]}
        await connection.send({"kind": "hint", **told})


class Connection:
    """One browser at one table."""

    def __init__(self, websocket: WebSocket, room: Room, seat: int | None) -> None:
        self._websocket = websocket
        self.room = room
        self.seat = seat

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send, unless the browser has gone."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_json(message)


# --- endpoints


async def table_socket(websocket: WebSocket) -> None:
    """Sit down or watch, then play, until the connection ends."""
    hall: Hall = websocket.app.state.hall
    await websocket.accept()
    bucket, connection = Bucket(), None
    try:
        while True:
            text = await websocket.receive_text()
            try:
                bucket.take()
                if len(text) > LONGEST_MESSAGE:
                    raise TooFastError(f"a message of {len(text)} characters: {LONGEST_MESSAGE} are allowed")
                if connection is None:
                    connection = _sit(hall, websocket, text)
                    await hall.enter(connection)
                else:
                    await hall.hear(connection, text)
            except TooFastError as error:
                await websocket.send_json({"kind": "error", "why": str(error)})
                await websocket.close(POLICY_VIOLATION)
                return
            except ValueError as error:
                await websocket.send_json({"kind": "error", "why": _reason(error)})
                if connection is None:
                    await websocket.close(POLICY_VIOLATION)
                    return
    except (WebSocketDisconnect, KeyError):  # gone; or bytes where text is wanted
        pass
    finally:
        if connection is not None:
            hall.leave(connection)


def _sit(hall: Hall, websocket: WebSocket, text: str) -> Connection:
    said = SAID.validate_json(text)
    if not isinstance(said, Sit):
        raise ValueError("the first message must be of the kind 'sit'")
    room = hall.rooms.find(websocket.path_params["name"])
    seat = None if said.token is None else room.seat_of(said.token)
    room.view(seat)  # who may not watch is refused here
    return Connection(websocket, room, seat)


async def open_table(request: Request) -> Response:
    """POST /tables: a NewTable; answers with the table's name, and the seat and token of whoever asked."""
    wanted = NewTable.model_validate_json(await _body(request))
    room, seat, token = request.app.state.hall.open(wanted)
    return JSONResponse({"table": room.name, "seat": seat, "token": token}, 201)


async def join_table(request: Request) -> Response:
    """POST /tables/NAME/seats: takes an open seat; answers as `open_table` does."""
    hall: Hall = request.app.state.hall
    room = hall.rooms.find(request.path_params["name"])
    seat, token = hall.take_seat(room)
    await hall.show(room)
    return JSONResponse({"table": room.name, "seat": seat, "token": token}, 201)


async def game_record(request: Request) -> Response:
    """GET /tables/NAME/record: the record of a game that is over, for who has played or watched it."""
    room = request.app.state.hall.rooms.find(request.path_params["name"])
    if room.table.seat is not None:
        raise ValueError("the record is given when the game is over: it tells all hands")
    headers = {"Content-Disposition": 'attachment; filename="wizard.jsonl"'}
    return PlainTextResponse(record(room.table.game) + "\n", headers=headers)


async def list_agents(request: Request) -> Response:
    """GET /agents: the names of those who may sit at tables, the weakest first."""
    return JSONResponse(request.app.state.hall.agents)


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise ValueError(f"a request of more than {LONGEST_BODY} bytes")
    return body


def _reason(error: ValueError) -> str:
    """Why something is refused, on one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "the message"
        return f"{where}: {first['msg']}"
    return str(error)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, ValueError | TypeError)
    status = 404 if isinstance(error, UnknownRoomError) else 400
    why = _reason(error) if isinstance(error, ValueError) else str(error)
    return JSONResponse({"why": why}, status)


def make_app(database: Path | str, agents: Sequence[str]) -> Starlette:
    """The server as an ASGI application.

    Args:
        database: an SQLite file, made if there is none; ":memory:" keeps nothing.
        agents: what may sit at the tables, as `load` takes it.
    """

    @asynccontextmanager
    async def run(app: Starlette) -> AsyncIterator[None]:
        store = Store(database)
        app.state.hall = Hall(Rooms(store), agents)
        yield
        store.close()

    return Starlette(
        routes=[
            Route("/agents", list_agents),
            Route("/tables", open_table, methods=["POST"]),
            Route("/tables/{name}/seats", join_table, methods=["POST"]),
            Route("/tables/{name}/record", game_record),
            WebSocketRoute("/tables/{name}", table_socket),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ],
        lifespan=run,
        exception_handlers={ValueError: _refuse, TypeError: _refuse},
    )
