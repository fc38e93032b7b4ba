"""The endpoints of tables; `access.messages` describes all endpoints."""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from wizard_env.records.game_records import record
from wizard_table.translation import t
from wizard_table.web.access.addresses import Addresses, Invitation
from wizard_table.web.access.messages import OpenTable, TakeSeat, Tokens
from wizard_table.web.access.requests import client_behind, read_message, while_connected
from wizard_table.web.tables.hub import Hub
from wizard_table.web.tables.questions import Questions
from wizard_table.web.tables.setup import UnknownTableError
from wizard_table.web.tables.socket import table_socket
from wizard_table.web.tables.table import Table

T = TypeVar("T")


def hub_of(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


async def table_of(request: Request) -> Table:
    """Return the table that the path names. Raises UnknownTableError, and as `while_connected` does."""
    found = hub_of(request).tables.find(request.path_params["name"], client_behind(request))
    return await while_connected(request, found)


async def compute(request: Request, work: Callable[[], T]) -> T:
    """Compute part of an answer outside the event loop; clients take turns.

    Raises BusyError, what `work` raises, and as `while_connected` does.
    """
    computations: Questions = request.app.state.computations
    return await while_connected(request, computations.ask(client_behind(request), work))


async def invite(request: Request, path: str) -> Invitation:
    """Return an invitation to a path, as the client reaches the server. Raises as `compute` does."""
    addresses: Addresses = request.app.state.addresses
    host, scheme = request.headers["host"], request.url.scheme
    return await compute(request, lambda: addresses.invite(path, host, scheme))


async def _list_agents(request: Request) -> Response:
    return JSONResponse(hub_of(request).agents.describe())


async def _list_tables(request: Request) -> Response:
    return JSONResponse({"tables": [table.summary() for table in hub_of(request).waiting_tables()]})


async def _list_own_tables(request: Request) -> Response:
    tokens = (await read_message(request, Tokens)).tokens
    summaries: list[dict[str, Any]] = []
    gone: list[str] = []
    for name, token in tokens.items():
        try:
            found = hub_of(request).tables.find(name, client_behind(request))
            table = await while_connected(request, found)
            seat = table.seat_of(token)
        except UnknownTableError:
            gone.append(name)
        else:
            summaries.append(table.summary() | {"seat": seat, "left": seat in table.setup.left})
    return JSONResponse({"tables": summaries, "gone": gone})


async def _open_table(request: Request) -> Response:
    message = await read_message(request, OpenTable)
    request.app.state.openings.take(client_behind(request))
    return JSONResponse((await hub_of(request).open(message))._asdict(), 201)


async def _take_seat(request: Request) -> Response:
    message = await read_message(request, TakeSeat)
    ticket = await hub_of(request).take_seat(await table_of(request), message.person)
    return JSONResponse(ticket._asdict(), 201)


async def _show_summary(request: Request) -> Response:
    return JSONResponse((await table_of(request)).summary())


async def _show_invitation(request: Request) -> Response:
    return JSONResponse((await invite(request, f"join/{(await table_of(request)).name}"))._asdict())


async def _show_record(request: Request) -> Response:
    table = await table_of(request)
    if table.session.game.seat is not None:
        raise ValueError(t("the record is available once the game is over, because it shows all hands"))
    headers = {"Content-Disposition": 'attachment; filename="wizard.jsonl"'}
    line = await compute(request, lambda: record(table.session.game, table.setup.names))
    return PlainTextResponse(f"{line}\n", headers=headers)


TABLE_ROUTES: list[BaseRoute] = [
    Route("/agents", _list_agents),
    Route("/tables", _list_tables),
    Route("/tables", _open_table, methods=["POST"]),
    Route("/tables/mine", _list_own_tables, methods=["POST"]),
    Route("/tables/{name}", _show_summary),
    Route("/tables/{name}/seats", _take_seat, methods=["POST"]),
    Route("/tables/{name}/invitation", _show_invitation),
    Route("/tables/{name}/record", _show_record),
    WebSocketRoute("/tables/{name}", table_socket),
]
