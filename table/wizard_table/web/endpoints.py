"""The endpoints of the server; `messages` describes them."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from wizard_env import Agent
from wizard_env.actions import MAX_BID
from wizard_env.engine import score
from wizard_env.records.game_records import record
from wizard_table.translation import t
from wizard_table.web import views
from wizard_table.web.addresses import Addresses, Invitation
from wizard_table.web.hub import Hub
from wizard_table.web.judgements import Judgements
from wizard_table.web.matches import Matches, list_results
from wizard_table.web.messages import (
    AssessMoment,
    AtSeat,
    JudgeRound,
    Message,
    Moment,
    OpenTable,
    TakeSeat,
    Tokens,
)
from wizard_table.web.preview import (
    NOTHING,
    Preview,
    invite_to_match,
    invite_to_table,
    page_of,
    preview_of,
)
from wizard_table.web.puzzles import show_puzzles
from wizard_table.web.questions import Questions
from wizard_table.web.readiness import Readiness
from wizard_table.web.setup import UnknownTableError
from wizard_table.web.socket import table_socket
from wizard_table.web.table import Table
from wizard_table.web.tables import Openings

_DAY = 24 * 3600
"""Seconds for which a browser keeps the puzzles."""
LONGEST_BODY = 100_000
"""Bytes in the body of a request; those with a record are the longest."""
M = TypeVar("M", bound=Message)
T = TypeVar("T")


async def _read_message(request: Request, kind: type[M]) -> M:
    """Read the body of a request. Raises ValueError if it is too long, or no message of that kind."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise ValueError(t("the request has more than {most} bytes", most=LONGEST_BODY))
    return kind.model_validate_json(body)


