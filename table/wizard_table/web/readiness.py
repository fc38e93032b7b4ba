"""Readiness of a server: its kernels are compiled, and its agents have acted once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from wizard_env import Game, Rules, View
from wizard_env.agents.search.network_search import assess_every_action
from wizard_env.loading import load


@dataclass
class Readiness:
    """Progress of the preparation of a server. One thread writes it, others read it."""

    ready: bool = False
    done: int = 0
    total: int = 0
    """Steps of the preparation; 0 until they are counted."""


READY = Readiness(ready=True)
"""For a server that compiles kernels when they are first called."""


def prepare(
    agents: Sequence[str],
    readiness: Readiness,
    compile_kernels: Callable[[Callable[[int, int], None]], None],
) -> None:
    """Compile the kernels, play two rounds, and let each agent act and advise: the first time is slow.

    compile_kernels: compiles what is missing, and reports at the beginning and after each kernel the number
    compiled so far and the number that were missing.
    """

    def report(done: int, total: int) -> None:
        readiness.done, readiness.total = done, total + len(agents)

    compile_kernels(report)
    readiness.total = readiness.done + len(agents)
    game = Game(Rules(hand_sizes=(1, 1)), seed=0)
    view = View.of([game])
    while game.phase != "over":
        game.step(game.legal_actions()[0])
    for name in agents:
        agent = load(name)
        agent.act(view, np.random.default_rng(0))
        assess_every_action(agent, view, np.random.default_rng(0))
        readiness.done += 1
    readiness.ready = True


async def show_readiness(request: Request) -> Response:
    """GET /ready: whether the server is ready, and its progress until then."""
    return JSONResponse(vars(request.app.state.readiness))
