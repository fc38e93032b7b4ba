"""Store: keeps the tables of a server on disk, so that none is lost when it stops."""

import json
import os
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from wizard_env.files import digest as digest_of
from wizard_table.translation import t

WAITING, EMPTY, RUNNING, OVER = "waiting", "empty", "running", "over"
"""Stages of a table: its game has not begun, nobody has acted in it, it is under way, it is over."""
LOCK_SECONDS = 2.0
"""Time to wait for a server that is just closing the database."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    name TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    history TEXT NOT NULL,
    used REAL NOT NULL
)
"""
_ADDED = {
    "version": "INTEGER NOT NULL DEFAULT 1",
    "stage": f"TEXT NOT NULL DEFAULT '{RUNNING}'",
    "digest": "TEXT NOT NULL DEFAULT ''",
}
"""Columns that databases of release 0.2.0 lack."""
_STORED = "name, setup, history, version, digest"


class StoreError(Exception):
    """A table cannot be read or written; the message says why."""


class StaleError(StoreError):
    """The table was saved or deleted by another meanwhile."""


class DamagedError(Exception):
    """A table is stored otherwise than it was saved."""


class Stored(NamedTuple):
    """A saved table."""

    name: str
    setup: dict[str, Any]
    history: list[int]
    version: int
    """The number of times it was saved."""


class Row(NamedTuple):
    """A saved table as the database holds it; it is read in any thread."""

    name: str
    setup: str
    history: str
    version: int
    digest: str
    """Of setup and history; "" in rows of earlier releases."""

    def read(self) -> Stored:
        """Return the table. Raises DamagedError."""
        try:
            if self.digest and self.digest != _digest(self.setup, self.history):
                raise ValueError("its digest does not match its content")
            return Stored(self.name, json.loads(self.setup), json.loads(self.history), self.version)
        except (RecursionError, TypeError, ValueError) as error:
            raise DamagedError(f"table {self.name}: {error}") from error


class Save(NamedTuple):
    """A table to save, replacing the version that was read."""

    name: str
    setup: Mapping[str, Any]
    """Anything that JSON can hold."""
    history: Sequence[int]
    """The ids of the actions taken so far."""
    now: float
    """Seconds since the epoch."""
    version: int = 0
    """The version to replace; 0 for a new table."""
    stage: str = RUNNING
    """WAITING, EMPTY, RUNNING or OVER."""


