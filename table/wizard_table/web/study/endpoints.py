"""The endpoints for records of played games."""

from dataclasses import asdict
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wizard_env import Agent
from wizard_env.evaluation.advice import Advice, advise
from wizard_table.web.access.messages import AssessMoment, JudgeRound, Moment
from wizard_table.web.access.requests import client_behind, read_message, while_connected
from wizard_table.web.judging.judgements import ask_to_judge
from wizard_table.web.study import review
from wizard_table.web.tables.endpoints import compute, hub_of


async def _show_moment(request: Request) -> Response:
    message = await read_message(request, Moment)
    shown = partial(review.show_moment, message.record, message.decisions)
    return JSONResponse(await compute(request, shown))


async def _show_decision(request: Request) -> Response:
    message = await read_message(request, Moment)
    shown = partial(review.show_decision, message.record, message.decisions)
    return JSONResponse(await compute(request, shown))


async def _assess_moment(request: Request) -> Response:
    message = await read_message(request, AssessMoment)

    def question(agent: Agent) -> Advice:
        return advise(agent, review.session_at(message.record, message.decisions).game)

    advice = hub_of(request).agents.ask(message.agent, question, client_behind(request))
    return JSONResponse(asdict(await while_connected(request, advice)))


async def _judge_round(request: Request) -> Response:
    message = await read_message(request, JudgeRound)
    agents, client = hub_of(request).agents, client_behind(request)
    read = partial(review.read, message.record)
    judgement = ask_to_judge(agents, read, message.round_number, message.agent, client)
    return JSONResponse(await while_connected(request, judgement))


RECORD_ROUTES = [
    Route("/records/moment", _show_moment, methods=["POST"]),
    Route("/records/decision", _show_decision, methods=["POST"]),
    Route("/records/assessment", _assess_moment, methods=["POST"]),
    Route("/records/judgement", _judge_round, methods=["POST"]),
]
