"""The files of the page."""

import gzip
import re

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from wizard_table.web.page import File, Page
from wizard_table.web.server import PAGE

NAMED = re.compile(r'(?:href|src)="((?:styles|scripts)-[0-9a-f]{16}\.\w+)"')
ON_PAGE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')


def bundles(client: TestClient) -> list[str]:
    """The names of the stylesheet and of the script."""
    return NAMED.findall(client.get("/").text)


def test_every_file_is_sent_with_its_type(client: TestClient) -> None:
    """Browsers run no script and use no style sheet of another type."""
    styles, scripts = bundles(client)
    types = {"": "text/html", "index.html": "text/html", styles: "text/css", scripts: "javascript"}
    for name, kind in types.items():
        assert kind in client.get(f"/{name}").headers["Content-Type"]
    assert client.get("/").content == client.get("/index.html").content


def test_the_stylesheet_is_all_stylesheets_in_order(client: TestClient) -> None:
    names = ON_PAGE.findall((PAGE / "index.html").read_text(encoding="utf-8"))
    assert sorted(names) == sorted(file.relative_to(PAGE).as_posix() for file in PAGE.rglob("*.css"))
    rules = "".join((PAGE / name).read_text(encoding="utf-8") for name in names)
    sent = client.get(f"/{bundles(client)[0]}").text
    assert "/*" not in sent
    expected = re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL)
    assert sent.replace(":", ": ").split() == expected.replace(":", ": ").split()


def test_the_script_holds_every_script(client: TestClient) -> None:
    sent = client.get(f"/{bundles(client)[1]}").text
    (later,) = re.findall(r'loadBundle\("\./(scripts-\w+\.js)"\)', sent)
    assert 'modules["study/review.js"] = await' not in sent
    sent += client.get(f"/{later}").text
    for file in PAGE.rglob("*.js"):
        assert f'modules["{file.relative_to(PAGE).as_posix()}"] = await' in sent


def test_what_a_browser_has_already_is_not_sent_again(client: TestClient) -> None:
    """The page is checked, so that a newer release is seen at once; what it names is kept for ever."""
    first = client.get("/")
    assert first.headers["Cache-Control"] == "no-cache"
    again = client.get("/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    for name in bundles(client):
        answer = client.get(f"/{name}")
        assert "immutable" in answer.headers["Cache-Control"]
        assert client.get("/", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 200


def test_the_same_files_have_the_same_names() -> None:
    """Also after a restart: a browser keeps what it has."""
    assert list(Page(PAGE)._files) == list(Page(PAGE)._files)


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip", True),
        ("br;q=1.0, gzip;q=0.8", True),
        ("identity", False),
        ("", False),
    ],
)
def test_files_are_compressed_for_browsers_that_ask_for_it(
    client: TestClient, accepted: str, packed: bool
) -> None:
    for path in ("/", "/language", f"/{bundles(client)[1]}"):
        headers = {"Accept-Encoding": accepted, "Accept-Language": "es"}
        answer, plain = client.get(path, headers=headers), client.get(path, headers={"Accept-Encoding": ""})
        assert (answer.headers.get("Content-Encoding") == "gzip") is packed
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert (answer.headers["ETag"] == plain.headers["ETag"]) is (not packed) or path == "/language"
        again = client.get(path, headers=headers | {"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304
    assert "Accept-Language" in client.get("/language").headers["Vary"]


def test_a_compressed_file_is_the_same_file() -> None:
    assert gzip.decompress(File(b"tricks " * 99, "text/plain")._bodies["gzip"]) == b"tricks " * 99


@pytest.mark.parametrize(
    "path", ["/nothing", "/../server.py", "/%2e%2e/server.py", "/shared", "/shared/", "/main.js"]
)
def test_nothing_else_is_sent(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_files_are_only_read(client: TestClient) -> None:
    assert client.post("/index.html", json={}).status_code == 405
    assert client.delete("/index.html").status_code == 405
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://localhost/index.html"):
        pass
