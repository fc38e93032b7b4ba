"""The web server: the page, tables over HTTP and websockets, matches, judgements, and reviews.

Each connection is sent the view of its seat and nothing else. Agents act while someone is connected.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from wizard_table.translation import t
from wizard_table.web.addresses import LOCAL, Addresses
from wizard_table.web.agents import AgentError, Agents, SharedAgent
from wizard_table.web.endpoints import ROUTES
from wizard_table.web.guard import HEADERS, Guard
from wizard_table.web.hub import Hub
from wizard_table.web.judgements import Judgements
from wizard_table.web.languages import LanguageMiddleware, show_texts
from wizard_table.web.matches import Matches
from wizard_table.web.messages import refusal_of
from wizard_table.web.page import PAGE, KeptFiles, show_page, show_worker, static_address
from wizard_table.web.questions import BusyError, Questions
from wizard_table.web.readiness import READY, Readiness, show_readiness
from wizard_table.web.setup import UnknownTableError
from wizard_table.web.store import Store, StoreError
from wizard_table.web.tables import FullError, Openings, Tables, TooManyTablesError

SHORTEST_COMPRESSED = 500
"""Bytes of an answer from which on it is compressed."""

_STATUS = {
    UnknownTableError: 404,
    TooManyTablesError: 429,
    BusyError: 503,
    FullError: 503,
    StoreError: 503,
    AgentError: 500,
}
"""Status codes of refused requests; all other errors get 400."""


async def _refuse(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
    return JSONResponse(refusal_of(error), status)


async def _drop(request: Request, error: Exception) -> Response:
    """Answer a client that has gone; nobody reads it."""
    return Response(status_code=400)


async def _fail(request: Request, error: Exception) -> Response:
    return JSONResponse({"why": t("the server failed; its log says why")}, 500, HEADERS)


def make_app(
    database: Path | str,
    agents: Sequence[str],
    records: Path | None = None,
    addresses: Addresses = LOCAL,
    readiness: Readiness = READY,
) -> Starlette:
    """Make the server, an ASGI application.

    Args:
        database: an SQLite file, created if it does not exist; ":memory:" keeps nothing.
        agents: the agents to offer, each as `load` accepts it.
        records: a folder, created if it does not exist, to which finished games are written, one file per
            table; None writes none.
        addresses: the addresses of the server; requests to other names are refused.
        readiness: whether games can begin, and everything is compiled.

    Raises ValueError if the file is no database or is in use, OSError for the folder, and as `load` does.
    """
    find = cache(SharedAgent)
    for name in agents:
        find(name)
    Store(database).close()  # checked here; a server that does not run yet holds no lock
    if records is not None:
        records.mkdir(exist_ok=True)

    @asynccontextmanager
    async def run(app: Starlette) -> AsyncIterator[None]:
        store = Store(database)
        offered = Agents(agents, find, readiness)
        hub = Hub(Tables(store, find), offered, records)
        app.state.addresses = addresses
        app.state.readiness = readiness
        app.state.openings = Openings()
        app.state.hub = hub
        app.state.computations = Questions("computation", at_once=1, most=100)
        app.state.judgements = Judgements(offered)
        app.state.matches = Matches(hub)
        yield
        app.state.computations.close()
        await hub.close()
        store.close()

    return Starlette(
        routes=[
            Route("/language", show_texts),
            Route("/ready", show_readiness),
            *ROUTES,
            Route("/", show_page),
            Route("/worker.js", show_worker),
            Mount(f"/{static_address()}", KeptFiles(directory=PAGE)),
        ],
        middleware=[
            Middleware(LanguageMiddleware),
            Middleware(Guard, addresses=addresses, readiness=readiness),
            Middleware(GZipMiddleware, minimum_size=SHORTEST_COMPRESSED),
        ],
        lifespan=run,
        exception_handlers={
            ValueError: _refuse,
            StoreError: _refuse,
            ClientDisconnect: _drop,
            Exception: _fail,
        },
    )
