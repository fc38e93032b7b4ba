"""The server's database: private, and refused table by table where it is damaged."""

import os
import sqlite3
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from wizard_table.web.server import make_app
from wizard_table.web.store import Save, Store
from wizard_table.web.tables import KEPT_SECONDS

from table.tests.web.seats import AGENTS, Seat, browser
from tests.reliability.damage import damaged
from tests.reliability.effort import generator, times

DAMAGED = "this table is damaged and cannot be opened"


def serving(path: Path) -> TestClient:
    """A client of a server; enter it to start the server."""
    return browser(make_app(path, AGENTS))


@pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
def test_only_its_user_reads_a_database(tmp_path: Path) -> None:
    """It holds the seeds of games that are under way."""
    store = Store(tmp_path / "tables.sqlite")
    store.save_all([Save("table", {}, [], 1.0)])
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["tables.sqlite", "tables.sqlite-wal"]
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 2
    store.close()


def test_tables_do_not_age_while_the_server_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tables.sqlite"
    opened, other = begun_tables(path)
    now = time.time()
    monkeypatch.setattr("wizard_table.web.tables.time.time", lambda: now + 2 * KEPT_SECONDS)
    with serving(path) as client:
        for one in (opened, other):
            assert Seat(client, one).hear()["you"] == 0


def begun_tables(path: Path) -> list[dict[str, Any]]:
    """Make two tables of one match in a database, with an action at the first."""
    with serving(path) as client:
        opened = play_daily(client, "Ann")
        seat = Seat(client, opened)
        seat.say(kind="pace", seconds=0)
        view = seat.wait_for_turn()
        seat.act(view, view["legal"][0])
        seat.hear()
        seat.leave()
        other = play_daily(client, "Friend")
    return [opened, other]


def play_daily(client: TestClient, person: str) -> dict[str, Any]:
    opened: dict[str, Any] = client.post("/matches/daily/seats", json={"person": person}).json()
    return opened


def entries(path: Path, name: str) -> dict[str, str]:
    with sqlite3.connect(path) as database:
        found = database.execute("SELECT setup, history FROM tables WHERE name = ?", (name,)).fetchone()
    database.close()
    return dict(zip(("setup", "history"), found, strict=True))


def alter(path: Path, name: str, column: str, value: bytes) -> None:
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE tables SET {column} = CAST(? AS TEXT) WHERE name = ?", (value, name))
    database.close()


def check_the_other(client: TestClient, other: dict[str, Any], opened: dict[str, Any]) -> None:
    """One table is damaged, and all others are there, with their match."""
    answer = client.get(f"/tables/{opened['table']}")
    assert (answer.status_code, answer.json()["why"]) == (404, DAMAGED)
    tokens = {one["table"]: one["token"] for one in (opened, other)}
    mine = client.post("/tables/mine", json={"tokens": tokens}).json()
    assert ([one["table"] for one in mine["tables"]], mine["gone"]) == ([other["table"]], [opened["table"]])
    assert [one["name"] for one in client.get("/matches/daily").json()["results"]] == ["Friend"]
    assert Seat(client, opened).hear("error")["why"] == DAMAGED
    assert Seat(client, other).hear()["you"] == 0


def test_a_table_with_an_altered_byte_is_reported(tmp_path: Path) -> None:
    """Also where the rules would still allow the game; the other tables are kept."""
    path, rng = tmp_path / "tables.sqlite", generator()
    opened, other = begun_tables(path)
    sound = entries(path, opened["table"])
    for _ in range(times(10, 500)):
        column = str(rng.choice(["setup", "history"]))
        value = damaged(sound[column].encode(), rng).replace(b"\0", b"?")
        if value == sound[column].encode():
            continue
        alter(path, opened["table"], column, value)
        with serving(path) as client:
            check_the_other(client, other, opened)
        alter(path, opened["table"], column, sound[column].encode())
    with serving(path) as client:
        assert Seat(client, opened).hear()["you"] == 0


def test_a_table_whose_agent_is_gone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As after a run was removed: the log says which, clients learn no path."""
    path = tmp_path / "tables.sqlite"
    run = tmp_path / "runs" / "mine"
    run.mkdir(parents=True)
    store = Store(path)
    setup = {"rules": {"num_players": 3}, "seats": [str(run)] * 3, "seed": "1", "taken": {}, "people": {}}
    store.save_all([Save("gone", setup, [], time.time())])
    store.close()
    with serving(path) as client:
        answer = client.get("/tables/gone")
    assert (answer.status_code, answer.json()["why"]) == (404, DAMAGED)
    assert str(run) in caplog.text


def test_a_server_that_cannot_write_does_not_start(tmp_path: Path) -> None:
    """It says which file it was."""
    with pytest.raises(ValueError, match=r"nowhere.tables\.sqlite: .*must be writable"):
        Store(tmp_path / "nowhere" / "tables.sqlite")
