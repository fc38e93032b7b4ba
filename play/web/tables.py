"""The tables of a server, and how changes are saved."""

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from wizard_env.play.language.translation import t
from wizard_env.play.web.questions import SharedAgent
from wizard_env.play.web.store import EMPTY, WAITING, DamagedError, Save, StaleError, Store, Stored
from wizard_env.play.web.table import Change, Setup, Table, UnknownTableError

T = TypeVar("T")
log = logging.getLogger(__name__)

NAME_BYTES = 9
MAX_TABLES = 1000
DAY = 24 * 3600.0
KEPT_SECONDS = 30 * DAY
"""How long a table is kept after it was last played at."""
KEPT_EMPTY_SECONDS = DAY
"""How long a table is kept at which nobody has acted."""
IDLE_SECONDS = DAY
"""How long nobody has played at a table that makes room for others on a full server."""
KEPT_IN_MEMORY = 16
"""Tables without connections that need not be read again."""


class FullError(ValueError):
    """There are too many tables."""


class Tables:
    """All tables of a server. A table changes once the change is on disk, so what anyone sees is saved."""

    def __init__(self, store: Store, agent: Callable[[str], SharedAgent]) -> None:
        """Drop the stored tables that are too old, and load the others when they are asked for.

        Args:
            store: keeps the tables.
            agent: returns the agent with a name, the same one for all tables.
        """
        self._store = store
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._unsaved: list[tuple[Save, asyncio.Future[int]]] = []
        self._saving: asyncio.Task[None] | None = None
        self._changes: set[asyncio.Task[Any]] = set()
        self._tables: WeakValueDictionary[str, Table] = WeakValueDictionary()
        self._latest: deque[Table] = deque(maxlen=KEPT_IN_MEMORY)
        self.agent = agent
        self._forget()

    def _forget(self) -> None:
        now = self._now()
        self._store.forget(now - KEPT_SECONDS)
        self._store.forget(now - KEPT_EMPTY_SECONDS, (WAITING, EMPTY))

    def _now(self) -> float:
        """The time that tables' ages count from, in seconds since the epoch: no later than the last save.

        Time in which nobody plays makes no table older, so a clock that jumps ahead deletes none.
        """
        return min(time.time(), self._store.newest())

    async def open(self, setup: Setup, in_use: Collection[str] = (), name: str | None = None) -> Table:
        """Open a new table.

        Args:
            setup: who sits there, and what is played.
            in_use: names of tables that must stay.
            name: the table's name; None makes one up.

        Raises FullError if there are too many tables, StoreError, and ValueError as `Session` does.
        """
        table = Table(name or secrets.token_urlsafe(NAME_BYTES), setup, self.agent)

        def make_room() -> None:
            if len(self._store) >= MAX_TABLES:
                self._forget()
            if len(self._store) >= MAX_TABLES and not self._store.make_room(
                self._now(), IDLE_SECONDS, in_use
            ):
                raise FullError(
                    t("this server already has {count} tables; try again later", count=MAX_TABLES)
                )

        async def insert() -> None:
            await self._stored(make_room)
            await self._save(table, table.changed())
            self._keep(table)

        await self._settled(insert())
        return table

    async def find(self, name: str) -> Table:
        """The table of that name. Raises UnknownTableError if there is none, and StoreError."""
        table = self._tables.get(name)
        if table is None:
            try:
                stored: Stored | None = await self._stored(lambda: self._store.find(name))
                restored = None if stored is None else await asyncio.to_thread(self._restore, stored)
            except (DamagedError, KeyError, OSError, TypeError, ValueError) as error:
                log.exception("table %s cannot be opened", name)
                raise UnknownTableError(t("this table is damaged and cannot be opened")) from error
            if restored is None:
                raise UnknownTableError(t("there is no such table"))
            table = self._tables.get(name, restored)  # another may have found it in the meantime
        self._keep(table)
        return table

    async def of_match(self, match: str) -> list[Stored]:
        """The tables of a match as they are stored, the oldest first. Raises StoreError."""
        found: list[Stored] = await self._stored(lambda: self._store.of_match(match))
        return found

    def _restore(self, stored: Stored) -> Table:
        setup = Setup.from_json(stored.setup)
        return Table(stored.name, setup, self.agent, stored.history, stored.version)

    async def change(self, table: Table, decide: Callable[[], Change | None]) -> bool:
        """Change a table, and return whether it has changed.

        Args:
            table: a table of this server.
            decide: returns the table as it shall be, or None to leave it as it is; called while nothing else
                changes the table.

        Raises StoreError, and what `decide` raises; the table then stays as it is.
        """

        async def carry_out() -> bool:
            async with table.lock:
                wanted = decide()
                if wanted is not None:
                    await self._save(table, wanted)
                    table.apply(wanted)
                return wanted is not None

        return await self._settled(carry_out())

    async def delete(self, table: Table, decide: Callable[[], bool]) -> None:
        """Delete a table if `decide` says so, called while nothing else changes it. Raises StoreError."""

        async def carry_out() -> None:
            async with table.lock:
                if decide():
                    await self._stored(lambda: self._store.delete(table.name))
                    self._tables.pop(table.name, None)

        await self._settled(carry_out())

    async def _save(self, table: Table, wanted: Change) -> None:
        now = max(time.time(), self._store.newest())  # by a clock that was set back it would look old
        save = Save(table.name, wanted.setup.to_json(), wanted.history, now, table.version, wanted.course)
        saved: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._unsaved.append((save, saved))
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(self._save_all())
        try:
            table.version = await saved
        except StaleError:
            self._tables.pop(table.name, None)  # whoever asks for it next gets what the other has saved
            raise

    async def _save_all(self) -> None:
        """Save what waits for it, all at once; what comes meanwhile is saved next."""
        while self._unsaved:
            batch, self._unsaved = self._unsaved, []
            outcomes: Sequence[int | Exception]
            try:
                outcomes = await self._stored(partial(self._store.save_all, [save for save, _ in batch]))
            except Exception as error:  # whoever waits must hear of it, whatever it is
                outcomes = [error] * len(batch)
            for (_, saved), outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, Exception):
                    saved.set_exception(outcome)
                else:
                    saved.set_result(outcome)

    def _keep(self, table: Table) -> None:
        self._tables[table.name] = table
        self._latest.append(table)

    async def _stored(self, call: Callable[[], T]) -> T:
        """The outcome of a call to the store, in its own thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def _settled(self, change: Coroutine[Any, Any, T]) -> T:
        """The outcome of a change, which is carried out even if whoever asked for it goes away."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Finish the changes that are under way."""
        await asyncio.gather(*self._changes, return_exceptions=True)
        self._thread.shutdown()
