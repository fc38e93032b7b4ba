"""The web server: the page, tables over HTTP and websockets, and reviews.

Each connection is sent the view of its own seat and nothing else. Agents act while someone is connected.
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
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from wizard_env import Agent
from wizard_env.play.web import review
from wizard_env.play.web.hub import AgentError, Connection, Hub
from wizard_env.play.web.languages import LanguageMiddleware, show_texts
from wizard_env.play.web.messages import AskedMoment, AskedRound, Moment, NewTable, Sit, TakeSeat
from wizard_env.play.web.store import Store
from wizard_env.play.web.tables import SharedAgent, Tables, UnknownTableError
from wizard_env.records.game_records import record

PAGE = Path(__file__).parent / "static"
STRENGTH = PAGE / "strength.json"
"""The strength of agents by name, as measured by `make strength`."""
LONGEST_MESSAGE = 1024
"""Characters in one message over a websocket."""
LONGEST_BODY = 100_000
"""Bytes in the body of a request; those with a record are the longest."""
RATE = 10.0
"""Messages per second that a connection may send on average."""
BURST = 20
"""Messages that it may send at once."""
REQUEST_RATE = 40.0
"""Requests with a body per second that an address may send on average."""
REQUEST_BURST = 80
"""Requests with a body that it may send at once."""
MOST_ADDRESSES = 1000
"""Addresses whose requests are counted: those that sent one most recently."""
POLICY_VIOLATION = 1008
"""The code that closes a websocket after a policy violation (RFC 6455)."""


class TooFastError(ValueError):
    """Messages come faster, or are longer, than allowed."""


STATUS = {UnknownTableError: 404, TooFastError: 429, AgentError: 500}
"""Status codes of refused requests; all other errors get 400."""


class Bucket:
    """A token bucket: how many messages a connection or an address may still send."""

    def __init__(self, rate: float = RATE, burst: int = BURST) -> None:
        """Allow `rate` messages per second on average, and `burst` at once."""
        self._rate = rate
        self._burst = burst
        self._left = float(burst)
        self._seen = time.monotonic()

    def take(self) -> None:
        """Count a message. Raises TooFastError if there are too many."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._seen) * self._rate)
        self._seen = now
        if self._left < 1:
            raise TooFastError(f"too many messages: {self._rate:g} per second are allowed")
        self._left -= 1


# --- endpoints


async def table_socket(websocket: WebSocket) -> None:
    """Sit down or watch, then obey commands until the connection ends."""
    hub: Hub = websocket.app.state.hub
    await websocket.accept()
    bucket, connection = Bucket(), None
    try:
        while websocket.application_state is WebSocketState.CONNECTED:  # it may have closed during a send
            text = await websocket.receive_text()
            try:
                bucket.take()
                if len(text) > LONGEST_MESSAGE:
                    raise TooFastError(
                        f"the message has {len(text)} characters: {LONGEST_MESSAGE} are allowed"
                    )
                if connection is None:
                    connection = _sit(hub, websocket, text)
                    await hub.enter(connection)
                else:
                    await hub.obey(connection, text)
            except TooFastError as error:
                await websocket.send_json({"kind": "error", "why": str(error)})
                await websocket.close(POLICY_VIOLATION)
                return
            except ValueError as error:
                await websocket.send_json({"kind": "error", "why": _reason(error)})
                if connection is None:
                    await websocket.close(POLICY_VIOLATION)
                    return
    except (WebSocketDisconnect, KeyError):  # closed; or bytes instead of text
        pass
    finally:
        if connection is not None:
            hub.leave(connection)


def _sit(hub: Hub, websocket: WebSocket, text: str) -> Connection:
    token = Sit.model_validate_json(text).token
    table = hub.tables.find(websocket.path_params["name"])
    return Connection(websocket, table, table.seat_of(token))


async def open_table(request: Request) -> Response:
    """POST /tables: a NewTable; returns the table's name, and the seat and token of the sender."""
    wanted = NewTable.model_validate_json(await _body(request))
    table, seat, token = request.app.state.hub.open(wanted)
    return JSONResponse({"table": table.name, "seat": seat, "token": token}, 201)


