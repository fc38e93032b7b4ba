"""The web server: the page, tables over HTTP and websockets, and reviews.

Each connection is sent the view of its own seat and nothing else. Agents act while someone is connected.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from wizard_env import Agent
from wizard_env.play.language.translation import t
from wizard_env.play.web import review
from wizard_env.play.web.access.addresses import LOCAL, Addresses
from wizard_env.play.web.access.guard import HEADERS, POLICY_VIOLATION, Guard
from wizard_env.play.web.access.limits import Bucket, Buckets, Places, TooFastError
from wizard_env.play.web.access.readiness import READY, Readiness
from wizard_env.play.web.access.requests import body_of, client_behind
from wizard_env.play.web.connections import TRY_AGAIN, Connection
from wizard_env.play.web.duplicate.endpoints import MATCH_ROUTES
from wizard_env.play.web.duplicate.matches import Matches
from wizard_env.play.web.hub import AgentError, Hub
from wizard_env.play.web.judging.endpoints import judge_table
from wizard_env.play.web.judging.judgements import Judgements
from wizard_env.play.web.judging.sums import judgement
from wizard_env.play.web.languages import LanguageMiddleware, show_texts
from wizard_env.play.web.messages import AskedMoment, AskedRound, Moment, NewTable, Sit, TakeSeat, Tokens
from wizard_env.play.web.page import Page
from wizard_env.play.web.questions import BusyError, SharedAgent
from wizard_env.play.web.store import Store, StoreError
from wizard_env.play.web.table import Table, UnknownTableError
from wizard_env.play.web.tables import FullError, Tables
from wizard_env.records.game_records import record

PAGE = Path(__file__).parent / "static"
STRENGTH = PAGE / "strength.json"
"""The strength of agents by name, as measured by `make strength`."""
LONGEST_MESSAGE = 1024
"""Characters in one message over a websocket."""
RATE = 10.0
"""Messages per second that a connection may send on average."""
BURST = 20
"""Messages that it may send at once."""
MOST_SOCKETS = 250
"""Connections to tables that a client may have at the same time."""
SECONDS_TO_SIT = 10.0
"""How long a connection may stay without sitting down or watching."""
TABLES_PER_HOUR = 60
"""Tables that a client may open per hour on average, and at once."""

STATUS = {
    UnknownTableError: 404,
    TooFastError: 429,
    BusyError: 503,
    FullError: 503,
    StoreError: 503,
    AgentError: 500,
}
"""Status codes of refused requests; all other errors get 400."""


# --- endpoints


async def table_socket(websocket: WebSocket) -> None:
    """Sit down or watch, then obey commands until the connection ends."""
    await websocket.accept()
    sockets: Places = websocket.app.state.sockets
    try:
        with sockets.one_more(client_behind(websocket), MOST_SOCKETS):
            await _attend(websocket)
    except (ValueError, StoreError) as error:
        await websocket.send_json({"kind": "error", "why": _reason(error)})
        await websocket.close(TRY_AGAIN if isinstance(error, StoreError) else POLICY_VIOLATION)
        return
    except (WebSocketDisconnect, KeyError):  # closed; or bytes instead of text
        return


async def _attend(websocket: WebSocket) -> None:
    """As `table_socket`; raises ValueError and StoreError for whoever may not."""
    hub: Hub = websocket.app.state.hub
    bucket = Bucket(RATE, BURST)
    bucket.take()
    try:
        text = await asyncio.wait_for(websocket.receive_text(), SECONDS_TO_SIT)
    except TimeoutError:
        raise ValueError(
            t("the first message must come within {seconds} seconds", seconds=f"{SECONDS_TO_SIT:g}")
        ) from None
    connection = await _sit(hub, websocket, _limited(text))
    obeying = asyncio.create_task(_obey_all(hub, websocket, connection, bucket))
    try:
        await asyncio.wait([obeying, connection.sending], return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.leave(connection)
        for task in (obeying, connection.sending):
            task.cancel()
        await asyncio.wait([obeying, connection.sending])
    if not obeying.cancelled():
        obeying.result()  # raises what nobody expected


async def _sit(hub: Hub, websocket: WebSocket, text: str) -> Connection:
    token = Sit.model_validate_json(text).token
    table = await hub.tables.find(websocket.path_params["name"])
    connection = Connection(websocket, table, table.seat_of(token), client_behind(websocket))
    try:
        await hub.enter(connection)
    except BaseException:
        hub.leave(connection)
        connection.sending.cancel()
        raise
    return connection


async def _obey_all(hub: Hub, websocket: WebSocket, connection: Connection, bucket: Bucket) -> None:
    """Obey commands until the browser goes, or sends too much; then let the connection end."""
    with suppress(WebSocketDisconnect, KeyError, RuntimeError):
        while True:
            text = await websocket.receive_text()
            try:
                bucket.take()
                await hub.obey(connection, _limited(text))
            except TooFastError as error:
                connection.send({"kind": "error", "why": str(error)})
                connection.close(POLICY_VIOLATION)
                await connection.sending
            except (ValueError, StoreError) as error:
                connection.send({"kind": "error", "why": _reason(error)})


def _limited(text: str) -> str:
    if len(text) > LONGEST_MESSAGE:
        raise TooFastError(f"the message has {len(text)} characters: {LONGEST_MESSAGE} are allowed")
    return text


async def is_ready(request: Request) -> Response:
    """GET /ready: whether the server is ready, and how far it is."""
    return JSONResponse(request.app.state.readiness.to_json())


async def list_tables(request: Request) -> Response:
    """GET /tables: the tables that wait for guests."""
    return JSONResponse({"tables": [table.summary() for table in request.app.state.hub.waiting()]})


async def my_tables(request: Request) -> Response:
    """POST /tables/mine: Tokens; returns the tables that they open, and which are gone."""
    summaries, gone = await request.app.state.hub.mine(Tokens.model_validate_json(await body_of(request)))
    return JSONResponse({"tables": summaries, "gone": gone})


async def open_table(request: Request) -> Response:
    """POST /tables: a NewTable; returns the table's name, and the seat and token of the sender."""
    wanted = NewTable.model_validate_json(await body_of(request))
    request.app.state.openings.take(client_behind(request))
    table, seat, token = await request.app.state.hub.open(wanted)
    return JSONResponse({"table": table.name, "seat": seat, "token": token}, 201)


