"""Readiness of a server: its kernels are compiled, and its agents have acted once."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


@dataclass
class Readiness:
    """Progress of the preparation of a server. One thread writes it, others read it."""

    ready: bool = False
    done: int = 0
    total: int = 0
    """Steps of the preparation; 0 until they are counted."""


READY = Readiness(ready=True)
"""For a server that compiles kernels when they are first called."""


async def show_readiness(request: Request) -> Response:
    """GET /ready: whether the server is ready, and its progress until then."""
    return JSONResponse(vars(request.app.state.readiness))
