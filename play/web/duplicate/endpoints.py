"""The endpoints of matches."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wizard_env.play.language.translation import t
from wizard_env.play.web.access.addresses import Addresses
from wizard_env.play.web.access.requests import body_of, client_behind
from wizard_env.play.web.duplicate.comparison import compare_stored
from wizard_env.play.web.duplicate.matches import Matches
from wizard_env.play.web.hub import Hub
from wizard_env.play.web.messages import AskedComparison, AtTable, TakeSeat
from wizard_env.play.web.table import Table


async def begin_match(request: Request) -> Response:
    """POST /tables/NAME/match: an AtTable; returns the match and an invitation to it."""
    table = await _table_of(request, AtTable.model_validate_json(await body_of(request)))
    matches: Matches = request.app.state.matches
    match = await matches.begin(request.app.state.hub, table)
    addresses: Addresses = request.app.state.addresses
    invitation = addresses.invite(f"match/{match}", request.headers["host"], request.url.scheme)
    return JSONResponse({"match": match, **invitation._asdict()})


async def show_match(request: Request) -> Response:
    """GET /matches/NAME: what is played there, and how many tables there are; nothing of the deals."""
    matches: Matches = request.app.state.matches
    setup, tables = await matches.setup_of(request.app.state.hub, request.path_params["match"])
    return JSONResponse({"rules": setup.rules.to_dict(), "seats": setup.seats, "tables": tables})


async def play_match(request: Request) -> Response:
    """POST /matches/NAME/seats: a TakeSeat; returns the table, the seat and its token."""
    wanted = TakeSeat.model_validate_json(await body_of(request))
    request.app.state.openings.take(client_behind(request))
    matches: Matches = request.app.state.matches
    hub: Hub = request.app.state.hub
    table, seat, token = await matches.open(hub, request.path_params["match"], wanted.person)
    return JSONResponse({"table": table.name, "seat": seat, "token": token}, 201)


async def compare_tables(request: Request) -> Response:
    """POST /tables/NAME/comparison: an AskedComparison; returns a comparison with the others of the match."""
    wanted = AskedComparison.model_validate_json(await body_of(request))
    table = await _table_of(request, wanted)
    hub: Hub = request.app.state.hub
    if table.setup.match is None:
        raise ValueError(t("nobody else plays the deals of this table"))
    stored = await hub.tables.of_match(table.setup.match)
    return JSONResponse(await asyncio.to_thread(compare_stored, stored, table.name, wanted.against))


async def _table_of(request: Request, sent: AtTable) -> Table:
    """The table, if the token opens a seat there. Raises UnknownTableError."""
    hub: Hub = request.app.state.hub
    table = await hub.tables.find(request.path_params["name"])
    table.seat_of(sent.token)
    return table


MATCH_ROUTES = [
    Route("/tables/{name}/match", begin_match, methods=["POST"]),
    Route("/tables/{name}/comparison", compare_tables, methods=["POST"]),
    Route("/matches/{match}", show_match),
    Route("/matches/{match}/seats", play_match, methods=["POST"]),
]
