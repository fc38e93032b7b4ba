"""Matches: tables of one person each, with the same rules, seed, seat and agents; their results compared.

Agents draw their randomness from the seed and the number of the decision, so they act the same at every table
where the game has gone the same way. Nothing can be taken back in a match: a deal that was seen cannot be
played again at that table.
"""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from wizard_env import Game, Rules
from wizard_env.session import PERSON, place_of
from wizard_table.translation import t
from wizard_table.web.hub import Hub, Ticket
from wizard_table.web.setup import Setup, UnknownTableError, new_setup
from wizard_table.web.store import Stored
from wizard_table.web.table import Table
from wizard_table.web.transitions import TableState, Transition, change_setup

_DAILY = "daily"
"""The name of the match of the day."""
DAILY_RULES = Rules(num_players=4, hand_sizes=(2, 4, 6, 8, 10))
"""The rules of every deal of the day."""
_KEPT_SCORES = 1000
"""Games whose score is kept; the least recently used is dropped."""


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
    match = state.setup.match or secrets.token_urlsafe(9)
    return change_setup(state, replace(state.setup, match=match))


def today() -> str:
    """Return the date in UTC, as "2026-11-22"."""
    return datetime.now(UTC).date().isoformat()


# --- results


class Score(NamedTuple):
    """The score of a game so far."""

    points: list[int]
    rounds: int
    """The rounds that are over."""
    is_over: bool


def list_results(stored: Sequence[Stored], own: str | None = None) -> list[dict[str, Any]]:
    """List the tables of a match, the best finished game first, then those under way by their rounds.

    Returns for each {"name", "points", "place": the person's among the seats of the table, "rounds": the
    number that are over, "over": whether all are, "hinted", "taken_back", "own": whether it is the table
    of that name}.
    """
    results = [_result(one, one.name == own) for one in stored]
    return sorted(results, key=lambda one: (not one["over"], -one["rounds"], -one["points"]))


def _result(stored: Stored, is_own: bool) -> dict[str, Any]:
    setup = Setup.from_json(stored.setup)
    seat = setup.seats.index(None)
    score = _score_of(setup.rules, setup.seed, tuple(stored.history))
    return {
        "name": setup.people.get(seat, PERSON),
        "points": score.points[seat],
        "place": place_of(score.points, seat),
        "rounds": score.rounds,
        "over": score.is_over,
        "hinted": seat in setup.hinted,
        "taken_back": seat in setup.taken_back,
        "own": is_own,
    }


@lru_cache(_KEPT_SCORES)
def _score_of(rules: Rules, seed: int, history: tuple[int, ...]) -> Score:
    game = Game(rules, seed)
    for action in history:
        game.step(action)
    return Score(list(game.scores), len(game.rounds), game.seat is None)