class Store:
    """An SQLite database, which no other process may use meanwhile. Changes are on disk when a call returns.

    Every method but the first raises StoreError if the disk is full or fails.
    """

    def __init__(self, path: Path | str) -> None:
        """Open the database, or create it; ":memory:" keeps nothing. Only this user may read the file.

        Any thread may use it, one at a time. Raises ValueError if the file is not a database, cannot be
        written, or is in use.
        """
        try:
            if path != ":memory:":
                _create(Path(path))
            self._database = sqlite3.connect(
                path, isolation_level=None, timeout=LOCK_SECONDS, check_same_thread=False
            )
            self.newest = self._prepare()
            """The time of the latest save, in seconds since the epoch; 0 if there is none."""
        except sqlite3.Error as error:
            if hasattr(self, "_database"):
                self._database.close()
            raise ValueError(f"{path}: {_explain(error)}") from error

    def _prepare(self) -> float:
        """Lock the database until it is closed, create what it lacks, and return the latest save."""
        execute = self._database.execute
        self._database.text_factory = _decode
        execute("PRAGMA locking_mode = EXCLUSIVE")
        execute("PRAGMA journal_mode = WAL")
        execute("BEGIN EXCLUSIVE")  # takes the lock
        execute(_SCHEMA)
        held = {row[1] for row in execute("PRAGMA table_info(tables)")}
        for column, kind in _ADDED.items():
            if column not in held:
                execute(f"ALTER TABLE tables ADD COLUMN {column} {kind}")
        ((latest,),) = execute("SELECT coalesce(max(used), 0) FROM tables")
        execute("COMMIT")
        return float(latest)

    def save_all(self, saves: Sequence[Save]) -> list[int | StaleError]:
        """Save tables: several take hardly longer than one.

        Returns for each the new version, or the error if another has saved or deleted it meanwhile. Raises
        StoreError if none is saved.
        """
        self._execute("BEGIN IMMEDIATE")
        try:
            outcomes = [self._write(save) for save in saves]
            self._execute("COMMIT")
        except StoreError:
            if self._database.in_transaction:
                self._execute("ROLLBACK")
            raise
        return outcomes

    def _write(self, save: Save) -> int | StaleError:
        content = (json.dumps(save.setup), json.dumps(list(save.history)))
        row = (*content, save.now, save.version + 1, save.stage, _digest(*content), save.name)
        if save.version:
            entries = "setup = ?, history = ?, used = ?, version = ?, stage = ?, digest = ?"
            query = f"UPDATE tables SET {entries} WHERE name = ? AND version = ?"
            written = self._execute(query, (*row, save.version)).rowcount
        else:
            query = "INSERT OR IGNORE INTO tables (setup, history, used, version, stage, digest, name)"
            written = self._execute(f"{query} VALUES (?, ?, ?, ?, ?, ?, ?)", row).rowcount
        if written:
            self.newest = max(self.newest, save.now)
            return save.version + 1
        return StaleError(t("this table was changed or deleted by another server; open it again"))

    def find(self, name: str) -> Stored | None:
        """Return the saved table of that name, or None. Raises DamagedError."""
        rows = self._rows(f"SELECT {_STORED} FROM tables WHERE name = ?", (name,))
        return Row(*rows[0]).read() if rows else None

    def of_match(self, match: str) -> list[Row]:
        """Return the rows of a match, the oldest first. To read them here would keep saves waiting."""
        rows = self._rows(
            f"SELECT {_STORED} FROM tables"
            " WHERE iif(json_valid(setup), json_extract(setup, '$.match'), NULL) = ? ORDER BY rowid",
            (match,),
        )
        return [Row(*row) for row in rows]

    def __len__(self) -> int:
        ((count,),) = self._rows("SELECT count(*) FROM tables")
        return int(count)

    def forget(self, before: float, stages: Collection[str] = (WAITING, EMPTY, RUNNING, OVER)) -> None:
        """Delete tables in these stages last saved before a time, in seconds since the epoch."""
        marks = ", ".join("?" * len(stages))
        self._execute(f"DELETE FROM tables WHERE used < ? AND stage IN ({marks})", (before, *stages))

    def delete(self, name: str) -> None:
        self._execute("DELETE FROM tables WHERE name = ?", (name,))

    def make_room(self, now: float, idle: float, in_use: Collection[str]) -> bool:
        """Delete the table that matters least, and return whether there is one.

        The order is: games that are over, games where nobody has acted, then tables not saved for `idle`
        seconds before `now`; the oldest of each first. A table whose name is `in_use` stays.
        """
        order = f"CASE stage WHEN '{OVER}' THEN 0 WHEN '{RUNNING}' THEN 2 ELSE 1 END"
        found = self._rows(
            f"SELECT name FROM tables WHERE stage != '{RUNNING}' OR used < ? ORDER BY {order}, used",
            (now - idle,),
        )
        name = next((name for (name,) in found if name not in in_use), None)
        if name is not None:
            self.delete(name)
        return name is not None

    def close(self) -> None:
        self._database.close()

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(t("the tables cannot be read: {error}", error=error)) from error

    def _execute(self, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._database.execute(query, values)
        except sqlite3.Error as error:
            raise StoreError(t("the tables cannot be saved: {error}", error=error)) from error


def _create(path: Path) -> None:
    """Create a file that only this user may read, if there is none; it will hold the seeds of games."""
    with suppress(OSError):  # it is there, or SQLite says why it cannot be
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _explain(error: sqlite3.Error) -> str:
    """Return the reason why a database cannot be opened, and a remedy."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
        return "another server uses this database; give each its own"
    if isinstance(error, sqlite3.OperationalError):
        return f"{error}; the file and its folder must be writable, and the disk have room"
    return f"{error}; use an SQLite database, or a file that does not exist yet"


def _decode(stored: bytes) -> str:
    """Decode text of the database; damaged text must not make whole queries fail."""
    return stored.decode(errors="replace")


def _digest(setup: str, history: str) -> str:
    return digest_of(f"{setup}\n{history}")
