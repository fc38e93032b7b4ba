"""The web server: what each seat is shown, what is refused, and that nothing is lost."""

import json
import logging
import re
import socket
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from typer.testing import CliRunner, Result
from wizard_table.commands import OFFERED
from wizard_table.web.agents import STRENGTH
from wizard_table.web.endpoints import LONGEST_BODY
from wizard_table.web.page import PAGE
from wizard_table.web.server import make_app

from table.tests.web.seats import AGENTS, Seat, browser, new_table, play_to_the_end, sit_down
from wizard_env.cards import CARD_NAMES
from wizard_env.cli.main import app
from wizard_env.records.game_records import replay

JSON = {"Content-Type": "application/json"}
SVG_NAMESPACE = "http://www.w3.org/2000/svg"
"""A name that browsers do not load."""
CARD = re.compile(r'"([2-9TJQKA][SHDC]|WI|JE)"')


# --- games


def test_a_game_against_agents(client: TestClient) -> None:
    seat, opened = sit_down(client, [None, "heuristic", "random"], hand_sizes=[1, 3])
    view = play_to_the_end(seat, np.random.default_rng(0))
    assert len(view["scene"]["pad"]) == 2
    assert view["scene"]["winners"]
    told = client.get(f"/tables/{opened['table']}/record")
    game = replay(told.text)
    assert game.scores == [each["score"] for each in view["scene"]["seats"]]


def test_two_people_at_one_table(client: TestClient) -> None:
    """The second joins by link, a third finds no seat. Both act in turn and see the end of the game."""
    first, opened = sit_down(client, [None, "random", None], hand_sizes=[2])
    joined = client.post(f"/tables/{opened['table']}/seats", json={}).json()
    assert (opened["seat"], joined["seat"]) == (0, 2)
    assert opened["token"] != joined["token"]
    assert client.get(f"/tables/{opened['table']}").json()["open"] == []
    full = client.post(f"/tables/{opened['table']}/seats", json={})
    assert (full.status_code, full.json()["why"]) == (404, "every seat of this table is taken")
    second = Seat(client, joined)
    people, decisions = {0: first, 2: second}, 0

    def see(person: Seat) -> dict[str, Any]:
        """The next view, not older than `decisions`, in which a person acts or the game is over."""
        while True:
            view = person.hear()
            acting = {each["number"] for each in view["scene"]["seats"] if each["acts"]}
            if view["decisions"] >= decisions and acting != {1} and not view["waiting"]:
                return view

    while not (view := see(first))["scene"]["winners"]:
        (acting,) = (each["number"] for each in view["scene"]["seats"] if each["acts"])
        decisions = view["decisions"]
        seen = view if acting == 0 else see(second)
        people[acting].act(seen, seen["legal"][0])
        decisions += 1
    decisions = view["decisions"]
    assert see(second)["scene"]["winners"] == view["scene"]["winners"]


def test_watching_agents(client: TestClient) -> None:
    opened = new_table(client, ["random", "heuristic", "champion"], hand_sizes=[1])
    assert opened["token"] is None
    seat = Seat(client, opened)
    seat.say(kind="pace", seconds=0)
    view = seat.wait_for_turn()
    assert view["you"] is None
    assert all(each["hand"] is not None for each in view["scene"]["seats"])


def test_hints_and_taking_back(client: TestClient) -> None:
    seat, _ = sit_down(client, [None, "heuristic", "random"], hand_sizes=[3])
    view = seat.wait_for_turn()
    seat.say(kind="hint", agent="champion")
    hint = seat.hear("hint")
    assert {one["action"] for one in hint["choices"]} == set(view["legal"])
    before = view["decisions"]
    seat.act(view, view["legal"][0])
    view = seat.wait_for_turn()
    assert view["can_take_back"]
    seat.say(kind="take_back")
    while view["decisions"] != before:
        view = seat.hear()
    assert view["legal"]


def test_the_lobby_shows_how_strong_agents_are(client: TestClient) -> None:
    """Offered agents are measured, and a later one is never weaker."""
    told = client.get("/agents").json()
    leads = {one["name"]: one["lead"] for one in told}
    assert [one["name"] for one in told] == AGENTS
    measured = json.loads(STRENGTH.read_text())
    assert leads["random"] is None
    assert leads["heuristic"] == measured["heuristic"]
    assert list(measured) == OFFERED
    assert list(measured.values()) == sorted(measured.values())


