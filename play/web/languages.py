"""The language of each request, and the texts that the page translates itself with."""

import hashlib
import json
from functools import cache

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from wizard_env.play.language.translation import (
    LANGUAGES,
    language_in_use,
    texts,
    use_language,
    wished_language,
)

LONGEST_WISH = 500
"""Characters of an Accept-Language header that are read; browsers send some fifty."""
COOKIE = "language"
"""The cookie in which the page remembers a chosen language."""


class LanguageMiddleware:
    """Answers each request in its language: the one chosen on the page, else the browser's wish."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request or a websocket (ASGI)."""
        if scope["type"] in ("http", "websocket"):
            connection = HTTPConnection(scope)
            chosen = connection.cookies.get(COOKIE)
            wishes = accepted(connection.headers.get("Accept-Language", ""))
            use_language(chosen if chosen in LANGUAGES else wished_language(wishes))
        await self._app(scope, receive, send)


def accepted(header: str) -> list[str]:
    """The locales of an Accept-Language header, most wanted first; those with a wrong weight are left out."""
    weighed = []
    for part in header[:LONGEST_WISH].split(","):
        name, _, weight = part.partition(";q=")
        try:
            weighed.append((float(weight or 1), name.strip()))
        except ValueError:
            continue
    return [name for weight, name in sorted(weighed, key=lambda one: -one[0]) if name and weight > 0]


async def show_texts(request: Request) -> Response:
    """GET /language: the language of this request, all languages, and the texts of this one."""
    body, tag = _texts_json(language_in_use())
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Cookie, Accept-Language"}
    if request.headers.get("If-None-Match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


@cache
def _texts_json(language: str) -> tuple[bytes, str]:
    """The texts of a language as JSON, and the tag of this version of them."""
    content = {"language": language, "languages": LANGUAGES, "texts": texts(language)}
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return body, f'"{hashlib.sha256(body).hexdigest()[:16]}"'
