"""The endpoints for records of played games."""

import asyncio
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wizard_env.play.web.access.messages import AssessMoment, JudgeRound, Moment
from wizard_env.play.web.access.requests import client_behind, read_message
from wizard_env.play.web.judging.judgements import ask_to_judge
from wizard_env.play.web.study import review
from wizard_env.play.web.tables.endpoints import hub_of


async def _show_moment(request: Request) -> Response:
    message = await read_message(request, Moment)
    return JSONResponse(await asyncio.to_thread(review.show_moment, message.record, message.decisions))


async def _show_decision(request: Request) -> Response:
    message = await read_message(request, Moment)
    return JSONResponse(await asyncio.to_thread(review.show_decision, message.record, message.decisions))


async def _assess_moment(request: Request) -> Response:
    message = await read_message(request, AssessMoment)
    session = await asyncio.to_thread(review.session_at, message.record, message.decisions)
    advice = await hub_of(request).agents.ask(message.agent, session.advise, client_behind(request))
    return JSONResponse(asdict(advice))


async def _judge_round(request: Request) -> Response:
    message = await read_message(request, JudgeRound)
    game = await asyncio.to_thread(review.read, message.record)
    agents, client = hub_of(request).agents, client_behind(request)
    return JSONResponse(await ask_to_judge(agents, game, message.round_number, message.agent, client))


RECORD_ROUTES = [
    Route("/records/moment", _show_moment, methods=["POST"]),
    Route("/records/decision", _show_decision, methods=["POST"]),
    Route("/records/assessment", _assess_moment, methods=["POST"]),
    Route("/records/judgement", _judge_round, methods=["POST"]),
]