def test_the_failure_of_an_agent_is_reported(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error leaves out its message, which may show cards; the game goes on once the agent works again."""
    why = "a computer player failed (RuntimeError); the server's log says more"
    with monkeypatch.context() as broken:
        broken.setattr("wizard_env.agents.heuristic.HeuristicAgent.act", fail)
        seat, opened = sit_down(client, ["random", None, "heuristic"], hand_sizes=[2])
        heard: dict[str, Any] = {}
        while heard.get("why") != why:
            heard = json.loads(seat.socket.receive_text())
            seat.received.append(json.dumps(heard))
            if heard.get("legal"):
                seat.act(heard, heard["legal"][0])
        seat.leave()
    again = Seat(client, opened)
    assert play_to_the_end(again, np.random.default_rng(0))["scene"]["winners"]
    assert "the ace of spades" not in "".join(again.received + seat.received)


def test_the_failure_of_an_adviser_is_reported(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard_env.agents.heuristic.HeuristicAgent.act", fail)
    seat, _ = sit_down(client, [None, "random", "random"])
    seat.wait_for_turn()
    seat.say(kind="hint", agent="heuristic")
    assert seat.hear("error")["why"].startswith("a computer player failed (RuntimeError)")


def fail(self: object, view: object, rng: object) -> None:
    raise RuntimeError("it holds the ace of spades")


def test_records_of_games_are_written(tmp_path: Path) -> None:
    with browser(make_app(":memory:", AGENTS, tmp_path / "records")) as client:
        seat, opened = sit_down(client, [None, "heuristic", "random"], hand_sizes=[1, 2])
        play_to_the_end(seat, np.random.default_rng(0))
        told = client.get(f"/tables/{opened['table']}/record").text
    assert (tmp_path / "records" / f"{opened['table']}.jsonl").read_text() == told


# --- the page


def test_the_page_loads_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    named = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    for name in set(named) - {"data:,", "./"}:
        assert client.get(f"/{name}").status_code == 200
    for file in (file for file in PAGE.rglob("*") if file.suffix in (".css", ".html", ".js")):
        text = file.read_text(encoding="utf-8").replace(SVG_NAMESPACE, "")
        assert not re.search(r"https?://|@import|url\((?!'data:)", text), file.name


# --- what a seat may know


def cards_in(text: str) -> Counter[str]:
    return Counter(CARD.findall(text))


@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_no_seat_is_sent_what_it_may_not_know(client: TestClient, reveal: str) -> None:
    """In every message of a game, all cards are the seat's own or public, and all bids are revealed."""
    seat, opened = sit_down(client, [None, "heuristic", "random"], hand_sizes=[2, 5], bid_reveal=reveal)
    play_to_the_end(seat, np.random.default_rng(1))
    told = client.get(f"/tables/{opened['table']}/record").text
    game, deals = replay(told), json.loads(told)["rounds"]
    views = [text for text in seat.received if json.loads(text)["kind"] == "view"]
    for text in views:
        message = json.loads(text)
        scene, seen = message["scene"], json.dumps(message)
        assert str(game.seed) not in text
        assert opened["token"] not in text
        number = scene["round_number"] - 1
        public = {scene["upcard"]} | {card for _, card in scene["trick"]}
        public |= {event["action"].split()[-1] for event in message["events"]}
        public |= set((message["last_trick"] or {"cards": []})["cards"])
        own = set(deals[number]["hands"][0].split())
        assert set(cards_in(seen)) <= public | own
        dealt = game_before(deals, number)
        hidden = dealt - own - public
        assert not hidden & set(cards_in(text))
        if reveal == "secret" and scene["phase"] in ("bid", "play"):
            others = [each for each in scene["seats"] if each["number"] != 0]
            assert all(each["bid"] is None for each in others)
            rounds = [event for event in message["events"] if event["round_number"] == number + 1]
            bids = [one["action"] for one in rounds if one["seat"] != 0 and "bid" in one["action"]]
            assert set(bids) <= {"bid"}


def game_before(deals: list[dict[str, Any]], number: int) -> set[str]:
    """The cards in the other hands at the start of a round, without Wizards and Jesters."""
    return {card for hand in deals[number]["hands"][1:] for card in hand.split()} & set(CARD_NAMES[:52])


def test_the_record_is_withheld_until_the_game_is_over(client: TestClient) -> None:
    opened = new_table(client, [None, "random", "random"])
    answer = client.get(f"/tables/{opened['table']}/record")
    assert (answer.status_code, "shows all hands" in answer.text) == (400, True)


@pytest.mark.parametrize("token", ["", "x" * 32, None])
def test_a_seat_needs_its_token(client: TestClient, token: str | None) -> None:
    """A table with people cannot be watched either."""
    opened = new_table(client, [None, "random", "random"])
    other = new_table(client, [None, "random", "random"])
    for wrong in (token, other["token"]):
        seat = Seat(client, opened | {"token": wrong})
        assert seat.hear("error")["why"]
        with pytest.raises(WebSocketDisconnect):
            seat.hear()


def test_tokens_are_long_and_not_stored(client: TestClient, tmp_path: Path) -> None:
    opened = [new_table(client, [None, "random", "random"]) for _ in range(8)]
    tokens = {one["token"] for one in opened}
    assert len(tokens) == 8
    assert all(len(token) >= 32 for token in tokens)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(token.encode() in stored for token in tokens)


# --- what is refused


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("{", "Invalid JSON"),
        ("[1, 2]", "the message"),
        ('{"kind": "fly"}', "fly"),
        ('{"kind": "act", "action": "play TS"}', "decisions"),
        ('{"kind": "act", "action": 3, "decisions": 0}', "valid string"),
        ('{"kind": "act", "action": "play TS", "decisions": 99}', "changed in the meantime"),
        ('{"kind": "pace", "seconds": 1e9}', "seconds: Input should be less than or equal to 5"),
        ('{"kind": "pace", "seconds": "nan"}', "seconds: Input should be less than or equal to 5"),
        ('{"kind": "hint", "agent": "external:command=ls"}', "unknown agent"),
        ('{"kind": "take_back"}', "no choice of yours to take back"),
        ('{"kind": "sit", "token": null}', "'sit' found using 'kind' does not match"),
        ('{"kind": "take_back", "more": 1}', "Extra inputs"),
        ("\\u0000", "JSON"),
    ],
)
def test_malformed_messages_are_answered(client: TestClient, message: str, why: str) -> None:
    """The answer is an error, and the connection stays open."""
    opened = new_table(client, [None, "random", "random"], hand_sizes=[1])
    seat = Seat(client, opened)
    view = seat.wait_for_turn()
    seat.socket.send_text(message)
    assert why in "; ".join(seat.hear("error").values())
    seat.act(view, view["legal"][0])
    seat.hear()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{", "Invalid JSON"),
        (b'{"seats": [null, "random"]}', "seats: List should have at least 3"),
        (b'{"seats": [null, "random", "runs/secret"]}', "unknown agent 'runs/secret': allowed are random"),
        (b'{"seats": [null, "random", "random"], "bid_reveal": "loud"}', "bid_reveal='loud'"),
        (b'{"seats": [null, "random", "random"], "seed": 1}', "seed: Extra inputs"),
        (b" " * (LONGEST_BODY + 1), "more than"),
    ],
)
def test_impossible_tables_are_refused(client: TestClient, body: bytes, why: str) -> None:
    answer = client.post("/tables", content=body, headers=JSON)
    assert answer.status_code == 400
    assert why in "; ".join(answer.json().values())


