"""Tables on disk: one server at a time, no version lost, nothing shown before it is saved, and room."""

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web import hub as hub_module
from wizard_table.web.agents import SharedAgent
from wizard_table.web.server import make_app
from wizard_table.web.setup import Setup
from wizard_table.web.store import (
    EMPTY,
    OVER,
    RUNNING,
    WAITING,
    Save,
    StaleError,
    Store,
    StoreError,
)
from wizard_table.web.tables import DAY, KEPT_EMPTY_SECONDS, KEPT_SECONDS, Tables

from table.tests.web.seats import AGENTS, Seat, browser, new_table, play_to_the_end

ORDER = ["over", "empty", "waiting", "longer idle", "idle"]
PEOPLE: list[str | None] = [None, None, "random"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "tables.sqlite")
    yield store
    store.close()


def save(store: Store, *saved: Any, **others: Any) -> int:
    """Save one table, and return its version."""
    (outcome,) = store.save_all([Save(*saved, **others)])
    if isinstance(outcome, StaleError):
        raise outcome
    return outcome


# --- one server, one version


def test_a_second_server_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard_table.web.store.LOCK_SECONDS", 0.1)
    file = tmp_path / "tables.sqlite"
    first = Store(file)
    save(first, "a", {}, [], 0)
    with pytest.raises(ValueError, match=r"tables\.sqlite: another server uses this database"):
        make_app(file, ["random"])
    first.close()
    second = Store(file)
    assert len(second) == 1
    second.close()


def test_a_save_replaces_the_version_that_was_read(store: Store) -> None:
    """Another version, or a table that is gone, is not overwritten."""
    assert save(store, "a", {}, [1], 0) == 1
    assert save(store, "a", {}, [1, 2], 0, version=1) == 2
    for version in (0, 1, 3):
        with pytest.raises(StaleError, match="changed or deleted by another server"):
            save(store, "a", {}, [9], 0, version=version)
    assert store.find("a") == ("a", {}, [1, 2], 2)
    store.delete("a")
    with pytest.raises(StaleError):
        save(store, "a", {}, [1], 0, version=2)
    assert store.find("a") is None


def test_saves_of_several_tables_fail_one_by_one(store: Store) -> None:
    save(store, "a", {}, [1], 0)
    first, second, third = store.save_all(
        [Save("a", {}, [1, 2], 0, version=1), Save("a", {}, [9], 0, version=1), Save("b", {}, [], 0)]
    )
    assert (first, third) == (2, 1)
    assert isinstance(second, StaleError)
    assert store.find("a") == ("a", {}, [1, 2], 2)


def test_a_database_that_is_full_saves_nothing_of_a_batch(store: Store) -> None:
    """The store goes on as before once there is room."""
    save(store, "a", {}, [1], 0)
    store._database.execute("PRAGMA max_page_count = 1")  # as many as there are
    large = {"text": "x" * 100_000}
    with pytest.raises(StoreError, match="the tables cannot be saved: database or disk is full"):
        store.save_all([Save("a", {}, [1, 2], 0, version=1), Save("b", large, [], 0)])
    assert store.find("a") == ("a", {}, [1], 1)
    store._database.execute("PRAGMA max_page_count = 1000000")
    assert save(store, "b", large, [], 0) == 1


def test_a_table_changed_by_another_is_read_again(client: TestClient) -> None:
    opened = new_table(client, [None, "random", "random"])
    seat = Seat(client, opened)
    seat.hear()
    hub = client.app.state.hub  # type: ignore[attr-defined]
    stored = hub.tables._store.find(opened["table"])
    save(hub.tables._store, stored.name, stored.setup, stored.history, time.time(), stored.version)
    seat.say(kind="pace", seconds=2)
    assert "changed or deleted by another server" in seat.hear("error")["why"]
    again = Seat(client, opened)
    again.hear()
    again.say(kind="pace", seconds=2)
    assert again.hear()["seconds"] == 2


