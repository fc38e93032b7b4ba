"""Browsers for the tests of the server: they open tables, take seats, and keep what they receive."""

import json
from typing import Any, ClassVar

import numpy as np
from starlette.applications import Starlette
from starlette.testclient import TestClient
from wizard_table.web.server import make_app

AGENTS = ["random", "heuristic", "champion"]
ADDRESS = "http://localhost"


class Browser(TestClient):
    """A client of an app; when a test ends, and also when it fails, all seats are left first.

    The server does not stop while anyone is connected, so the test would never end.
    """

    def __exit__(self, *error: Any) -> None:
        Seat.leave_all()
        super().__exit__(*error)


def browser(app: Starlette | None = None, client: str = "testclient") -> TestClient:
    """A client of an app, by default one that keeps nothing; enter it to start the app."""
    return Browser(app or make_app(":memory:", AGENTS), ADDRESS, client=(client, 50000))


def new_table(client: TestClient, seats: list[str | None], **options: Any) -> dict[str, Any]:
    answer = client.post("/tables", json={"seats": seats, **options})
    assert answer.status_code == 201, answer.text
    opened: dict[str, Any] = answer.json()
    return opened


class Seat:
    """A browser at a table, which keeps every message that it receives."""

    seated: ClassVar[list["Seat"]] = []

    def __init__(self, client: TestClient, opened: dict[str, Any]) -> None:
        self.received: list[str] = []
        self.acted = -1
        self._session = client.websocket_connect(f"ws://localhost/tables/{opened['table']}")
        self.socket = self._session.__enter__()
        Seat.seated.append(self)
        self.say(kind="sit", token=opened["token"])

    def say(self, **message: Any) -> None:
        self.socket.send_text(json.dumps(message))

    def hear(self, kind: str = "view") -> dict[str, Any]:
        """The next message of that kind; only views and presence may come before it."""
        while True:
            self.received.append(self.socket.receive_text())
            heard: dict[str, Any] = json.loads(self.received[-1])
            if heard["kind"] == kind:
                return heard
            assert heard["kind"] in ("view", "presence"), heard

    def wait_for_turn(self) -> dict[str, Any]:
        """The next view in which the seat acts or the game is over."""
        while True:
            view = self.hear()
            if (view["legal"] and view["decisions"] > self.acted) or view["scene"]["phase"] == "over":
                return view

    def act(self, view: dict[str, Any], action: str) -> None:
        self.acted = view["decisions"]
        self.say(kind="act", action=action, decisions=view["decisions"])

    def leave(self) -> None:
        Seat.seated.remove(self)
        self._session.__exit__(None, None, None)

    @staticmethod
    def leave_all() -> None:
        while Seat.seated:
            Seat.seated[-1].leave()


def play_to_the_end(
    seat: Seat, rng: np.random.Generator, view: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Play at random, from a view in which the seat acts or from the next one."""
    view = view or seat.wait_for_turn()
    while view["legal"]:
        seat.act(view, str(rng.choice(view["legal"])))
        view = seat.wait_for_turn()
    return view


def share(client: TestClient, opened: dict[str, Any]) -> Any:
    """Share the result of a seat."""
    return client.post(f"/tables/{opened['table']}/share", json={"token": opened["token"]})


def sit_down(client: TestClient, seats: list[str | None], **options: Any) -> tuple[Seat, dict[str, Any]]:
    opened = new_table(client, seats, **options)
    seat = Seat(client, opened)
    seat.say(kind="pace", seconds=0)
    return seat, opened
