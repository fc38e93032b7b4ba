"""Matches: tables of one person each, with the same rules, seed, seat and agents; their results compared.

Agents draw their randomness from the seed and the number of the decision, so they act the same at every table
where the game has gone the same way. Nothing can be taken back in a match: a deal that was seen cannot be
played again at that table.
"""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from wizard_env import Game, Rules
from wizard_env.session import PERSON, place_of
from wizard_table.translation import t
from wizard_table.web.hub import Hub, Ticket
from wizard_table.web.setup import Setup, UnknownTableError, new_setup
from wizard_table.web.store import DamagedError, Row
from wizard_table.web.table import Table
from wizard_table.web.transitions import TableState, Transition, change_setup

_DAILY = "daily"
"""The name of the match of the day."""
DAILY_RULES = Rules(num_players=4, hand_sizes=(2, 4, 6, 8, 10))
"""The rules of every deal of the day."""
_KEPT_RESULTS = 1000
"""Tables whose result is kept until they change; the least recently used is dropped."""


class Matches:
    """The matches of a server. Only the name of a match is stored, at each of its tables."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._opening = asyncio.Lock()

    async def begin(self, table: Table) -> str:
        """Begin a match at a table of one person, and return its name. Raises StoreError."""
        await self._hub.change(table, _begin_match)
        assert table.setup.match is not None
        return table.setup.match

    def find(self, match: str) -> tuple[Setup, list[Row]]:
        """Return the setup of a match and its tables, the oldest first; called outside the event loop.

        The match of the day ("daily") may have no table yet. Raises UnknownTableError and StoreError.
        """
        name = f"{_DAILY}-{today()}" if match == _DAILY else match
        rows = self._hub.tables.of_match(name)
        for row in rows:
            with suppress(DamagedError):
                return Setup.from_json(row.read().setup), rows
        if match != _DAILY:
            raise UnknownTableError(t("there is no such match"))
        agent = self._hub.agents.names[-1]
        seats = [None, *[agent] * (DAILY_RULES.num_players - 1)]
        return replace(new_setup(DAILY_RULES, seats, stand_in=agent), match=name), []

    async def open(self, match: str, person: str | None) -> Ticket:
        """Open a table of a match. Raises as `find` and `Hub.open_with` do."""
        async with self._opening:  # so that the first two of a day get the same deals
            setup, _ = await asyncio.to_thread(self.find, match)
            fresh = replace(setup.without_people(), listed=False, watchers=False)
            return await self._hub.open_with(fresh, person)


def _begin_match(state: TableState) -> Transition | None:
    match = state.setup.match or secrets.token_urlsafe(9)
    return change_setup(state, replace(state.setup, match=match))


def today() -> str:
    """Return the date in UTC, as "2026-11-22"."""
    return datetime.now(UTC).date().isoformat()


# --- results


def list_results(rows: Sequence[Row], own: str | None = None) -> list[dict[str, Any]]:
    """List the tables of a match, the best finished game first, then those under way by their rounds.

    Returns for each {"name", "points", "place": the person's among the seats of the table, "rounds": the
    number that are over, "over": whether all are, "hinted", "taken_back", "own": whether it is the table
    of that name}. Damaged tables are left out.
    """
    found = [(row.name, _result(row)) for row in rows]
    results = [result | {"own": name == own} for name, result in found if result is not None]
    return sorted(results, key=lambda one: (not one["over"], -one["rounds"], -one["points"]))


@lru_cache(_KEPT_RESULTS)
def _result(row: Row) -> dict[str, Any] | None:
    """Return the result of a table but for "own", or None if it is damaged."""
    try:
        stored = row.read()
    except DamagedError:
        return None
    setup = Setup.from_json(stored.setup)
    game, seat = Game(setup.rules, setup.seed), setup.seats.index(None)
    for action in stored.history:
        game.step(action)
    return {
        "name": setup.people.get(seat, PERSON),
        "points": game.scores[seat],
        "place": place_of(game.scores, seat),
        "rounds": len(game.rounds),
        "over": game.seat is None,
        "hinted": seat in setup.hinted,
        "taken_back": seat in setup.taken_back,
    }
