"""The addresses by which results, tables and matches are shared."""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from wizard_table.translation import t
from wizard_table.web.access.addresses import Addresses
from wizard_table.web.access.messages import AtSeat
from wizard_table.web.access.readiness import Readiness
from wizard_table.web.access.requests import read_message
from wizard_table.web.duplicate.endpoints import matches_of
from wizard_table.web.judging.judgements import Judgements
from wizard_table.web.sharing.preview import (
    NOTHING,
    Preview,
    invite_to_match,
    invite_to_table,
    page_of,
    preview_of,
)
from wizard_table.web.tables.endpoints import compute, invite, table_of
from wizard_table.web.tables.setup import UnknownTableError


async def _share_result(request: Request) -> Response:
    message, table = await read_message(request, AtSeat), await table_of(request)
    seat = table.seat_of(message.token)
    if table.session.game.seat is not None:
        raise ValueError(t("a result can be shared once the game is over"))
    if table.setup.seats.count(None) == 1:
        await matches_of(request).begin(table)
    shared = await invite(request, f"share/{table.name}/{seat}")
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
    return invite_to_table((await table_of(request)).setup)


async def _preview_of_match(request: Request) -> Preview:
    await compute(request, partial(matches_of(request).find, request.path_params["match"]))
    return invite_to_match()


async def _preview_of_result(request: Request) -> Preview:
    table, seat = await table_of(request), request.path_params["seat"]
    if seat not in range(table.session.game.rules.num_players) or table.setup.seats[seat] is not None:
        raise UnknownTableError(t("there is no such result"))
    if table.session.game.seat is not None:
        return NOTHING
    judgements: Judgements = request.app.state.judgements
    return preview_of(table, seat, judgements.kept_of(table))


SHARING_ROUTES = [
    Route("/tables/{name}/share", _share_result, methods=["POST"]),
    Route("/share/{name}/{seat:int}", _lead_to_result),
    Route("/join/{name}", _lead_to_table),
    Route("/join/match/{match}", _lead_to_match),
]
