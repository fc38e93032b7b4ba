"""The tables of a server: found by name, changed by transitions, and saved before anyone sees a change."""

import asyncio
import logging
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from wizard_env import Agent
from wizard_table.translation import t
from wizard_table.web.questions import BusyError, Questions
from wizard_table.web.setup import Setup, UnknownTableError
from wizard_table.web.store import EMPTY, WAITING, DamagedError, Row, Save, StaleError, Store, Stored
from wizard_table.web.table import Table
from wizard_table.web.transitions import Change, TableState, Transition

T = TypeVar("T")
_log = logging.getLogger(__name__)

MAX_TABLES = 1000
DAY = 24 * 3600.0
KEPT_SECONDS = 30 * DAY
"""Age since the last change at which a table is forgotten."""
KEPT_EMPTY_SECONDS = DAY
"""Age at which a table is forgotten where nobody has acted."""
_IDLE_SECONDS = DAY
"""Age since the last change from which a table makes room for others on a full server."""
TABLES_PER_HOUR = 60
"""Tables that a client may open within an hour."""
_HOUR = 3600.0
_KEPT_IN_MEMORY = 16
"""Tables without connections that need not be read again."""


class FullError(ValueError):
    """There are too many tables."""


class TooManyTablesError(ValueError):
    """A client opens too many tables."""


class Openings:
    """Counts the tables that each client opens within an hour."""

    def __init__(self) -> None:
        self._opened: Counter[str] = Counter()
        self._since = time.monotonic()

    def count(self, client: str) -> None:
        """Count one of a client, by its address. Raises TooManyTablesError if there are too many."""
        if time.monotonic() - self._since > _HOUR:
            self._opened.clear()
            self._since = time.monotonic()
        if self._opened[client] >= TABLES_PER_HOUR:
            raise TooManyTablesError(
                t("too many new tables: {most} per hour are allowed", most=TABLES_PER_HOUR)
            )
        self._opened[client] += 1


class Tables:
    """All tables of a server. A table changes once the change is on disk: all that anyone sees is saved."""

    def __init__(self, store: Store, find: Callable[[str], Agent]) -> None:
        """Forget the stored tables that are too old; `find` returns the agent of a name."""
        self._store = store
        self._find = find
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._replays = Questions("replay", at_once=1, most=MAX_TABLES)
        self._unsaved: list[tuple[Save, asyncio.Future[int]]] = []
        self._saving: asyncio.Task[None] | None = None
        self._changes: set[asyncio.Task[Any]] = set()
        self._tables: WeakValueDictionary[str, Table] = WeakValueDictionary()
        self._latest: deque[Table] = deque(maxlen=_KEPT_IN_MEMORY)
        self._forget()

    def _forget(self) -> None:
        now = self._now()
        self._store.forget(now - KEPT_SECONDS)
        self._store.forget(now - KEPT_EMPTY_SECONDS, (WAITING, EMPTY))

    def _now(self) -> float:
        """Return the time that tables' ages count from, in seconds since the epoch: at most the last save's.

        Tables do not age while nobody plays or the server is off.
        """
        return min(time.time(), self._store.newest)

    async def open(self, setup: Setup, in_use: Collection[str] = ()) -> Table:
        """Open a table; those `in_use` stay. Raises FullError and StoreError, and as `Session` does."""
        table = Table(secrets.token_urlsafe(9), TableState.of(setup, self._find))
        await self._finish(self._insert(table, in_use))
        return table

    async def _insert(self, table: Table, in_use: Collection[str]) -> None:
        await self._call_store(partial(self._make_room, in_use))
        table.version = await self._save(table, table.state)
        self._keep(table)

    def _make_room(self, in_use: Collection[str]) -> None:
        if len(self._store) >= MAX_TABLES:
            self._forget()
        if len(self._store) >= MAX_TABLES and not self._store.make_room(self._now(), _IDLE_SECONDS, in_use):
            raise FullError(t("this server already has {count} tables; try again later", count=MAX_TABLES))

    async def find(self, name: str) -> Table:
        """Return the table of that name. Raises UnknownTableError, BusyError and StoreError."""
        table = self._tables.get(name)
        if table is None:
            try:
                stored = await self._call_store(partial(self._store.find, name))
                restored = None
                if stored is not None:
                    restored = await self._replays.ask(partial(self._restore, stored))
            except BusyError:
                raise
            except (DamagedError, KeyError, OSError, TypeError, ValueError) as error:
                _log.exception("table %s cannot be opened", name)
                raise UnknownTableError(t("this table is damaged and cannot be opened")) from error
            if restored is None:
                raise UnknownTableError(t("there is no such table"))
            table = self._tables.get(name, restored)  # another may have found it in the meantime
        self._keep(table)
        return table

    def _restore(self, stored: Stored) -> Table:
        state = TableState.of(Setup.from_json(stored.setup), self._find, stored.history)
        return Table(stored.name, state, stored.version)

    def of_match(self, match: str) -> list[Row]:
        """Return the tables of a match as they are stored, the oldest first. Raises StoreError.

        It reads every table, and so is called outside the event loop.
        """
        return self._thread.submit(self._store.of_match, match).result()

    async def change(self, table: Table, change: Change, replays: bool = False) -> Transition | None:
        """Change a table, and return the transition, or None if it stays as it is.

        `change` is called while nothing else changes the table, and in a thread if it replays the game. A
        table that everybody leaves before its game has begun is deleted.
        Raises BusyError and StoreError, and what `change` raises; the table then stays as it is.
        """
        return await self._finish(self._change(table, change, replays))

    async def _change(self, table: Table, change: Change, replays: bool) -> Transition | None:
        async with table.lock:
            if replays:
                transition = await self._replays.ask(partial(change, table.state))
            else:
                transition = change(table.state)
            if transition is None:
                return None
            if transition.after.setup.is_deserted:
                await self._call_store(partial(self._store.delete, table.name))
                self._tables.pop(table.name, None)
                table.take_over(transition, table.version)
            else:
                table.take_over(transition, await self._save(table, transition.after))
            return transition

    async def _save(self, table: Table, state: TableState) -> int:
        """Save a state of a table, and return its new version."""
        history = state.session.game.history
        save = Save(table.name, state.setup.to_json(), history, time.time(), table.version, state.stage)
        saved: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._unsaved.append((save, saved))
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(self._save_all())
        try:
            return await saved
        except StaleError:
            self._tables.pop(table.name, None)  # the next to ask for it gets what the other has saved
            raise

    async def _save_all(self) -> None:
        """Save all that waits at once; saves that come meanwhile are next."""
        while self._unsaved:
            batch, self._unsaved = self._unsaved, []
            outcomes: Sequence[int | Exception]
            try:
                outcomes = await self._call_store(partial(self._store.save_all, [save for save, _ in batch]))
            except Exception as error:  # all that wait must learn of it, whatever it is
                outcomes = [error] * len(batch)
            for (_, saved), outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, Exception):
                    saved.set_exception(outcome)
                else:
                    saved.set_result(outcome)

    def _keep(self, table: Table) -> None:
        self._tables[table.name] = table
        self._latest.append(table)

    async def _call_store(self, call: Callable[[], T]) -> T:
        """Call the store in its own thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def _finish(self, change: Coroutine[Any, Any, T]) -> T:
        """Carry out a change to its end, even if the caller is cancelled meanwhile."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Finish the changes that are under way."""
        await asyncio.gather(*self._changes, return_exceptions=True)
        self._replays.close()
        self._thread.shutdown()
