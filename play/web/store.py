"""Keeps the tables of a server on disk, so that none is lost when it stops."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    name TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    history TEXT NOT NULL,
    used REAL NOT NULL
)
"""


class Stored(NamedTuple):
    """A saved table."""

    name: str
    setup: dict[str, Any]
    history: list[int]


class Store:
    """An SQLite database. Every change is on disk when the call returns."""

    def __init__(self, path: Path | str) -> None:
        """Open the database, or create it; ":memory:" keeps nothing.

        Raises ValueError if the file is not a database or cannot be written.
        """
        try:
            self._database = sqlite3.connect(path, isolation_level=None)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(_SCHEMA)
        except sqlite3.Error as error:
            raise ValueError(
                f"{path}: {error}; use an SQLite database, or a file that does not exist yet"
            ) from error

    def save(self, name: str, setup: Mapping[str, Any], history: Sequence[int], now: float) -> None:
        """Save a table, replacing an earlier version of it.

        Args:
            name: the table's name.
            setup: anything that JSON can hold.
            history: ids of the actions taken so far.
            now: seconds since the epoch.
        """
        row = (name, json.dumps(setup), json.dumps(list(history)), now)
        self._database.execute("INSERT OR REPLACE INTO tables VALUES (?, ?, ?, ?)", row)

    def find(self, name: str) -> Stored | None:
        """The saved table of that name, or None."""
        query = "SELECT name, setup, history FROM tables WHERE name = ?"
        row = self._database.execute(query, (name,)).fetchone()
        return None if row is None else Stored(row[0], json.loads(row[1]), json.loads(row[2]))

    def __len__(self) -> int:
        count: int = self._database.execute("SELECT count(*) FROM tables").fetchone()[0]
        return count

    def forget(self, before: float) -> None:
        """Delete tables last saved before a time, in seconds since the epoch."""
        self._database.execute("DELETE FROM tables WHERE used < ?", (before,))

    def close(self) -> None:
        """Close the database."""
        self._database.close()
