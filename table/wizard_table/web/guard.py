"""Guard: refuses requests from other sites, and sets the headers of every answer."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from wizard_table.translation import t
from wizard_table.web.addresses import Addresses
from wizard_table.web.messages import not_understood
from wizard_table.web.readiness import Readiness

POLICY_VIOLATION = 1008
"""The code that closes a websocket after a policy violation (RFC 6455)."""
FILE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of the page's scripts, styles and pictures."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    **FILE_HEADERS,
}
"""Headers of every other answer: the page runs no script and shows no style but the server's own."""

_WORK = ("/tables", "/records", "/matches", "/puzzles")
"""Paths that wait until the server is ready; a shared result is shown in a few words until then."""


class Guard:
    """ASGI middleware: requests must name one of `addresses`, and tables wait for `readiness`."""

    def __init__(self, app: ASGIApp, addresses: Addresses, readiness: Readiness) -> None:
        self._app = app
        self._addresses = addresses
        self._readiness = readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        allowed = self._addresses.allow(headers.get("host", ""), headers.get("origin"))
        if scope["type"] == "websocket":
            allowed = allowed and self._readiness.ready
            await (self._app if allowed else WebSocketClose(POLICY_VIOLATION))(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_file = scope["path"].startswith("/static/")
                MutableHeaders(scope=message).update(FILE_HEADERS if is_file else HEADERS)
            await send(message)

        answer = self._app
        if not allowed:
            why = t("this server does not answer to that address; it may need its --public-url")
            answer = JSONResponse({"why": why}, 403)
        elif scope["method"] == "POST" and not _is_json(headers.get("content-type", "")):
            answer = JSONResponse(
                {"why": not_understood(), "detail": "the body must be of type application/json"}, 415
            )
        elif not self._readiness.ready and scope["path"].startswith(_WORK):
            done, total = self._readiness.done, self._readiness.total
            why = t("the server is getting ready: {done} of {total} steps", done=done, total=total)
            answer = JSONResponse({"why": why}, 503, {"Retry-After": "1"})
        await answer(scope, receive, send_with_headers)


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"
