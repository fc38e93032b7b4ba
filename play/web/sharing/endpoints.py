"""The endpoints of shared results."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from wizard_env.play.language.translation import t
from wizard_env.play.web.access.addresses import Addresses
from wizard_env.play.web.access.messages import AtSeat
from wizard_env.play.web.access.readiness import Readiness
from wizard_env.play.web.access.requests import read_message
from wizard_env.play.web.duplicate.matches import Matches
from wizard_env.play.web.judging.judgements import Judgements
from wizard_env.play.web.sharing.preview import NOTHING, Preview, page_of, preview_of
from wizard_env.play.web.tables.endpoints import compute, table_of
from wizard_env.play.web.tables.setup import UnknownTableError


async def _share_result(request: Request) -> Response:
    message, table = await read_message(request, AtSeat), await table_of(request)
    seat = table.seat_of(message.token)
    if table.session.game.seat is not None:
        raise ValueError(t("a result can be shared once the game is over"))
    if table.setup.seats.count(None) == 1:
        matches: Matches = request.app.state.matches
        await matches.begin(table)
    addresses: Addresses = request.app.state.addresses
    path, host, scheme = f"share/{table.name}/{seat}", request.headers["host"], request.url.scheme
    shared = await compute(request, lambda: addresses.lead_to(path, host, scheme))
    return JSONResponse({"seat": seat, "match": table.setup.match, **shared._asdict()})


async def _show_preview(request: Request) -> Response:
    name, seat = request.path_params["name"], request.path_params["seat"]
    readiness: Readiness = request.app.state.readiness
    preview, status = NOTHING, 200
    if readiness.ready:
        try:
            preview = await _preview_at(request, seat)
        except UnknownTableError:
            status = 404
    addresses: Addresses = request.app.state.addresses
    root = addresses.root_for(request.headers["host"], request.url.scheme)
    return HTMLResponse(page_of(preview, root, f"../../#result/{name}/{seat}"), status)


async def _preview_at(request: Request, seat: int) -> Preview:
    table = await table_of(request)
    if seat not in range(table.session.game.rules.num_players) or table.setup.seats[seat] is not None:
        raise UnknownTableError(t("there is no such result"))
    if table.session.game.seat is not None:
        return NOTHING
    judgements: Judgements = request.app.state.judgements
    return preview_of(table, seat, judgements.kept_of(table))


SHARING_ROUTES = [
    Route("/tables/{name}/share", _share_result, methods=["POST"]),
    Route("/share/{name}/{seat:int}", _show_preview),
]
