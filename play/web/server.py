"""The server behind the browser table: tables over HTTP and websockets.

Each connection is sent the view of its own seat and nothing else. Agents act as long as somebody looks on.
"""

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from wizard_env import Agent
from wizard_env.play.web import review
from wizard_env.play.web.hub import AgentError, Connection, Hub
from wizard_env.play.web.messages import SAID, AskedMoment, AskedRound, Moment, NewTable, Sit, TakeSeat
from wizard_env.play.web.store import Store
from wizard_env.play.web.tables import SharedAgent, Tables, UnknownTableError
from wizard_env.records.game_record import record

PAGE = Path(__file__).parent / "static"
STRENGTH = PAGE / "strength.json"
"""What `make strength` has measured of agents, by their names."""
LONGEST_MESSAGE = 1024
"""Characters of what a browser says at once."""
LONGEST_BODY = 100_000
"""Bytes of a request; one that holds a record is the longest."""
RATE = 10.0
"""So many messages a second a connection may send, for long."""
BURST = 20
"""And so many at once."""
REQUEST_RATE = 40.0
"""So many requests a second that say something an address may send, for long."""
REQUEST_BURST = 80
"""And so many at once."""
MOST_ADDRESSES = 1000
"""So many of those that asked last are counted."""
POLICY_VIOLATION = 1008


class TooFastError(ValueError):
    """Somebody sends more messages than are allowed."""


STATUS = {UnknownTableError: 404, TooFastError: 429, AgentError: 500}
"""Of answers to requests that are refused; the others are 400."""


class Bucket:
    """Counts what a connection, or an address, may still send: a token bucket."""

    def __init__(self, rate: float = RATE, burst: int = BURST) -> None:
        """So many a second for long, and so many at once."""
        self._rate = rate
        self._burst = burst
        self._left = float(burst)
        self._seen = time.monotonic()

    def take(self) -> None:
        """Count a message. Raises TooFastError if it is one too many."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._seen) * self._rate)
        self._seen = now
        if self._left < 1:
            raise TooFastError(f"too many messages: {self._rate:g} a second are allowed")
        self._left -= 1


# --- endpoints


async def table_socket(websocket: WebSocket) -> None:
    """Sit down or watch, then play, until the connection ends."""
    hub: Hub = websocket.app.state.hub
    await websocket.accept()
    bucket, connection = Bucket(), None
    try:
        while websocket.application_state is WebSocketState.CONNECTED:  # or it has gone while it was sent to
            text = await websocket.receive_text()
            try:
                bucket.take()
                if len(text) > LONGEST_MESSAGE:
                    raise TooFastError(f"a message of {len(text)} characters: {LONGEST_MESSAGE} are allowed")
                if connection is None:
                    connection = _sit(hub, websocket, text)
                    await hub.enter(connection)
                else:
                    await hub.hear(connection, text)
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
            hub.leave(connection)


def _sit(hub: Hub, websocket: WebSocket, text: str) -> Connection:
    said = SAID.validate_json(text)
    if not isinstance(said, Sit):
        raise ValueError("the first message must be of the kind 'sit'")
    table = hub.tables.find(websocket.path_params["name"])
    seat = None if said.token is None else table.seat_of(said.token)
    table.view(seat)  # who may not watch is refused here
    return Connection(websocket, table, seat)


async def open_table(request: Request) -> Response:
    """POST /tables: a NewTable; answers with the table's name, and the seat and token of whoever asked."""
    wanted = NewTable.model_validate_json(await _body(request))
    table, seat, token = request.app.state.hub.open(wanted)
    return JSONResponse({"table": table.name, "seat": seat, "token": token}, 201)


async def join_table(request: Request) -> Response:
    """POST /tables/NAME/seats: a TakeSeat; answers as `open_table` does."""
    hub: Hub = request.app.state.hub
    wanted = TakeSeat.model_validate_json(await _body(request))
    table = hub.tables.find(request.path_params["name"])
    seat, token = hub.take_seat(table, wanted.person)
    await hub.show(table)
    return JSONResponse({"table": table.name, "seat": seat, "token": token}, 201)


