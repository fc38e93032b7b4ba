"""Readiness of a server: its kernels are compiled, and its agents have acted once."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


class Readiness:
    """Progress of the preparation of a server. One thread writes it, others read it."""

    def __init__(self, ready: bool = False) -> None:
        """Start with nothing done."""
        self.ready = ready
        self.done = 0
        self.total = 0
        """Steps of the preparation; 0 until they are counted."""


READY = Readiness(ready=True)
"""For a server that compiles kernels when they are first called."""


async def show_readiness(request: Request) -> Response:
    """GET /ready: whether the server is ready, and its progress until then."""
    readiness: Readiness = request.app.state.readiness
    return JSONResponse({"ready": readiness.ready, "done": readiness.done, "total": readiness.total})
