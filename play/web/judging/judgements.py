"""The judgements of rounds that a server keeps, so that each is made once."""

import asyncio
from collections import OrderedDict
from typing import Any

from wizard_env import Agent
from wizard_env.play.language.translation import t
from wizard_env.play.web.hub import Hub
from wizard_env.play.web.judging.sums import judgement
from wizard_env.play.web.table import Table

KEPT = 1000
"""Judgements that are kept; the least recently used is dropped."""


class Judgements:
    """Judgements by table, round and agent. Agents are asked in the queue for costly questions."""

    def __init__(self) -> None:
        """Start without judgements."""
        self._kept: OrderedDict[tuple[object, ...], asyncio.Task[dict[str, Any]]] = OrderedDict()

    async def of(self, hub: Hub, table: Table, round_number: int, agent: str, client: str) -> dict[str, Any]:
        """An agent's judgement of a finished round, made now or kept; see `judgement`.

        Raises ValueError if the round is not over yet, and as `Hub.ask` does.
        """
        game, finished = table.session.game, len(table.session.game.rounds)
        if round_number > finished:
            raise ValueError(
                t(
                    "round {number} is not over: {count} rounds of this game are",
                    number=round_number,
                    count=finished,
                )
            )
        ends = [number for number, event in enumerate(table.session.events) if event.points is not None]
        key = (table.name, round_number, agent, tuple(game.history[: ends[round_number - 1] + 1]))
        if key not in self._kept:
            played = game.clone()  # the game may go on in the meantime

            def judge(judging: Agent) -> dict[str, Any]:
                return judgement(played, round_number, judging, agent)

            self._kept[key] = asyncio.create_task(hub.ask(agent, judge, client, costly=True))
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        try:
            return await asyncio.shield(self._kept[key])
        except Exception:
            self._kept.pop(key, None)  # so that the next request tries again
            raise