def test_an_unknown_table(client: TestClient) -> None:
    assert client.post("/tables/nowhere/seats", json={}).status_code == 404
    assert client.get("/tables/nowhere").status_code == 404
    seat = Seat(client, {"table": "nowhere", "token": "x"})
    assert seat.hear("error")["why"] == "there is no such table"


def test_the_first_message_must_be_sit(client: TestClient) -> None:
    opened = new_table(client, [None, "random", "random"])
    with client.websocket_connect(f"ws://localhost/tables/{opened['table']}") as browser:
        browser.send_text('{"kind": "take_back"}')
        assert browser.receive_json()["detail"] == "kind: Input should be 'sit'"
        with pytest.raises(WebSocketDisconnect):
            browser.receive_text()


# --- nothing is lost


def test_a_restart_loses_no_game(tmp_path: Path) -> None:
    """Same position, same seat for the same token, and agents act as they would have without a restart."""
    ends = []
    for stops in (False, True):
        file = tmp_path / f"{stops}.sqlite"
        rng = np.random.default_rng(3)
        with browser(make_app(file, AGENTS)) as client, pytest.MonkeyPatch.context() as patched:
            patched.setattr("wizard_table.web.setup.fresh_seed", lambda: 7)
            seat, opened = sit_down(client, [None, "random", "heuristic"], hand_sizes=[1, 4])
            if not stops:
                ends.append(play_to_the_end(seat, rng)["scene"])
                seat.leave()
                continue
            view = seat.wait_for_turn()
            for _ in range(4):
                seat.act(view, str(rng.choice(view["legal"])))
                view = seat.wait_for_turn()
            seat.leave()
        with browser(make_app(file, AGENTS)) as client:
            seat = Seat(client, opened)
            assert seat.wait_for_turn() == view
            seat.act(view, str(rng.choice(view["legal"])))
            ends.append(play_to_the_end(seat, rng)["scene"])
            seat.leave()
    assert ends[0] == ends[1]


