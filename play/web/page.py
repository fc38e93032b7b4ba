"""The files of the page, sent from memory: it asks for some forty at once, and waits for all of them."""

import hashlib
import mimetypes
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

START = "index.html"
"""The file that is sent for the address of the server itself."""


class File(NamedTuple):
    """A file as it is sent."""

    body: bytes
    media_type: str
    tag: str
    """Changes with the content."""


class Page:
    """ASGI application that sends the files of a folder, as they were when it was made."""

    def __init__(self, folder: Path) -> None:
        """Read all files. Raises OSError."""
        self._files = {
            file.relative_to(folder).as_posix(): _read(file) for file in folder.rglob("*") if file.is_file()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file, or only that it has not changed. Raises HTTPException for anything else."""
        if scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
            return
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405)
        file = self._files.get(scope["path"].removeprefix("/") or START)
        if file is None:
            raise HTTPException(404)
        headers = {"ETag": file.tag, "Cache-Control": "no-cache"}
        if Headers(scope=scope).get("if-none-match") == file.tag:
            answer = Response(status_code=304, headers=headers)
        else:
            answer = Response(file.body, headers=headers, media_type=file.media_type)
        await answer(scope, receive, send)


def _read(file: Path) -> File:
    body = file.read_bytes()
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return File(body, media_type, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
