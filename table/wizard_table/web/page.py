"""The files of the page, sent from memory: the page itself, one stylesheet, one script, and pictures."""

import gzip
import hashlib
import mimetypes
import re
from functools import partial
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

from wizard_table.web.bundle import bundle_scripts, bundle_styles

_START = "index.html"
"""The file that is sent for the address of the server itself."""
_STYLES = re.compile(r'(?:<link rel="stylesheet" href="[^"]+">\n)+')
_STYLE = re.compile(r'href="([^"]+)"')
_SCRIPT = re.compile(r'<script src="([^"]+)" type="module">')
_CHECKED = "no-cache"
"""A browser asks each time whether a file has changed: a newer release is seen at once."""
_KEPT = "public, max-age=31536000, immutable"
"""A browser never asks again for a file whose name has the digest of its content."""


class File:
    """A file that is sent from memory, compressed if the browser can unpack it, and once to each browser."""

    def __init__(self, body: bytes, media_type: str, caching: str = _CHECKED) -> None:
        self._media_type = media_type
        self._caching = caching
        self._tag = _digest(body)
        packed = gzip.compress(body, mtime=0)
        self._bodies = {"": body, "gzip": packed} if len(packed) < len(body) else {"": body}

    def answer(self, headers: Headers, **others: str) -> Response:
        """Send the file, or only that it has not changed since a browser got it, by the request's headers."""
        packs = "gzip" in self._bodies and "gzip" in headers.get("accept-encoding", "")
        encoding = "gzip" if packs else ""
        tag = f'"{self._tag}{encoding}"'
        vary = ", ".join(filter(None, ["Accept-Encoding", others.pop("Vary", "")]))
        answered = {"ETag": tag, "Cache-Control": self._caching, "Vary": vary, **others}
        if headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=answered)
        if encoding:
            answered["Content-Encoding"] = encoding
        return Response(self._bodies[encoding], headers=answered, media_type=self._media_type)


class Page:
    """ASGI application that sends the files of a folder, as they were when the server started."""

    def __init__(self, folder: Path) -> None:
        """Read all files. Raises OSError, and ValueError for scripts that cannot be bundled."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        bodies = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        scripts = {name: bodies.pop(name).decode() for name in list(bodies) if name.endswith(".js")}
        styles = {name: bodies.pop(name).decode() for name in list(bodies) if name.endswith(".css")}
        page = bodies[_START].decode()
        self._files: dict[str, File] = {}
        for links in _STYLES.findall(page):
            name = self._keep("styles", ".css", bundle_styles(styles[one] for one in _STYLE.findall(links)))
            page = page.replace(links, f'<link rel="stylesheet" href="{name}">\n')
        for start in _SCRIPT.findall(page):
            add = partial(self._keep, "scripts", ".js")
            name = add(bundle_scripts(scripts, start, add))
            page = page.replace(f'src="{start}"', f'src="{name}"')
        for name, body in (bodies | {_START: page.encode()}).items():
            self._files[name] = File(body, _type_of(name))

    def _keep(self, name: str, suffix: str, text: str) -> str:
        """Add a file with the digest of its content in its name, which is returned."""
        body = text.encode()
        full_name = f"{name}-{_digest(body)}{suffix}"
        self._files[full_name] = File(body, _type_of(full_name), _KEPT)
        return full_name

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


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]


def _type_of(name: str) -> str:
    return mimetypes.guess_type(name)[0] or ""