async def join_table(request: Request) -> Response:
    """POST /tables/NAME/seats: a TakeSeat; returns the same as `open_table`."""
    wanted = TakeSeat.model_validate_json(await body_of(request))
    table = await _table(request)
    seat, token = await request.app.state.hub.take_seat(table, wanted.person)
    return JSONResponse({"table": table.name, "seat": seat, "token": token}, 201)


async def show_summary(request: Request) -> Response:
    """GET /tables/NAME: the table's summary."""
    return JSONResponse((await _table(request)).summary())


async def invite(request: Request) -> Response:
    """GET /tables/NAME/invitation: the address that others can open, also as a QR code."""
    table = await _table(request)
    addresses: Addresses = request.app.state.addresses
    invitation = addresses.invite(table.name, request.headers["host"], request.url.scheme)
    return JSONResponse(invitation._asdict())


async def game_record(request: Request) -> Response:
    """GET /tables/NAME/record: the record of a game that is over."""
    table = await _table(request)
    if table.session.seat is not None:
        raise ValueError(t("the record is available once the game is over, because it shows all hands"))
    headers = {"Content-Disposition": 'attachment; filename="wizard.jsonl"'}
    return PlainTextResponse(record(table.session.game, table.names) + "\n", headers=headers)


async def open_seats(request: Request) -> Response:
    """GET /tables/NAME/seats: the seats that are not taken yet."""
    return JSONResponse({"open": (await _table(request)).setup.open_seats})


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
    wanted = Moment.model_validate_json(await body_of(request))
    return JSONResponse(await asyncio.to_thread(review.show, wanted.record, wanted.decisions))


async def show_decision(request: Request) -> Response:
    """POST /records/decision: a Moment; returns the view of the seat that acted next, as it was then."""
    wanted = Moment.model_validate_json(await body_of(request))
    return JSONResponse(await asyncio.to_thread(review.decision, wanted.record, wanted.decisions))


