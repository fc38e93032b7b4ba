"""The page, and the scripts, styles and pictures that it names, which browsers cache permanently."""

import hashlib
import json
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

PAGE = Path(__file__).parent / "static"
_FIRST = "main.js"
"""The script that the page begins with."""
_IMPORT = re.compile(r'from "(\.[^"]+)";$', re.MULTILINE)
"""The end of a static import; a script that is imported by `import("...")` is loaded when it is needed."""
_WORKER = Path(__file__).parent / "worker.js"
_OFFLINE = {".js", ".css", ".svg"}
"""Suffixes of the files that the page needs without a network."""


class KeptFiles(StaticFiles):
    """Files that a browser never asks for again: their address changes when one of them does."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Send a file as `StaticFiles` does, without what would serve to ask again."""
        response = super().file_response(*args, **kwargs)
        for name in ("Accept-Ranges", "ETag", "Last-Modified"):
            del response.headers[name]
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


@cache
def static_address() -> str:
    """Return the address of the folder's files, which has a hash of them all: `static/HASH`."""
    files = sorted(path for path in PAGE.rglob("*") if path.is_file())
    contents = [f"{path.relative_to(PAGE).as_posix()} {_hash(path.read_bytes())}" for path in files]
    return f"static/{_hash(' '.join(contents).encode())}"


def first_scripts() -> list[str]:
    """Return the script that the page begins with, and all that it imports, directly or through others."""
    found = [_FIRST]
    for name in found:  # grows meanwhile
        folder = posixpath.dirname(name)
        for imported in _IMPORT.findall((PAGE / name).read_text(encoding="utf-8")):
            path = posixpath.normpath(posixpath.join(folder, imported))
            if path not in found:
                found.append(path)
    return found


async def show_page(request: Request) -> Response:
    """GET /: the page. A browser asks for it at each visit, so it sees a new release at once."""
    return HTMLResponse(_page(), headers={"Cache-Control": "no-cache"})


@cache
def _page() -> str:
    """Fill in the address of the files, and have the first scripts loaded all at once."""
    address = static_address()
    preloads = [f'<link rel="modulepreload" href="{address}/{name}">\n' for name in first_scripts()]
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    return html.replace('"static/', f'"{address}/').replace("</head>", "".join(preloads) + "</head>")


async def show_worker(request: Request) -> Response:
    """GET /worker.js: the service worker. It differs when a file does, so browsers replace an older one."""
    return Response(_worker(), media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@cache
def _worker() -> str:
    """Fill in the address of the files, and the names of those to keep."""
    names = sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.suffix in _OFFLINE)
    script = _WORKER.read_text(encoding="utf-8").replace('"static/"', f'"{static_address()}/"')
    return script.replace("FILES = []", f"FILES = {json.dumps(names)}")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
