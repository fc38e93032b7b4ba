"""The endpoint for judgements of tables."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from wizard_env.play.web.access.requests import body_of, client_behind
from wizard_env.play.web.hub import Hub
from wizard_env.play.web.messages import AskedTable


async def judge_table(request: Request) -> Response:
    """POST /tables/NAME/judgement: an AskedTable; returns a judgement of that round.

    While the game is on, only those at the table may ask; then anyone may, as for its record.
    """
    wanted = AskedTable.model_validate_json(await body_of(request))
    hub: Hub = request.app.state.hub
    table = await hub.tables.find(request.path_params["name"])
    if table.session.seat is not None:
        table.seat_of(wanted.token)
    judged = await request.app.state.judgements.of(
        hub, table, wanted.round_number, wanted.agent, client_behind(request)
    )
    return JSONResponse(judged)
