"""The files of the page, sent from memory: a browser asks for some forty at once, and waits for all."""

import hashlib
import mimetypes
from collections.abc import Sequence
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

_START = "index.html"
"""The file that is sent for the address of the server itself."""


class File:
    """A file that is sent from memory, once to each browser."""

    def __init__(self, body: bytes, media_type: str) -> None:
        self._body = body
        self._media_type = media_type
        self._tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'

    def answer(self, headers: Headers, **others: str) -> Response:
        """Send the file, or only that it has not changed since a browser got it, by the request's headers."""
        answered = {"ETag": self._tag, "Cache-Control": "no-cache", **others}
        if headers.get("if-none-match") == self._tag:
            return Response(status_code=304, headers=answered)
        return Response(self._body, headers=answered, media_type=self._media_type)


class Page:
    """ASGI application that sends the files of a folder, as they were when the server started."""

    def __init__(self, folder: Path) -> None:
        """Read all files. Raises OSError."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        bodies = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        bodies[_START] = _with_preloads(bodies[_START], [name for name in bodies if name.endswith(".js")])
        self._files = {name: File(body, mimetypes.guess_type(name)[0] or "") for name, body in bodies.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file, or only that it has not changed. Raises HTTPException for anything else."""
        if scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
            return
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405)
        file = self._files.get(scope["path"].removeprefix("/") or _START)
        if file is None:
            raise HTTPException(404)
        await file.answer(Headers(scope=scope))(scope, receive, send)


def _with_preloads(page: bytes, scripts: Sequence[str]) -> bytes:
    """Add links by which browsers fetch all scripts at once, not one after the other as imports are found."""
    links = "".join(f'<link rel="modulepreload" href="{script}">\n' for script in scripts)
    return page.replace(b"</head>", links.encode() + b"</head>", 1)
