"""The endpoint for judgements of tables."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wizard_table.web.access.messages import JudgeTable
from wizard_table.web.access.requests import client_behind, read_message, while_connected
from wizard_table.web.judging.judgements import Judgements
from wizard_table.web.tables.endpoints import table_of


async def _judge_table(request: Request) -> Response:
    message, table = await read_message(request, JudgeTable), await table_of(request)
    if table.session.game.seat is not None:
        table.seat_of(message.token)
    judgements: Judgements = request.app.state.judgements
    judgement = judgements.of(table, message.round_number, message.agent, client_behind(request))
    return JSONResponse(await while_connected(request, judgement))


JUDGING_ROUTES = [Route("/tables/{name}/judgement", _judge_table, methods=["POST"])]
