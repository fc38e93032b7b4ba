"""The endpoints of matches."""

from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wizard_table.translation import t
from wizard_table.web.access.messages import AtSeat, Compare, TakeSeat
from wizard_table.web.access.requests import client_behind, read_message
from wizard_table.web.duplicate.comparison import compare_stored
from wizard_table.web.duplicate.matches import Matches
from wizard_table.web.duplicate.results import list_results
from wizard_table.web.tables.endpoints import compute, hub_of, invite, table_of


def matches_of(request: Request) -> Matches:
    matches: Matches = request.app.state.matches
    return matches


async def _begin_match(request: Request) -> Response:
    message, table = await read_message(request, AtSeat), await table_of(request)
    table.seat_of(message.token)
    match = await matches_of(request).begin(table)
    return JSONResponse({"match": match, **(await invite(request, f"join/match/{match}"))._asdict()})


async def _show_match(request: Request) -> Response:
    find = partial(matches_of(request).find, request.path_params["match"])
    setup, stored = await compute(request, find)
    results = await compute(request, partial(list_results, stored, request.query_params.get("table")))
    game = {"rules": setup.rules.to_dict(), "num_rounds": len(setup.rules.rounds), "seats": setup.seats}
    return JSONResponse({"match": setup.match, **game, "results": results})


async def _play_match(request: Request) -> Response:
    message = await read_message(request, TakeSeat)
    request.app.state.openings.take(client_behind(request))
    ticket = await matches_of(request).open(request.path_params["match"], message.person)
    return JSONResponse(ticket._asdict(), 201)


async def _compare_tables(request: Request) -> Response:
    message, table = await read_message(request, Compare), await table_of(request)
    table.seat_of(message.token)
    if table.setup.match is None:
        raise ValueError(t("nobody else plays the deals of this table"))
    stored = await compute(request, partial(hub_of(request).tables.of_match, table.setup.match))
    return JSONResponse(await compute(request, partial(compare_stored, stored, table.name, message.against)))


MATCH_ROUTES = [
    Route("/tables/{name}/match", _begin_match, methods=["POST"]),
    Route("/tables/{name}/comparison", _compare_tables, methods=["POST"]),
    Route("/matches/{match}", _show_match),
    Route("/matches/{match}/seats", _play_match, methods=["POST"]),
]
