"""Matches: tables of one person each, with the same rules, seed, seat and agents.

Agents draw their randomness from the seed and the number of the decision, so they act the same at every table
where the game has gone the same way. Nothing can be taken back in a match: a deal that was seen cannot be
played again at that table.
"""

import asyncio
import secrets
from dataclasses import replace
from datetime import UTC, datetime

from wizard_env import Rules
from wizard_table.translation import t
from wizard_table.web.tables.hub import Hub, Ticket
from wizard_table.web.tables.setup import Setup, UnknownTableError, new_setup
from wizard_table.web.tables.store import Stored
from wizard_table.web.tables.table import Table
from wizard_table.web.tables.transitions import TableState, Transition, change_setup

_DAILY = "daily"
"""The name of the match of the day."""
DAILY_RULES = Rules(num_players=4, hand_sizes=(2, 4, 6, 8, 10))
"""The rules of every deal of the day."""


class Matches:
    """The matches of a server. Only the name of a match is stored, at each of its tables."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._opening = asyncio.Lock()

    async def begin(self, table: Table) -> str:
        """Begin a match at a table of one person, and return its name. Raises ValueError and StoreError."""
        await self._hub.change(table, _begin_match)
        assert table.setup.match is not None
        return table.setup.match

    def find(self, match: str) -> tuple[Setup, list[Stored]]:
        """Return the setup of a match and its tables, the oldest first; called outside the event loop.

        The match of the day ("daily") may have no table yet. Raises UnknownTableError and StoreError.
        """
        name = f"{_DAILY}-{today()}" if match == _DAILY else match
        stored = self._hub.tables.of_match(name)
        if stored:
            return Setup.from_json(stored[0].setup), stored
        if match != _DAILY:
            raise UnknownTableError(t("there is no such match"))
        agent = self._hub.agents.names[-1]
        seats = [None, *[agent] * (DAILY_RULES.num_players - 1)]
        return replace(new_setup(DAILY_RULES, seats, stand_in=agent), match=name), []

    async def open(self, match: str, person: str | None) -> Ticket:
        """Open a table of a match. Raises as `find` and `Hub.open_with` do."""
        async with self._opening:  # so that the first two of a day get the same deals
            setup, _ = await asyncio.to_thread(self.find, match)
            fresh = replace(setup, taken={}, people={}, left=(), hinted=(), taken_back=())
            fresh = replace(fresh, begun=False, listed=False, watchers=False)
            return await self._hub.open_with(fresh, person)


def _begin_match(state: TableState) -> Transition | None:
    if state.setup.seats.count(None) != 1:
        raise ValueError(t("the same deals can be played by others if one person sits at the table"))
    match = state.setup.match or secrets.token_urlsafe(9)
    return change_setup(state, replace(state.setup, match=match))


def today() -> str:
    """Return the date in UTC, as "2026-11-22"."""
    return datetime.now(UTC).date().isoformat()