def _hub_of(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


def _matches_of(request: Request) -> Matches:
    matches: Matches = request.app.state.matches
    return matches


async def _table_of(request: Request) -> Table:
    """Return the table that the path names. Raises as `Tables.find` does."""
    return await _hub_of(request).tables.find(request.path_params["name"])


async def _compute(request: Request, work: Callable[[], T]) -> T:
    """Compute part of an answer outside the event loop. Raises BusyError, and what `work` raises."""
    computations: Questions = request.app.state.computations
    return await computations.ask(work)


async def _invite(request: Request, path: str) -> Invitation:
    """Return an invitation to a path, as the client reaches the server. Raises as `_compute` does."""
    addresses: Addresses = request.app.state.addresses
    host, scheme = request.headers["host"], request.url.scheme
    return await _compute(request, lambda: addresses.invite(path, host, scheme))


def _count_opening(request: Request) -> None:
    """Count a table that a client opens. Raises TooManyTablesError."""
    openings: Openings = request.app.state.openings
    openings.count(request.client.host if request.client else "")


# --- tables


async def _list_agents(request: Request) -> Response:
    return JSONResponse(_hub_of(request).agents.describe())


async def _list_tables(request: Request) -> Response:
    return JSONResponse({"tables": [table.summary() for table in _hub_of(request).waiting_tables()]})


async def _list_own_tables(request: Request) -> Response:
    tokens = (await _read_message(request, Tokens)).tokens
    summaries: list[dict[str, Any]] = []
    gone: list[str] = []
    for name, token in tokens.items():
        try:
            table = await _hub_of(request).tables.find(name)
            seat = table.seat_of(token)
        except UnknownTableError:
            gone.append(name)
        else:
            summaries.append(table.summary() | {"seat": seat, "left": seat in table.setup.left})
    return JSONResponse({"tables": summaries, "gone": gone})


async def _open_table(request: Request) -> Response:
    message = await _read_message(request, OpenTable)
    _count_opening(request)
    return JSONResponse((await _hub_of(request).open(message))._asdict(), 201)


async def _take_seat(request: Request) -> Response:
    message = await _read_message(request, TakeSeat)
    ticket = await _hub_of(request).take_seat(await _table_of(request), message.person)
    return JSONResponse(ticket._asdict(), 201)


async def _show_summary(request: Request) -> Response:
    return JSONResponse((await _table_of(request)).summary())


async def _show_invitation(request: Request) -> Response:
    return JSONResponse((await _invite(request, f"join/{(await _table_of(request)).name}"))._asdict())


async def _show_record(request: Request) -> Response:
    table = await _table_of(request)
    if table.session.game.seat is not None:
        raise ValueError(t("the record is available once the game is over, because it shows all hands"))
    headers = {"Content-Disposition": 'attachment; filename="wizard.jsonl"'}
    line = await _compute(request, lambda: record(table.session.game, table.setup.names))
    return PlainTextResponse(f"{line}\n", headers=headers)


async def _judge_round(request: Request) -> Response:
    message, table = await _read_message(request, JudgeRound), await _table_of(request)
    judgements: Judgements = request.app.state.judgements
    return JSONResponse(await judgements.of(table, message.round_number))


# --- matches


async def _show_match(request: Request) -> Response:
    find = partial(_matches_of(request).find, request.path_params["match"])
    setup, rows = await _compute(request, find)
    results = await _compute(request, partial(list_results, rows, request.query_params.get("table")))
    game = {"rules": setup.rules.to_dict(), "num_rounds": len(setup.rules.rounds), "seats": setup.seats}
    return JSONResponse(game | {"results": results})


async def _play_match(request: Request) -> Response:
    message = await _read_message(request, TakeSeat)
    _count_opening(request)
    ticket = await _matches_of(request).open(request.path_params["match"], message.person)
    return JSONResponse(ticket._asdict(), 201)


# --- records


async def _show_moment(request: Request) -> Response:
    message = await _read_message(request, Moment)
    shown = partial(views.show_moment, message.record, message.decisions)
    return JSONResponse(await _compute(request, shown))


async def _show_decision(request: Request) -> Response:
    message = await _read_message(request, Moment)
    shown = partial(views.show_decision, message.record, message.decisions)
    return JSONResponse(await _compute(request, shown))


async def _assess_moment(request: Request) -> Response:
    message = await _read_message(request, AssessMoment)

    def question(agent: Agent) -> dict[str, Any]:
        return views.show_advice(agent, views.session_at(message.record, message.decisions).game)

    return JSONResponse(await _hub_of(request).agents.ask(message.agent, question))


# --- puzzles, and points for real cards


async def _list_puzzles(request: Request) -> Response:
    puzzles = await _compute(request, show_puzzles)
    return JSONResponse({"puzzles": puzzles}, headers={"Cache-Control": f"max-age={_DAY}"})


async def _show_points(request: Request) -> Response:
    tricks = range(MAX_BID + 1)
    return JSONResponse({"points": [[score(bid, won) for won in tricks] for bid in tricks]})


# --- shared links


async def _share_result(request: Request) -> Response:
    message, table = await _read_message(request, AtSeat), await _table_of(request)
    seat = table.seat_of(message.token)
    if table.session.game.seat is not None:
        raise ValueError(t("a result can be shared once the game is over"))
    if table.setup.seats.count(None) == 1:
        await _matches_of(request).begin(table)
    shared = await _invite(request, f"share/{table.name}/{seat}")
    return JSONResponse({"seat": seat, "match": table.setup.match, **shared._asdict()})


async def _lead_to_result(request: Request) -> Response:
    name, seat = request.path_params["name"], request.path_params["seat"]
    return await _lead_to(request, f"../../#result/{name}/{seat}", _preview_of_result)


async def _lead_to_table(request: Request) -> Response:
    return await _lead_to(request, f"../#{request.path_params['name']}", _preview_of_table)


async def _lead_to_match(request: Request) -> Response:
    return await _lead_to(request, f"../../#match/{request.path_params['match']}", _preview_of_match)


async def _lead_to(
    request: Request, address: str, describe: Callable[[Request], Awaitable[Preview]]
) -> Response:
    """Send a preview, which leads on to an address even if there is nothing to show."""
    readiness: Readiness = request.app.state.readiness
    preview, status = NOTHING, 200
    if readiness.ready:
        try:
            preview = await describe(request)
        except UnknownTableError:
            status = 404
    addresses: Addresses = request.app.state.addresses
    root = addresses.root_for(request.headers["host"], request.url.scheme)
    return HTMLResponse(page_of(preview, root, address), status)


async def _preview_of_table(request: Request) -> Preview:
    return invite_to_table((await _table_of(request)).setup)


async def _preview_of_match(request: Request) -> Preview:
    await _compute(request, partial(_matches_of(request).find, request.path_params["match"]))
    return invite_to_match()


async def _preview_of_result(request: Request) -> Preview:
    table, seat = await _table_of(request), request.path_params["seat"]
    if seat not in range(table.session.game.rules.num_players) or table.setup.seats[seat] is not None:
        raise UnknownTableError(t("there is no such result"))
    if table.session.game.seat is not None:
        return NOTHING
    judgements: Judgements = request.app.state.judgements
    return preview_of(table, seat, judgements.kept_of(table))


ROUTES: list[BaseRoute] = [
    Route("/agents", _list_agents),
    Route("/tables", _list_tables),
    Route("/tables", _open_table, methods=["POST"]),
    Route("/tables/mine", _list_own_tables, methods=["POST"]),
    Route("/tables/{name}", _show_summary),
    Route("/tables/{name}/seats", _take_seat, methods=["POST"]),
    Route("/tables/{name}/invitation", _show_invitation),
    Route("/tables/{name}/record", _show_record),
    Route("/tables/{name}/judgement", _judge_round, methods=["POST"]),
    Route("/tables/{name}/share", _share_result, methods=["POST"]),
    WebSocketRoute("/tables/{name}", table_socket),
    Route("/matches/{match}", _show_match),
    Route("/matches/{match}/seats", _play_match, methods=["POST"]),
    Route("/records/moment", _show_moment, methods=["POST"]),
    Route("/records/decision", _show_decision, methods=["POST"]),
    Route("/records/assessment", _assess_moment, methods=["POST"]),
    Route("/puzzles", _list_puzzles),
    Route("/points", _show_points),
    Route("/share/{name}/{seat:int}", _lead_to_result),
    Route("/join/{name}", _lead_to_table),
    Route("/join/match/{match}", _lead_to_match),
]
