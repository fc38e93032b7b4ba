"""The agents that a server offers: they act at its tables, and answer the questions of its people."""

import json
import logging
import threading
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from wizard_env import Agent
from wizard_env.agents.assessment import Assessment, expects_points
from wizard_env.agents.search.network_search import assess_every_action
from wizard_env.loading import load
from wizard_env.session import Session
from wizard_env.view import Actions, View
from wizard_table.translation import t
from wizard_table.web.questions import Questions
from wizard_table.web.readiness import READY, Readiness
from wizard_table.web.tables import MAX_TABLES

T = TypeVar("T")
_log = logging.getLogger(__name__)

STRENGTH = Path(__file__).parent / "static" / "strength.json"
"""The strength of agents by name, as measured by `make strength`."""


class AgentError(ValueError):
    """An agent fails to answer a question."""

    def __init__(self, error: Exception) -> None:
        """Tell browsers the kind of the error; its text, which may show cards and paths, is only logged."""
        kind = type(error).__name__
        super().__init__(t("a computer player failed ({kind}); the server's log says more", kind=kind))


class SharedAgent:
    """An agent that several tables share; it answers one at a time."""

    def __init__(self, name: str) -> None:
        self._agent = load(name)
        self._asked = threading.Lock()
        self.expects_points = expects_points(self._agent)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        with self._asked:
            return self._agent.act(view, rng)

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        with self._asked:
            return assess_every_action(self._agent, view, rng)


class Agents:
    """The agents of a server, by name, and the questions that wait for them.

    Each kind of question has threads and agents to itself: a move never waits for advice, and advice never
    for a judgement.
    """

    def __init__(
        self, names: Sequence[str], find: Callable[[str], SharedAgent], readiness: Readiness = READY
    ) -> None:
        """Offer agents by name; `find` returns the one that acts at tables.

        Browsers may choose only these, because `load` runs programs and reads files. The last one acts for
        people who leave. Questions, and agents that expect points, wait until everything is compiled.
        """
        self._readiness = readiness
        self.names = list(names)
        self.find = find
        self._moves = Questions("move", at_once=2, most=MAX_TABLES)
        self._quick = Questions("hint", at_once=2, most=40)
        self._costly = Questions("judgement", at_once=1, most=20)
        self._advisers = {self._quick: cache(SharedAgent), self._costly: cache(SharedAgent)}

    @cached_property
    def leads(self) -> dict[str, float]:
        """The measured lead of each agent over three `rule_based`, in points per game."""
        leads = json.loads(STRENGTH.read_text(encoding="utf-8"))
        return {name: leads[name] for name in self.names if name in leads}

    @cached_property
    def judge(self) -> str | None:
        """The name of the agent that judges decisions, everywhere; None if no agent can.

        It is the strongest of those that expect points; the last one if none of them is measured.
        """
        able = [name for name in self.names if self.find(name).expects_points]
        return max(reversed(able), key=lambda name: self.leads.get(name, float("-inf")), default=None)

    def describe(self) -> list[dict[str, Any]]:
        """Describe the agents for browsers, see `messages`."""
        return [
            {
                "name": name,
                "lead": self.leads.get(name),
                "judges": name == self.judge,
                "waits": self.find(name).expects_points,
            }
            for name in self.names
        ]

    def check(self, name: str) -> None:
        """Raise ValueError if the server does not offer the agent."""
        if name not in self.names:
            allowed = ", ".join(self.names)
            raise ValueError(t("unknown agent {name}: allowed are {names}", name=repr(name), names=allowed))

    async def choose(self, session: Session) -> int:
        """Return the choice of the agent that acts in a session. Raises AgentError if it fails."""
        assert session.agent is not None
        if session.agent in self.names and self.find(session.agent).expects_points:
            await self._readiness.until_compiled()
        try:
            return await self._moves.ask(session.choose)
        except Exception as error:  # agents may be programs of others
            _log.exception("%s failed to act", session.agent)
            raise AgentError(error) from error

    async def ask(self, name: str, question: Callable[[Agent], T], costly: bool = False) -> T:
        """Return an agent's answer to a question.

        A costly question takes seconds, and does not delay the others. Raises ValueError if the agent is not
        offered, BusyError, and AgentError if the agent fails.
        """
        self.check(name)
        questions = self._costly if costly else self._quick
        await self._readiness.until_compiled()
        try:
            return await questions.ask(lambda: question(self._advisers[questions](name)))
        except ValueError:
            raise
        except Exception as error:
            _log.exception("%s failed to answer a question", name)
            raise AgentError(error) from error

    def close(self) -> None:
        """Drop the questions that wait."""
        for questions in (self._moves, self._quick, self._costly):
            questions.close()
