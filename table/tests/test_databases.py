"""The server's database after altered bytes and jumps of the clock."""

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from wizard_table.web.server import make_app
from wizard_table.web.tables.store import Save, Store

from table.tests.web.seats import AGENTS, Seat, browser, new_table, sit_down
from tests.reliability.damage import damaged
from tests.reliability.effort import generator, times

TABLE = [None, "random", "random"]
DAMAGED = "this table is damaged and cannot be opened"


@contextmanager
def serving(path: Path) -> Iterator[TestClient]:
    """A client of a server; everybody leaves in the end, since a server does not stop before."""
    with browser(make_app(path, AGENTS)) as client:
        try:
            yield client
        finally:
            Seat.leave_all()


@pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
def test_only_its_user_reads_a_database(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It holds the seeds of games that are under way; a server of before left it open to all."""
    path = tmp_path / "tables.sqlite"
    for before in (None, 0o644, 0o660):
        caplog.clear()
        if before is not None:
            path.chmod(before)
        store = Store(path)
        store.save_all([Save("table", {}, [], 1.0)])
        files = sorted(tmp_path.iterdir())
        assert [file.name for file in files] == ["tables.sqlite", "tables.sqlite-wal"]
        assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 2
        assert bool(caplog.messages) == (before is not None)
        with pytest.raises(ValueError, match="another server uses this database"):
            Store(path)
        store.close()
    text = tmp_path / "text"
    text.write_text("not a database, and long enough to be sure of that " * 100)
    text.chmod(0o644)
    with pytest.raises(ValueError, match="not a database"):
        Store(text)
    assert stat.S_IMODE(text.stat().st_mode) == 0o644


@pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
def test_a_log_beside_a_database_is_private_too(tmp_path: Path) -> None:
    """One that a killed server of before has left."""
    path, kept = tmp_path / "tables.sqlite", tmp_path / "kept"
    store = Store(path)
    store.save_all([Save("table", {}, [], 1.0)])
    kept.mkdir()
    for name in ("tables.sqlite", "tables.sqlite-wal"):
        (kept / name).write_bytes((tmp_path / name).read_bytes())
        (kept / name).chmod(0o644)
    store.close()
    store = Store(kept / "tables.sqlite")
    assert len(store) == 1
    assert {stat.S_IMODE(file.stat().st_mode) for file in kept.iterdir()} == {0o600}
    store.close()


def begun_tables(path: Path) -> list[dict[str, Any]]:
    """Make two tables of one match in a database, with an action at the first."""
    with serving(path) as client:
        seat, opened = sit_down(client, TABLE, hand_sizes=[2, 3])
        view = seat.wait_for_turn()
        seat.act(view, view["legal"][0])
        seat.hear()
        seat.leave()
        match = client.post(f"/tables/{opened['table']}/match", json={"token": opened["token"]}).json()
        other = client.post(f"/matches/{match['match']}/seats", json={"person": "Friend"}).json()
    return [opened, other]


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
    compared = client.post(f"/tables/{other['table']}/comparison", json={"token": other["token"]})
    assert compared.json() == {"others": [], "rounds": []}
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


def test_another_action_in_a_history_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite"
    opened, other = begun_tables(path)
    alter(path, opened["table"], "history", b"[]")
    with serving(path) as client:
        check_the_other(client, other, opened)


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


@pytest.mark.parametrize("years", [-56, 1, 73])
def test_a_clock_that_jumps_deletes_nothing(
    years: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formerly a server that started with its clock a month ahead deleted every table."""
    path = tmp_path / "tables.sqlite"
    opened, other = begun_tables(path)
    now = time.time()
    monkeypatch.setattr("wizard_table.web.tables.tables.time.time", lambda: now + years * 365.25 * 86400)
    for _ in range(2):
        with serving(path) as client:
            for one in (opened, other):
                assert Seat(client, one).hear()["you"] == 0
            monkeypatch.undo()
            new_table(client, TABLE)
