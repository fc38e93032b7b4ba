"""Guard: refuses requests from other sites, limits the others, and sets the headers of every answer."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from wizard_table.translation import t
from wizard_table.web.access.addresses import Addresses
from wizard_table.web.access.limits import Buckets, Limit, TooFastError
from wizard_table.web.access.readiness import Readiness
from wizard_table.web.access.refusals import not_understood
from wizard_table.web.access.requests import client_behind

POLICY_VIOLATION = 1008
"""The code that closes a websocket after a policy violation (RFC 6455)."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer: the page runs no script and shows no style but the server's own."""

_WORK = ("/tables", "/records", "/matches")
"""Paths that cost the server work: their requests are limited, and refused until it is ready."""
REQUEST_RATE = 40.0
"""Requests for these paths that a client may send per second on average."""
REQUEST_BURST = 120
"""Requests for these paths that it may send at once."""


_LIMITED = (*_WORK, "/share")
"""Paths whose requests are limited; a shared result is shown in a few words until the server is ready."""


class Guard:
    """ASGI middleware: requests must name one of `addresses`, and tables wait for `readiness`."""

    def __init__(self, app: ASGIApp, addresses: Addresses, readiness: Readiness) -> None:
        self._app = app
        self._addresses = addresses
        self._readiness = readiness
        self._requests = Buckets(Limit(REQUEST_RATE, REQUEST_BURST, "requests"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        allowed = self._addresses.allow(headers.get("host", ""), headers.get("origin"))
        works = scope["path"].startswith(_WORK)
        limited = allowed and scope["path"].startswith(_LIMITED)
        too_fast = self._too_fast(scope) if limited else None
        if scope["type"] == "websocket":
            allowed = allowed and self._readiness.ready and too_fast is None
            await (self._app if allowed else WebSocketClose(POLICY_VIOLATION))(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._app
        if not allowed:
            why = t("this server does not answer to that address; it may need its --public-url")
            answer = JSONResponse({"why": why}, 403)
        elif too_fast is not None:
            answer = JSONResponse({"why": too_fast}, 429)
        elif scope["method"] == "POST" and not _is_json(headers.get("content-type", "")):
            answer = JSONResponse(
                {"why": not_understood(), "detail": "the body must be of type application/json"}, 415
            )
        elif not self._readiness.ready and works:
            done, total = self._readiness.done, self._readiness.total
            why = t("the server is getting ready: {done} of {total} steps", done=done, total=total)
            answer = JSONResponse({"why": why}, 503, {"Retry-After": "1"})
        await answer(scope, receive, send_with_headers)

    def _too_fast(self, scope: Scope) -> str | None:
        try:
            self._requests.take(client_behind(HTTPConnection(scope)))
        except TooFastError as error:
            return str(error)
        return None


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"
