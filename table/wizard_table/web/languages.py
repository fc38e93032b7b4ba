"""The language of each request, and the texts that the page is translated with."""

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from wizard_table.translation import (
    LANGUAGES,
    language_in_use,
    preferred_language,
    texts,
    use_language,
)

_PAGE = "wizard_table/web/static/"
"""The folder of the page, as catalogues name it."""
_COOKIE = "language"
"""The cookie in which the page remembers a chosen language."""


class LanguageMiddleware:
    """Answers each request in the language chosen on the page, else in the one that the browser prefers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request or a websocket (ASGI)."""
        if scope["type"] in ("http", "websocket"):
            connection = HTTPConnection(scope)
            chosen = connection.cookies.get(_COOKIE)
            preferred = preferred_locales(connection.headers.get("Accept-Language", ""))
            use_language(chosen if chosen in LANGUAGES else preferred_language(preferred))
        await self._app(scope, receive, send)


def preferred_locales(header: str) -> list[str]:
    """Return the locales of an Accept-Language header, most wanted first, less those with a wrong weight."""
    weighed = []
    for part in header.split(","):
        name, _, weight = part.partition(";q=")
        try:
            weighed.append((float(weight or 1), name.strip()))
        except ValueError:
            continue
    return [name for weight, name in sorted(weighed, key=lambda one: -one[0]) if name and weight > 0]


async def show_texts(request: Request) -> Response:
    """GET /language: the language of this request, all languages, and the texts of the page in this one."""
    language = language_in_use()
    content = {"language": language, "languages": LANGUAGES, "texts": texts(language, _PAGE)}
    return JSONResponse(content, headers={"Cache-Control": "no-cache", "Vary": "Cookie, Accept-Language"})
