"""Matches: tables of one person each, with the same rules, seed, seat and agents.

Agents draw their randomness from the seed and the number of the decision, so they act the same at every table
where the game has gone the same way. Nothing can be taken back in a match: whoever has seen a deal cannot
play it again at that table.
"""

import asyncio
import secrets
from dataclasses import replace
from datetime import UTC, datetime

from wizard_env import Rules
from wizard_env.play.language.translation import t
from wizard_env.play.web.hub import Hub
from wizard_env.play.web.table import Change, Setup, Table, UnknownTableError, new_setup

MATCH_BYTES = 9
DAILY = "daily"
DAILY_RULES = Rules(num_players=4, hand_sizes=(2, 4, 6, 8, 10))
"""The rules of every deal of the day."""


class Matches:
    """The matches of a server; all that is stored of one is its name, at each of its tables."""

    def __init__(self) -> None:
        """Start without matches."""
        self._opening = asyncio.Lock()

    async def begin(self, hub: Hub, table: Table) -> str:
        """Let others play the deals of a table, and return the name of the match.

        Raises ValueError unless the table has one seat for a person, and StoreError.
        """

        def decide() -> Change | None:
            if table.setup.seats.count(None) != 1:
                raise ValueError(t("the same deals can be played by others if one person sits at the table"))
            if table.setup.match is not None:
                return None
            return table.changed(match=secrets.token_urlsafe(MATCH_BYTES))

        if await hub.tables.change(table, decide):
            hub.show(table)
        assert table.setup.match is not None
        return table.setup.match

    async def setup_of(self, hub: Hub, match: str) -> tuple[Setup, int]:
        """The setup of the first table of a match, and how many tables there are.

        Raises UnknownTableError if there is none, and StoreError.
        """
        stored = await hub.tables.of_match(match)
        if not stored:
            raise UnknownTableError(t("there is no such match"))
        return Setup.from_json(stored[0].setup), len(stored)

    async def open(self, hub: Hub, match: str, person: str | None) -> tuple[Table, int, str]:
        """Open a table with the deals of a match; `DAILY` stands for the match of the day.

        Returns the table, and the seat and token of the person. Raises as `setup_of`, `Hub.check_person` and
        `Tables.open` do.
        """
        hub.check_person(person)
        async with self._opening:  # so that the first two of a day get the same deals
            if match == DAILY:
                setup = await self._of_the_day(hub)
            else:
                setup, _ = await self.setup_of(hub, match)
            fresh = replace(setup, taken={}, people={}, left=(), begun=False, listed=False, watchers=False)
            taken, seat, token = fresh.with_person(person)
            return await hub.tables.open(taken, hub.connections.tables()), seat, token

    async def _of_the_day(self, hub: Hub) -> Setup:
        match = f"{DAILY}-{today()}"
        stored = await hub.tables.of_match(match)
        if stored:
            return Setup.from_json(stored[0].setup)
        agent = hub.agents[-1]
        seats = [None, *[agent] * (DAILY_RULES.num_players - 1)]
        return replace(new_setup(DAILY_RULES, seats, stand_in=agent), match=match)


def today() -> str:
    """The date in UTC, as "2026-11-22"."""
    return datetime.now(UTC).date().isoformat()
