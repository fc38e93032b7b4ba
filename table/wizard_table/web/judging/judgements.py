"""The judgements of rounds that a server keeps, so that each is made once."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from wizard_env import Agent, Game
from wizard_table.translation import t
from wizard_table.web.judging.judgement import judge
from wizard_table.web.tables.agents import Agents
from wizard_table.web.tables.table import Table

_KEPT = 1000
"""Judgements that are kept; the least recently used is dropped."""


async def ask_to_judge(
    agents: Agents, find_game: Callable[[], Game], round_number: int, name: str, client: str
) -> dict[str, Any]:
    """Have the judge judge a round, see `judge`, in the queue for costly questions.

    Args:
        agents: the agents of the server.
        find_game: returns the game; it is called when the question's turn has come, outside the event loop.
        round_number: the round to judge.
        name: the name of the judge.
        client: the client that asks, see `client_of`.

    Raises ValueError for another agent, and as `find_game` and `Agents.ask` do.
    """
    agents.check_judge(name)

    def question(agent: Agent) -> dict[str, Any]:
        return judge(find_game(), round_number, name, agent)

    return await agents.ask(name, question, client, costly=True)


_Key = tuple[str, int, str, tuple[int, ...]]
"""The table, the round, the agent, and the actions up to the end of the round."""


class Judgements:
    """Judgements by table, round and agent; see `ask_to_judge`."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._kept: OrderedDict[_Key, asyncio.Task[dict[str, Any]]] = OrderedDict()
        self._awaited: Counter[_Key] = Counter()
        """The requests that await each judgement."""

    async def of(self, table: Table, round_number: int, agent: str, client: str) -> dict[str, Any]:
        """Return the judgement of a round, see `judge`; it is dropped if all who await it are cancelled.

        Raises ValueError, and as `Agents.ask` does.
        """
        session, finished = table.session, len(table.session.game.rounds)
        if round_number > finished:
            text = t(
                "round {number} is not over: {count} rounds of this game are",
                number=round_number,
                count=finished,
            )
            raise ValueError(text)
        ends = [number for number, event in enumerate(session.events) if event.points is not None]
        key = (table.name, round_number, agent, tuple(session.game.history[: ends[round_number - 1] + 1]))
        if key not in self._kept:
            asking = ask_to_judge(self._agents, lambda: session.game, round_number, agent, client)
            self._kept[key] = asyncio.create_task(asking)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        judging = self._kept[key]
        self._awaited[key] += 1
        try:
            return await asyncio.shield(judging)
        except Exception:
            self._kept.pop(key, None)  # so that the next request tries again
            raise
        finally:
            self._awaited[key] -= 1
            if not self._awaited[key]:
                del self._awaited[key]
                if not judging.done():
                    judging.cancel()
                    self._kept.pop(key, None)

    def kept_of(self, table: Table) -> list[dict[str, Any]]:
        """Return the judgements of all rounds of a table, if each was made already; else nothing."""
        game, found = table.session.game, {}
        for (name, number, _, history), judging in self._kept.items():
            is_made = judging.done() and not judging.cancelled() and judging.exception() is None
            if is_made and name == table.name and history == tuple(game.history[: len(history)]):
                found[number] = judging.result()
        return list(found.values()) if len(found) == game.num_rounds else []
