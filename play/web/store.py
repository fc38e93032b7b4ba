"""Keeps the tables of a server on disk, so that none is lost when it stops."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wizard_env.play.language.translation import t

WAITING, EMPTY, RUNNING, OVER = "waiting", "empty", "running", "over"
"""What is stored of a table's course: nobody has begun, nobody has acted, the game is on, it is over."""
LOCK_SECONDS = 2.0
"""How long to wait for a server that is just closing the database."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    name TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    history TEXT NOT NULL,
    used REAL NOT NULL
)
"""
_ADDED = {"version": "INTEGER NOT NULL DEFAULT 1", "course": f"TEXT NOT NULL DEFAULT '{RUNNING}'"}
"""Columns that databases of earlier releases lack."""


class StoreError(Exception):
    """A table cannot be read or written; the message says why."""


class StaleError(StoreError):
    """Another has saved or deleted the table meanwhile."""


class Stored(NamedTuple):
    """A saved table."""

    name: str
    setup: dict[str, Any]
    history: list[int]
    version: int
    """How often it was saved."""


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
    course: str = RUNNING
    """WAITING, EMPTY, RUNNING or OVER."""


class Store:
    """An SQLite database, which no other process may use meanwhile. Changes are on disk when a call returns.

    Every method but the first raises StoreError if the disk is full or fails.
    """

    def __init__(self, path: Path | str) -> None:
        """Open the database, or create it; ":memory:" keeps nothing.

        Any thread may use it, one at a time. Raises ValueError if the file is not a database, cannot be
        written, or is in use.
        """
        try:
            self._database = sqlite3.connect(
                path, isolation_level=None, timeout=LOCK_SECONDS, check_same_thread=False
            )
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("BEGIN EXCLUSIVE")  # takes the lock, and keeps it until `close`
            self._database.execute(_SCHEMA)
            held = {row[1] for row in self._database.execute("PRAGMA table_info(tables)")}
            for column, kind in _ADDED.items():
                if column not in held:
                    self._database.execute(f"ALTER TABLE tables ADD COLUMN {column} {kind}")
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            if hasattr(self, "_database"):
                self._database.close()
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise ValueError(f"{path}: another server uses this database; give each its own") from error
            if isinstance(error, sqlite3.OperationalError):
                remedy = "the file and its folder must be writable, and the disk have room"
            else:
                remedy = "use an SQLite database, or a file that does not exist yet"
            raise ValueError(f"{path}: {error}; {remedy}") from error

    def save(
        self,
        name: str,
        setup: Mapping[str, Any],
        history: Sequence[int],
        now: float,
        version: int = 0,
        course: str = RUNNING,
    ) -> int:
        """Save a table, see `Save`. Returns the new version; raises StaleError."""
        (outcome,) = self.save_all([Save(name, setup, history, now, version, course)])
        if isinstance(outcome, StaleError):
            raise outcome
        return outcome

    def save_all(self, saves: Sequence["Save"]) -> list["int | StaleError"]:
        """Save several tables, which takes hardly longer than to save one.

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

    def _write(self, save: "Save") -> "int | StaleError":
        told = (json.dumps(save.setup), json.dumps(list(save.history)))
        row = (*told, save.now, save.version + 1, save.course, save.name)
        if save.version:
            entries = "setup = ?, history = ?, used = ?, version = ?, course = ?"
            query = f"UPDATE tables SET {entries} WHERE name = ? AND version = ?"
            written = self._execute(query, (*row, save.version)).rowcount
        else:
            query = "INSERT OR IGNORE INTO tables (setup, history, used, version, course, name)"
            written = self._execute(f"{query} VALUES (?, ?, ?, ?, ?, ?)", row).rowcount
        if written:
            return save.version + 1
        return StaleError(t("this table was changed or deleted by another server; open it again"))

    def find(self, name: str) -> Stored | None:
        """The saved table of that name, or None."""
        row = self._execute(
            "SELECT name, setup, history, version FROM tables WHERE name = ?", (name,)
        ).fetchone()
        return None if row is None else Stored(row[0], json.loads(row[1]), json.loads(row[2]), row[3])

    def of_match(self, match: str) -> list[Stored]:
        """The saved tables of a match, the oldest first."""
        rows = self._execute(
            "SELECT name, setup, history, version FROM tables WHERE json_extract(setup, '$.match') = ?"
            " ORDER BY rowid",
            (match,),
        )
        return [Stored(row[0], json.loads(row[1]), json.loads(row[2]), row[3]) for row in rows]

    def __len__(self) -> int:
        count: int = self._execute("SELECT count(*) FROM tables").fetchone()[0]
        return count

    def forget(self, before: float, courses: Collection[str] = (WAITING, EMPTY, RUNNING, OVER)) -> None:
        """Delete tables of these courses last saved before a time, in seconds since the epoch."""
        marks = ", ".join("?" * len(courses))
        self._execute(f"DELETE FROM tables WHERE used < ? AND course IN ({marks})", (before, *courses))

    def delete(self, name: str) -> None:
        """Delete a table, if there is one of that name."""
        self._execute("DELETE FROM tables WHERE name = ?", (name,))

    def make_room(self, idle_since: float, in_use: Collection[str]) -> bool:
        """Delete the table that will be missed least, and return whether there is one.

        First those that are over, then those where nobody has acted, then those last saved before
        `idle_since`, in seconds since the epoch; the oldest of each first, and none whose name is `in_use`.
        """
        order = f"CASE course WHEN '{OVER}' THEN 0 WHEN '{RUNNING}' THEN 2 ELSE 1 END"
        found = self._execute(
            f"SELECT name FROM tables WHERE course != '{RUNNING}' OR used < ? ORDER BY {order}, used",
            (idle_since,),
        )
        name = next((name for (name,) in found if name not in in_use), None)
        if name is not None:
            self.delete(name)
        return name is not None

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _execute(self, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._database.execute(query, values)
        except sqlite3.Error as error:
            raise StoreError(t("the tables cannot be saved: {error}", error=error)) from error
