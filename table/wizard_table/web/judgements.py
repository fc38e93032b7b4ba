"""Judgements of the rounds of finished games, each made once.

A judgement says what an agent finds that decisions lost and cards brought.
"""

import asyncio
from collections import OrderedDict
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from wizard_env import Agent, Game
from wizard_env.evaluation.analysis import Analysis, Decision, PlayedSeat, analyse
from wizard_table.translation import t
from wizard_table.web.agents import Agents
from wizard_table.web.messages import NotUnderstoodError
from wizard_table.web.table import Table

_KEPT = 1000
"""Judgements that are kept; the least recently used is dropped."""
_Key = tuple[str, int, tuple[int, ...]]
"""The table, the round, and the actions up to the end of the round."""


def judge(game: Game, round_number: int, name: str, agent: Agent) -> dict[str, Any]:
    """Ask the agent of that name where points were lost in a round.

    Returns an `Analysis` of that round as plain values, see `round_to_tenths`, and "seconds": the time that
    the agent took. Raises ValueError as `analyse` does.
    """
    start = perf_counter()
    analysis = analyse(game, agent, name, only=[round_number])
    return round_to_tenths(analysis).to_dict() | {"seconds": round(perf_counter() - start, 1)}


def round_to_tenths(analysis: Analysis) -> Analysis:
    """Round what the page shows of an analysis to a tenth of a point, and errors to a hundredth.

    As printed, a seat's losses are the sum of its decisions', and points = par + luck - lost. The rest from
    rounding goes to the luck, which is all that decisions do not explain anyway.
    """
    decisions = [_round(decision) for decision in analysis.decisions]
    par = round(analysis.par, 1)

    def sum_up(seat: PlayedSeat) -> PlayedSeat:
        own = [decision for decision in decisions if decision.seat == seat.seat]
        lost = round(sum(decision.lost for decision in own), 1)
        return replace(seat, lost=lost, luck=round(seat.points + lost - par, 1))

    return replace(analysis, par=par, seats=[sum_up(seat) for seat in analysis.seats], decisions=decisions)


def _round(decision: Decision) -> Decision:
    """Also leaves out the points of each action, which the page does not show."""
    return replace(decision, lost=round(decision.lost, 1), error=round(decision.error, 2), points={})


class Judgements:
    """The judgements that a server keeps, by table and round."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._kept: OrderedDict[_Key, asyncio.Task[dict[str, Any]]] = OrderedDict()

    async def of(self, table: Table, round_number: int) -> dict[str, Any]:
        """Return the judgement of a round, see `judge`.

        Raises ValueError if the server has no judge or the game is on, NotUnderstoodError if it has no such
        round, and as `Agents.ask` does.
        """
        agent = self._agents.judge
        if agent is None:
            raise ValueError(t("This server cannot judge decisions."))
        session = table.session
        if session.game.seat is not None:
            raise ValueError(t("a game is judged once it is over"))
        if round_number > session.game.num_rounds:
            raise NotUnderstoodError(
                f"round_number={round_number}: the game has {session.game.num_rounds} rounds"
            )
        ends = [number for number, event in enumerate(session.events) if event.points is not None]
        key = (table.name, round_number, tuple(session.game.history[: ends[round_number - 1] + 1]))
        if key not in self._kept:
            question = partial(judge, session.game, round_number, agent)
            self._kept[key] = asyncio.create_task(self._agents.ask(agent, question, costly=True))
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        try:
            return await asyncio.shield(self._kept[key])
        except Exception:
            self._kept.pop(key, None)  # so that the next request tries again
            raise

    def kept_of(self, table: Table) -> list[dict[str, Any]]:
        """Return the judgements of all rounds of a table, if each was made already; else nothing."""
        game, found = table.session.game, {}
        for (name, number, history), judging in self._kept.items():
            is_made = judging.done() and not judging.cancelled() and judging.exception() is None
            if is_made and name == table.name and history == tuple(game.history[: len(history)]):
                found[number] = judging.result()
        return list(found.values()) if len(found) == game.num_rounds else []
