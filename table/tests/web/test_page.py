"""The page and its files, as the server sends them."""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urljoin

import pytest
from starlette.testclient import TestClient
from wizard_table.web import page
from wizard_table.web.page import PAGE, first_scripts, static_address
from wizard_table.web.preview import PICTURE

NAMED = re.compile(r'(?:href|src)="(static/[^"]+)"')
MOST_PICTURE_BYTES = 60_000
OFFLINE = {".css", ".js", ".svg"}
TYPES = {
    ".css": "text/css",
    ".js": "javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}


def test_every_file_that_the_page_names_is_sent_with_its_type(client: TestClient) -> None:
    """Browsers run no script and use no style sheet of another type; they cache both permanently."""
    named = NAMED.findall(client.get("/").text)
    assert {f"{static_address()}/{name}" for name in first_scripts()} <= set(named)
    styles = {name.removeprefix(f"{static_address()}/") for name in named if name.endswith(".css")}
    assert styles | {"pages/later.css"} == {file.relative_to(PAGE).as_posix() for file in PAGE.rglob("*.css")}
    for name in named:
        answer = client.get(f"/{name}")
        assert answer.status_code == 200
        assert TYPES[Path(name).suffix] in answer.headers["Content-Type"]
        assert "immutable" in answer.headers["Cache-Control"]


def test_the_page_is_asked_for_at_each_visit(client: TestClient) -> None:
    """So that a newer release is seen at once; it loads at once what it imports, and other pages later."""
    sent = client.get("/")
    assert sent.headers["Cache-Control"] == "no-cache"
    preloaded = re.findall(r'<link rel="modulepreload" href="([^"]+)">', sent.text)
    assert preloaded == [f"{static_address()}/{name}" for name in first_scripts()]
    assert {"main.js", "table/table.js"} <= set(first_scripts())
    assert set(first_scripts()).isdisjoint({"later.js", "pages/review.js"})


def test_the_manifest_begins_with_the_page_and_names_icons_that_are_there(client: TestClient) -> None:
    """Its addresses are relative to its own."""
    place = f"http://localhost/{static_address()}/app.webmanifest"
    manifest = client.get(place).json()
    assert urljoin(place, manifest["start_url"]) == urljoin(place, manifest["scope"]) == "http://localhost/"
    for icon in manifest["icons"]:
        assert client.get(urljoin(place, icon["src"])).headers["Content-Type"] == icon["type"]


def test_the_worker_names_every_file_that_the_page_needs(client: TestClient) -> None:
    """Under the address of this version; another version is another worker, which browsers then install."""
    sent = client.get("/worker.js")
    assert "javascript" in sent.headers["Content-Type"]
    assert sent.headers["Cache-Control"] == "no-cache"
    (folder,) = re.findall(r'STATIC = "([^"]+)"', sent.text)
    assert folder == f"{static_address()}/"
    kept = json.loads(re.findall(r"FILES = (.+);", sent.text)[0])
    assert set(kept) == {
        file.relative_to(PAGE).as_posix() for file in PAGE.rglob("*") if file.suffix in OFFLINE
    }
    assert sent.text.count("\n") <= 100
    for name in json.loads(re.findall(r"FRESH = (.+);", sent.text)[0]):
        assert client.get(f"/{name}").status_code == 200


def test_another_file_has_another_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = shutil.copytree(PAGE, tmp_path / "static")
    monkeypatch.setattr(page, "PAGE", copy)
    assert static_address.__wrapped__() == static_address()
    (copy / "shared" / "page.css").write_text("body {}", encoding="utf-8")
    assert static_address.__wrapped__() != static_address()


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip", True), ("br;q=1.0, gzip;q=0.8", True), ("identity", False), ("", False)],
)
def test_files_are_compressed_for_browsers_that_ask_for_it(
    client: TestClient, accepted: str, packed: bool
) -> None:
    for path in ("/", "/language", f"/{static_address()}/main.js"):
        answer = client.get(path, headers={"Accept-Encoding": accepted, "Accept-Language": "es"})
        assert (answer.headers.get("Content-Encoding") == "gzip") is packed
        assert answer.text == client.get(path, headers={"Accept-Language": "es"}).text
    vary = client.get("/language", headers={"Accept-Language": "es"}).headers["Vary"]
    assert {"Accept-Encoding", "Accept-Language", "Cookie"} == set(vary.split(", "))


@pytest.mark.parametrize(
    "path",
    [
        "nothing",
        "main.js",
        "STATIC",
        "STATIC/",
        "STATIC/../page.py",
        "STATIC/%2e%2e/page.py",
        "static/0/main.js",
    ],
)
def test_nothing_else_is_sent(client: TestClient, path: str) -> None:
    assert client.get("/" + path.replace("STATIC", static_address())).status_code == 404


def test_previews_show_a_small_picture(client: TestClient) -> None:
    shown = client.get("/join/nothing").text
    (picture,) = re.findall(r'og:image" content="http://localhost/([^"]+)"', shown)
    answer = client.get(f"/{picture}")
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert len(answer.content) == (PAGE / PICTURE).stat().st_size < MOST_PICTURE_BYTES