# --- the command


def serve(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["serve", "random", "--port", "0", *arguments])


def test_wizard_serve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It leaves the handlers of the process's logs open: absl's closes the stream that it writes to."""
    served: list[Any] = []

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        served.extend([server.config.app, sockets[0].getsockname()[1]])

    monkeypatch.setattr("uvicorn.Server.run", run)
    handler, closed = logging.NullHandler(), list[bool]()
    monkeypatch.setattr(handler, "close", lambda: closed.append(True))
    outcome = serve("--database", str(tmp_path / "tables.sqlite"), "--records", str(tmp_path / "records"))
    assert outcome.exit_code == 0
    assert not closed
    assert "kernels " in outcome.stdout
    application, port = served
    assert f"http://127.0.0.1:{port}\n" in outcome.stdout
    with browser(application) as client:
        assert client.get("/agents").json() == [
            {"name": "random", "lead": None, "judges": False, "waits": False}
        ]
    assert (tmp_path / "tables.sqlite").exists()
    assert (tmp_path / "records").is_dir()


def test_wizard_serve_behind_a_proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The public address is printed, answered to, and named in invitations; the proxy names the client."""
    served: list[uvicorn.Server] = []
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: served.append(server))
    database = ["--database", str(tmp_path / "tables.sqlite")]
    assert serve(*database).exit_code == 0
    outcome = serve(*database, "--public-url", "https://wizard.example")
    assert "tables       https://wizard.example\n" in outcome.stdout
    assert [server.config.proxy_headers for server in served] == [False, True]
    application: Any = served[1].config.app
    with browser(application) as client:
        opened = client.post(
            "https://wizard.example/tables",
            json={"seats": [None, "random", "random"]},
            headers={"Origin": "https://wizard.example"},
        ).json()
        told = client.get(f"/tables/{opened['table']}/invitation").json()
        address = f"https://wizard.example/join/{opened['table']}"
        assert (told["address"], told["reachable"]) == (address, True)
        assert client.get("/ready").json()["ready"]


def test_a_server_that_cannot_get_ready_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the reason."""

    def fail(agents: object, readiness: object, compile_kernels: object) -> None:
        raise ValueError("no kernel today")

    def run(server: uvicorn.Server, sockets: object) -> None:
        while not server.should_exit:
            time.sleep(0.01)

    monkeypatch.setattr("wizard_table.web.readiness.prepare", fail)
    monkeypatch.setattr("uvicorn.Server.run", run)
    outcome = serve("--database", str(tmp_path / "tables.sqlite"))
    assert "no kernel today" in str(outcome.exception)


def test_wizard_serve_reports_errors_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("neither a database nor a folder\n" * 100)
    assert "notes.txt: file is not a database" in str(serve("--database", "notes.txt").exception)
    assert isinstance(serve("--records", "notes.txt").exception, NotADirectoryError)
    assert isinstance(serve("--records", "no/where").exception, FileNotFoundError)
    assert isinstance(serve("nobody").exception, ValueError)
    assert "an address such as https://" in str(serve("--public-url", "wizard.example").exception)
    assert "--port 99999: allowed are numbers up to 65535" in str(serve("--port", "99999").exception)
    assert "--host 192.0.2.1: no address of this computer" in str(serve("--host", "192.0.2.1").exception)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = serve("--port", str(port))
        assert str(outcome.exception).startswith(f"--port {port}: another program uses it")
        assert f"--port {port % 65535 + 1}" in str(outcome.exception)
        assert "http" not in outcome.stdout


def test_points_are_those_of_the_rules(client: TestClient) -> None:
    points = client.get("/points").json()["points"]
    assert len(points) == len(points[0]) == 21
    assert (points[0][0], points[3][3], points[3][1], points[0][20]) == (20, 50, -20, -200)