def test_databases_of_earlier_releases_are_read(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    setup = Setup.from_json(
        {
            "rules": {"num_players": 3},
            "seats": [None, "random", "random"],
            "seed": "7",
            "taken": {"0": "digest"},
            "people": {"0": "Ann"},
            "seconds": 1.5,
        }
    )
    with sqlite3.connect(file) as old:
        old.execute("CREATE TABLE tables (name TEXT PRIMARY KEY, setup TEXT, history TEXT, used REAL)")
        told = {key: setup.to_json()[key] for key in ("rules", "seats", "seed", "taken", "people", "seconds")}
        old.execute("INSERT INTO tables VALUES ('a', ?, '[]', ?)", (json.dumps(told), time.time()))
    old.close()
    with browser(make_app(file, AGENTS)) as client:
        told = client.get("/tables/a").json()
        assert (told["names"], told["phase"]) == (["Ann", "random", "random"], "playing")


# --- a full disk


def refusing(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every save fail as on a full disk."""

    class Full:
        @property
        def in_transaction(self) -> bool:
            return bool(database.in_transaction)

        def execute(self, query: str, values: Any = ()) -> Any:
            if query.startswith(("INSERT", "UPDATE", "DELETE")):
                raise sqlite3.OperationalError("database or disk is full")
            return database.execute(query, values)

        def close(self) -> None:
            database.close()

    database = store._database
    monkeypatch.setattr(store, "_database", Full())


def test_a_full_disk_is_told_and_the_table_stays(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """No seat is taken and no action is made unless it is saved; all goes on once there is room."""
    monkeypatch.setattr(hub_module, "RETRY_SECONDS", 0.05)
    hub = client.app.state.hub  # type: ignore[attr-defined]
    opened = new_table(client, PEOPLE, hand_sizes=[2])
    seat = Seat(client, opened)
    seat.hear()
    why = "the tables cannot be saved: database or disk is full"
    with monkeypatch.context() as full:
        refusing(hub.tables._store, full)
        for path, body in (("/tables", {"seats": PEOPLE}), (f"/tables/{opened['table']}/seats", {})):
            refused = client.post(path, json=body)
            assert (refused.status_code, refused.json()["why"]) == (503, why)
        assert client.get(f"/tables/{opened['table']}").json()["open"] == [1]
        seat.say(kind="begin")
        assert seat.hear("error")["why"] == why
        seat.say(kind="pace", seconds=1)
        assert seat.hear("error")["why"] == why
    seat.say(kind="pace", seconds=0)
    assert (view := seat.hear())["waiting"]
    assert (view["seconds"], view["open"]) == (0, [1])
    seat.say(kind="begin")
    view = seat.wait_for_turn()
    with monkeypatch.context() as full:
        refusing(hub.tables._store, full)
        seat.act(view, view["legal"][0])
        assert seat.hear("error")["why"] == why
    seat.act(view, view["legal"][0])
    assert seat.wait_for_turn()["decisions"] > view["decisions"]


def test_agents_go_on_when_the_disk_has_room_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "RETRY_SECONDS", 0.05)
    hub = client.app.state.hub  # type: ignore[attr-defined]
    opened = new_table(client, ["random", "random", "random"], hand_sizes=[1, 1])
    seat = Seat(client, opened)
    seat.say(kind="pace", seconds=0)
    seat.hear()
    with monkeypatch.context() as full:
        refusing(hub.tables._store, full)
        assert "disk is full" in seat.hear("error")["why"]
    phase = ""
    while phase != "over":
        heard = json.loads(seat.socket.receive_text())
        phase = heard["scene"]["phase"] if heard["kind"] == "view" else phase


def test_a_record_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    with browser(make_app(":memory:", AGENTS, folder)) as client:
        opened = new_table(client, [None, "random", "random"], hand_sizes=[1])
        seat = Seat(client, opened)
        seat.say(kind="pace", seconds=0)
        folder.rmdir()
        assert play_to_the_end(seat, np.random.default_rng(0))["scene"]["winners"]
        assert "record of this game could not be written" in seat.hear("error")["why"]
        assert client.get(f"/tables/{opened['table']}/record").status_code == 200


# --- room


def test_old_tables_are_forgotten(store: Store) -> None:
    """Those where nobody acted earlier."""
    now = time.time()
    for stage, kept in ((RUNNING, KEPT_SECONDS), (OVER, KEPT_SECONDS), (EMPTY, KEPT_EMPTY_SECONDS)):
        save(store, f"old {stage}", {}, [], now - kept - 60, stage=stage)
        save(store, f"new {stage}", {}, [], now - kept + 60, stage=stage)
    save(store, "just now", {}, [], now)
    Tables(store, SharedAgent)
    assert len(store) == 4
    assert all(store.find(f"new {stage}") for stage in (RUNNING, OVER, EMPTY))


def test_room_is_made_of_what_is_missed_least(store: Store) -> None:
    now = time.time()
    for name, stage, days in (
        ("played today", RUNNING, 0.5),
        ("idle", RUNNING, 2),
        ("longer idle", RUNNING, 3),
        ("waiting", WAITING, 0.1),
        ("empty", EMPTY, 0.2),
        ("over", OVER, 0.1),
        ("over, someone there", OVER, 5),
    ):
        save(store, name, {}, [], now - days * DAY, stage=stage)
    gone = []
    while store.make_room(now, DAY, {"over, someone there"}):
        gone.append(next(name for name in ORDER if name not in gone and store.find(name) is None))
    assert gone == ORDER
    assert len(store) == 2


def test_a_full_server_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that nobody came to give way; those where someone is stay, and then the server is full."""
    monkeypatch.setattr("wizard_table.web.tables.MAX_TABLES", 3)
    with browser() as client:
        opened = new_table(client, [None, "random", "random"])
        seat = Seat(client, opened)
        seat.hear()
        for _ in range(5):
            new_table(client, [None, "random", "random"])
        assert client.get(f"/tables/{opened['table']}").status_code == 200
        seats = [Seat(client, new_table(client, [None, "random", "random"])) for _ in range(2)]
        for each in seats:
            each.hear()
        refused = client.post("/tables", json={"seats": [None, "random", "random"]})
        assert (refused.status_code, "already has 3 tables" in refused.json()["why"]) == (503, True)
