"""The files of the page."""

import re

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from wizard_env.play.web.server import PAGE

PRELOAD = re.compile(r'<link rel="modulepreload" href="([^"]+)">\n')


def test_every_file_is_sent_with_its_type(client: TestClient) -> None:
    """Browsers run no script and use no style sheet of another type."""
    types = {".html": "text/html", ".css": "text/css", ".js": "javascript", ".json": "application/json"}
    files = [file for file in PAGE.rglob("*") if file.is_file()]
    assert len(files) > 30
    for file in files:
        answer = client.get(f"/{file.relative_to(PAGE).as_posix()}")
        assert PRELOAD.sub("", answer.text).encode() == file.read_bytes()
        assert types[file.suffix] in answer.headers["Content-Type"]
    assert client.get("/").content == client.get("/index.html").content


def test_scripts_are_fetched_at_once(client: TestClient) -> None:
    """Not one after the other, as their imports are found: the page is shown sooner."""
    head = client.get("/").text.partition("</head>")[0]
    assert PRELOAD.findall(head) == sorted(file.relative_to(PAGE).as_posix() for file in PAGE.rglob("*.js"))


def test_what_a_browser_has_already_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/main.js")
    assert first.headers["Cache-Control"] == "no-cache"  # so that a newer release is seen at once
    again = client.get("/main.js", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get("/language.js", headers={"If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200


@pytest.mark.parametrize("path", ["/nothing", "/../server.py", "/%2e%2e/server.py", "/shared", "/shared/"])
def test_nothing_else_is_sent(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_files_are_only_read(client: TestClient) -> None:
    assert client.post("/main.js", json={}).status_code == 405
    assert client.delete("/main.js").status_code == 405
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://localhost/main.js"):
        pass
