"""Readiness of a server: games can begin, and later everything is compiled."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from wizard_env import Game, Rules, View
from wizard_env.agents.assessment import expects_points
from wizard_env.agents.search.network_search import assess_every_action
from wizard_env.compiled.patience import patience
from wizard_env.loading import load

_POLL = 0.2
"""Seconds between two looks at whether everything is compiled."""


@dataclass
class Readiness:
    """Progress of the preparation of a server. One thread writes it, others read it."""

    ready: bool = False
    """Games can begin: kernels that are not compiled yet run as plain Python."""
    compiled: bool = False
    """Agents that search can act, and questions can be answered."""
    done: int = 0
    total: int = 0
    """Steps of the preparation; 0 until they are counted."""

    async def until_compiled(self) -> None:
        while not self.compiled:
            await asyncio.sleep(_POLL)


READY = Readiness(ready=True, compiled=True)
"""For a server that compiles kernels when they are first called."""


def prepare(
    agents: Sequence[str],
    readiness: Readiness,
    compile_kernels: Callable[[Callable[[int, int], None]], None],
) -> None:
    """Let games begin at once, by plain Python; compile the kernels meanwhile, and let each agent advise.

    compile_kernels: compiles what is missing, and reports at the beginning and after each kernel the number
    compiled so far and the number that were missing.
    """

    def report(done: int, total: int) -> None:
        readiness.done, readiness.total = done, total

    rng = np.random.default_rng(0)
    with patience():
        view = View.of([Game(Rules(hand_sizes=(1, 1)), seed=0)])
        for agent in map(load, agents):
            if not expects_points(agent):  # from many playouts, for which plain Python is too slow
                agent.act(view, rng)
        readiness.ready = True
        compile_kernels(report)
    for agent in map(load, agents):
        agent.act(view, rng)
        assess_every_action(agent, view, rng)
    readiness.compiled = True


async def show_readiness(request: Request) -> Response:
    """GET /ready: the readiness of the server."""
    return JSONResponse(vars(request.app.state.readiness))
