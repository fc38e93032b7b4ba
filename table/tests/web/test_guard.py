"""The guard: other sites reach nothing, and every answer has its headers."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from wizard_table.web.guard import HEADERS
from wizard_table.web.readiness import Readiness
from wizard_table.web.server import make_app
from wizard_table.web.tables import TABLES_PER_HOUR

from table.tests.web.seats import AGENTS, browser, new_table

TABLE = {"seats": [None, "random", "random"]}


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_other_sites_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    """By a name that was led here, or by a request across sites; over websockets too."""
    opened = new_table(client, [None, "random", "random"])
    for path in ("/", "/agents", "/tables"):
        assert client.get(path, headers=headers).status_code == 403
    assert client.post("/tables", json=TABLE, headers=headers).status_code == 403
    address = f"ws://localhost/tables/{opened['table']}"
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(address, headers=headers):
        pass


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", None])
def test_a_body_must_be_declared_as_json(client: TestClient, kind: str | None) -> None:
    """A browser sends other types to any address without asking its server first."""
    headers = {} if kind is None else {"Content-Type": kind}
    for path in ("/tables", "/tables/mine", "/tables/x/seats", "/records/moment"):
        assert client.post(path, content=b"{}", headers=headers).status_code == 415
    assert client.post("/tables", json=TABLE).status_code == 201


def test_every_answer_has_the_headers(client: TestClient) -> None:
    answers = [
        *(client.get(path) for path in ("/", "/index.html", "/agents", "/nothing", "/tables/x")),
        client.post("/tables", content=b"{", headers={"Content-Type": "application/json"}),
        client.get("/agents", headers={"Host": "evil.example"}),
    ]
    assert {one.status_code for one in answers} == {200, 400, 403, 404}
    for answer in answers:
        assert HEADERS.items() <= {name: answer.headers.get(name) for name in HEADERS}.items()


def test_an_error_of_the_server_tells_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(hub: object) -> None:
        raise RuntimeError("it holds the ace of spades")

    monkeypatch.setattr("wizard_table.web.hub.Hub.waiting_tables", fail)
    answer = TestClient(client.app, "http://localhost", raise_server_exceptions=False).get("/tables")
    assert (answer.status_code, answer.json()["why"]) == (500, "the server failed; its log says why")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_server_that_is_not_ready() -> None:
    """The page is there and tells how far it is; tables wait."""
    readiness = Readiness()
    readiness.done, readiness.total = 3, 40
    with browser(make_app(":memory:", AGENTS, readiness=readiness)) as client:
        assert client.get("/").status_code == 200
        assert client.get("/ready").json() == vars(readiness)
        refused = client.post("/tables", json=TABLE)
        assert (refused.status_code, "3 of 40 steps" in refused.json()["why"]) == (503, True)
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://localhost/tables/x"):
            pass
        readiness.ready = True
        assert client.get("/ready").json()["ready"]
        assert client.post("/tables", json=TABLE).status_code == 201


def test_a_client_opens_few_tables_per_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another client is not held up."""
    now = [0.0]
    monkeypatch.setattr("wizard_table.web.tables.time.monotonic", lambda: now[0])
    with browser(make_app(":memory:", AGENTS), "10.0.0.1") as one:
        other = browser(one.app, "10.0.0.2")  # type: ignore[arg-type]
        for _ in range(TABLES_PER_HOUR):
            assert one.post("/tables", json=TABLE).status_code == 201
        refused = one.post("/tables", json=TABLE)
        assert (refused.status_code, refused.json()["why"]) == (
            429,
            f"too many new tables: {TABLES_PER_HOUR} per hour are allowed",
        )
        assert other.post("/tables", json=TABLE).status_code == 201
        now[0] += 3601
        assert one.post("/tables", json=TABLE).status_code == 201