async def assess_moment(request: Request) -> Response:
    """POST /records/assessment: an AskedMoment; returns the agent's assessment of the decision."""
    wanted = AskedMoment.model_validate_json(await body_of(request))
    hub: Hub = request.app.state.hub

    def assess(agent: Agent) -> dict[str, Any]:
        return review.assessment(wanted.record, wanted.decisions, agent)

    return JSONResponse(await hub.ask(wanted.agent, assess, client_behind(request)))


async def judge_round(request: Request) -> Response:
    """POST /records/judgement: an AskedRound; returns where points were lost."""
    wanted = AskedRound.model_validate_json(await body_of(request))
    hub: Hub = request.app.state.hub

    def judge(agent: Agent) -> dict[str, Any]:
        return judgement(review.read(wanted.record), wanted.round_number, agent, wanted.agent)

    return JSONResponse(await hub.ask(wanted.agent, judge, client_behind(request), costly=True))


async def _table(request: Request) -> Table:
    table: Table = await request.app.state.hub.tables.find(request.path_params["name"])
    return table


def _reason(error: Exception) -> str:
    """The reason of a refusal, on one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "the message"
        return f"{where}: {first['msg']}"
    return str(error)


async def _refuse(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
    return JSONResponse({"why": _reason(error)}, status)


async def _fail(request: Request, error: Exception) -> Response:
    return JSONResponse({"why": "the server failed; its log says why"}, 500, HEADERS)


def make_app(
    database: Path | str,
    agents: Sequence[str],
    records: Path | None = None,
    addresses: Addresses = LOCAL,
    readiness: Readiness = READY,
) -> Starlette:
    """The server as an ASGI application.

    Args:
        database: an SQLite file, created if it does not exist; ":memory:" keeps nothing.
        agents: the agents to offer, each as `load` accepts it.
        records: a folder, created if it does not exist, to which finished games are written, one file per
            table; None writes none.
        addresses: where the server can be reached; requests to other names are refused.
        readiness: tells when kernels are compiled and agents have warmed up.

    Raises:
        ValueError: the file is not a database, or is in use; or as `load` does.
        OSError: the folder cannot be created.
    """
    agent = cache(SharedAgent)
    for name in agents:
        agent(name)
    Store(database).close()  # checked here; a server that does not run yet holds no lock
    if records is not None:
        records.mkdir(exist_ok=True)

    @asynccontextmanager
    async def run(app: Starlette) -> AsyncIterator[None]:
        store = Store(database)
        app.state.addresses = addresses
        app.state.readiness = readiness
        app.state.sockets = Places()
        app.state.openings = Buckets(TABLES_PER_HOUR, TABLES_PER_HOUR, "new tables", per_hour=True)
        app.state.judgements = Judgements()
        app.state.matches = Matches()
        app.state.hub = Hub(Tables(store, agent), agents, records)
        yield
        await app.state.hub.close()
        store.close()

    return Starlette(
        routes=[
            Route("/language", show_texts),
            Route("/ready", is_ready),
            Route("/agents", list_agents),
            Route("/tables", list_tables),
            Route("/tables", open_table, methods=["POST"]),
            Route("/tables/mine", my_tables, methods=["POST"]),
            Route("/tables/{name}", show_summary),
            Route("/tables/{name}/seats", join_table, methods=["POST"]),
            Route("/tables/{name}/seats", open_seats),
            Route("/tables/{name}/invitation", invite),
            Route("/tables/{name}/record", game_record),
            *MATCH_ROUTES,
            Route("/tables/{name}/judgement", judge_table, methods=["POST"]),
            Route("/records/moment", show_moment, methods=["POST"]),
            Route("/records/decision", show_decision, methods=["POST"]),
            Route("/records/assessment", assess_moment, methods=["POST"]),
            Route("/records/judgement", judge_round, methods=["POST"]),
            WebSocketRoute("/tables/{name}", table_socket),
            Mount("/", Page(PAGE)),
        ],
        middleware=[
            Middleware(LanguageMiddleware),
            Middleware(Guard, addresses=addresses, readiness=readiness),
        ],
        lifespan=run,
        exception_handlers={ValueError: _refuse, TypeError: _refuse, StoreError: _refuse, Exception: _fail},
    )