async def join_table(request: Request) -> Response:
    """POST /tables/NAME/seats: a TakeSeat; returns the same as `open_table`."""
    hub: Hub = request.app.state.hub
    wanted = TakeSeat.model_validate_json(await _body(request))
    table = hub.tables.find(request.path_params["name"])
    seat, token = hub.take_seat(table, wanted.person)
    await hub.show(table)
    return JSONResponse({"table": table.name, "seat": seat, "token": token}, 201)


async def game_record(request: Request) -> Response:
    """GET /tables/NAME/record: the record of a game that is over."""
    table = request.app.state.hub.tables.find(request.path_params["name"])
    if table.session.seat is not None:
        raise ValueError("the record is available once the game is over, because it shows all hands")
    headers = {"Content-Disposition": 'attachment; filename="wizard.jsonl"'}
    return PlainTextResponse(record(table.session.game) + "\n", headers=headers)


async def open_seats(request: Request) -> Response:
    """GET /tables/NAME/seats: the seats that are not taken yet."""
    return JSONResponse({"open": request.app.state.hub.tables.find(request.path_params["name"]).open_seats})


async def list_agents(request: Request) -> Response:
    """GET /agents: the agents that this server offers.

    `lead` is the agent's lead over three `rule_based` in points per game, null if it has not been measured;
    `judges` is whether it can judge where points were lost.
    """
    hub: Hub = request.app.state.hub
    leads = json.loads(STRENGTH.read_text(encoding="utf-8"))
    listed = [
        {"name": name, "lead": leads.get(name), "judges": hub.tables.agent(name).expects_points}
        for name in hub.agents
    ]
    return JSONResponse(listed)


async def show_moment(request: Request) -> Response:
    """POST /records/moment: a Moment; returns the view of the game at that moment."""
    wanted = Moment.model_validate_json(await _body(request))
    return JSONResponse(await asyncio.to_thread(review.show, wanted.record, wanted.decisions))


async def assess_moment(request: Request) -> Response:
    """POST /records/assessment: an AskedMoment; returns the agent's assessment of the decision."""
    wanted = AskedMoment.model_validate_json(await _body(request))
    hub: Hub = request.app.state.hub

    def assess(agent: Agent) -> dict[str, Any]:
        return review.assessment(wanted.record, wanted.decisions, agent)

    return JSONResponse(await hub.ask(wanted.agent, assess))


async def judge_round(request: Request) -> Response:
    """POST /records/judgement: an AskedRound; returns where points were lost."""
    wanted = AskedRound.model_validate_json(await _body(request))
    hub: Hub = request.app.state.hub

    def judge(agent: Agent) -> dict[str, Any]:
        return review.judgement(wanted.record, wanted.round_number, agent, wanted.agent)

    return JSONResponse(await hub.ask(wanted.agent, judge))


async def _body(request: Request) -> bytes:
    """The body of a request. Raises ValueError if it is too long, and TooFastError."""
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
            raise ValueError(f"the request has more than {LONGEST_BODY} bytes")
    return body


def _reason(error: ValueError) -> str:
    """The reason of a refusal, on one line."""
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
        database: an SQLite file, created if it does not exist; ":memory:" keeps nothing.
        agents: the agents to offer, each as `load` accepts it.
        records: a folder, created if it does not exist, to which finished games are written, one file per
            table; None writes none.

    Raises:
        ValueError: the file is not a database; or as `load` does.
        OSError: the folder cannot be created.
    """
    agent = cache(SharedAgent)
    for name in agents:
        agent(name)
    Store(database).close()  # checked here; the thread that serves needs a connection of its own
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
            Route("/language", show_texts),
            Route("/agents", list_agents),
            Route("/tables", open_table, methods=["POST"]),
            Route("/tables/{name}/seats", join_table, methods=["POST"]),
            Route("/tables/{name}/seats", open_seats),
            Route("/tables/{name}/record", game_record),
            Route("/records/moment", show_moment, methods=["POST"]),
            Route("/records/assessment", assess_moment, methods=["POST"]),
            Route("/records/judgement", judge_round, methods=["POST"]),
            WebSocketRoute("/tables/{name}", table_socket),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ],
        middleware=[Middleware(LanguageMiddleware)],
        lifespan=run,
        exception_handlers={ValueError: _refuse, TypeError: _refuse},
    )