async def game_record(request: Request) -> Response:
    """GET /tables/NAME/record: the record of a game that is over, for who has played or watched it."""
    table = request.app.state.hub.tables.find(request.path_params["name"])
    if table.session.seat is not None:
        raise ValueError("the record is given when the game is over: it tells all hands")
    headers = {"Content-Disposition": 'attachment; filename="wizard.jsonl"'}
    return PlainTextResponse(record(table.session.game) + "\n", headers=headers)


async def open_seats(request: Request) -> Response:
    """GET /tables/NAME/seats: the seats that nobody has taken yet."""
    return JSONResponse({"open": request.app.state.hub.tables.find(request.path_params["name"]).open_seats})


async def list_agents(request: Request) -> Response:
    """GET /agents: who may sit at tables.

    `lead` is in points a game over three `rule_based`, null if it was not measured; `judges` is whether it
    can be asked where points were lost.
    """
    hub: Hub = request.app.state.hub
    leads = json.loads(STRENGTH.read_text(encoding="utf-8"))
    told = [
        {"name": name, "lead": leads.get(name), "judges": hub.tables.agent(name).expects_points}
        for name in hub.agents
    ]
    return JSONResponse(told)


async def show_moment(request: Request) -> Response:
    """POST /records/moment: a Moment; answers with its picture."""
    wanted = Moment.model_validate_json(await _body(request))
    return JSONResponse(await asyncio.to_thread(review.show, wanted.record, wanted.decisions))


async def ask_opinion(request: Request) -> Response:
    """POST /records/opinion: an AskedMoment; answers with what the agent thinks of the decision."""
    wanted = AskedMoment.model_validate_json(await _body(request))
    hub: Hub = request.app.state.hub
    return JSONResponse(
        await hub.ask(wanted.agent, lambda agent: review.opinion(wanted.record, wanted.decisions, agent))
    )


async def judge_round(request: Request) -> Response:
    """POST /records/judgement: an AskedRound; answers with where points were lost."""
    wanted = AskedRound.model_validate_json(await _body(request))
    hub: Hub = request.app.state.hub

    def judge(agent: Agent) -> dict[str, Any]:
        return review.judgement(wanted.record, wanted.round_number, agent, wanted.agent)

    return JSONResponse(await hub.ask(wanted.agent, judge))


async def _body(request: Request) -> bytes:
    """What a request says. Raises ValueError if it is too long, and TooFastError."""
    buckets: OrderedDict[str, Bucket] = request.app.state.buckets
    address = request.client.host if request.client else ""
    buckets.setdefault(address, Bucket(REQUEST_RATE, REQUEST_BURST)).take()
    buckets.move_to_end(address)
    if len(buckets) > MOST_ADDRESSES:
        buckets.popitem(last=False)
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
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
    why = _reason(error) if isinstance(error, ValueError) else str(error)
    return JSONResponse({"why": why}, status)


def make_app(database: Path | str, agents: Sequence[str], records: Path | None = None) -> Starlette:
    """The server as an ASGI application.

    Args:
        database: an SQLite file, made if there is none; ":memory:" keeps nothing.
        agents: what may sit at the tables, as `load` takes it.
        records: a folder, made if there is none; games are written there when they are over, a file for
            each table.

    Raises:
        ValueError: the file is no database; or as `load` does.
        OSError: the folder cannot be made.
    """
    agent = cache(SharedAgent)
    for name in agents:
        agent(name)
    Store(database).close()  # SQLite wants another connection in the thread that serves
    if records is not None:
        records.mkdir(exist_ok=True)

    @asynccontextmanager
    async def run(app: Starlette) -> AsyncIterator[None]:
        store = Store(database)
        app.state.buckets = OrderedDict()
        app.state.hub = Hub(Tables(store, agent), agents, records)
        yield
        store.close()

    return Starlette(
        routes=[
            Route("/agents", list_agents),
            Route("/tables", open_table, methods=["POST"]),
            Route("/tables/{name}/seats", join_table, methods=["POST"]),
            Route("/tables/{name}/seats", open_seats),
            Route("/tables/{name}/record", game_record),
            Route("/records/moment", show_moment, methods=["POST"]),
            Route("/records/opinion", ask_opinion, methods=["POST"]),
            Route("/records/judgement", judge_round, methods=["POST"]),
            WebSocketRoute("/tables/{name}", table_socket),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ],
        lifespan=run,
        exception_handlers={ValueError: _refuse, TypeError: _refuse},
    )
