"""A table: its state as far as it is saved, who may sit there, and what each seat is shown."""

import asyncio
import secrets
from collections.abc import Collection
from typing import Any, NamedTuple

from wizard_env.session import Session
from wizard_table.translation import t
from wizard_table.web.setup import Setup, UnknownTableError, digest
from wizard_table.web.store import OVER, WAITING
from wizard_table.web.transitions import TableState, Transition
from wizard_table.web.views import NOBODY, before_the_game, view_of


class Audience(NamedTuple):
    """The browsers that are connected to a table."""

    seats: Collection[int]
    watchers: int
    """The number of browsers without a seat."""


class Table:
    """A table of a server. It moves from state to state by transitions that are saved."""

    def __init__(self, name: str, state: TableState, version: int = 0) -> None:
        """Show a state that was saved `version` times; links contain the name."""
        self.name = name
        self.state = state
        self.version = version
        self.lock = asyncio.Lock()
        """Held while the table changes."""

    @property
    def setup(self) -> Setup:
        return self.state.setup

    @property
    def session(self) -> Session:
        """The game. It is replaced when the table changes, and never changes in place."""
        return self.state.session

    def take_over(self, transition: Transition, version: int) -> None:
        """Move to the next state, which is saved as this version."""
        assert transition.before is self.state, "the transition starts from another state"
        self.state, self.version = transition.after, version

    def seat_of(self, token: str | None) -> int:
        """Return the seat that a token opens, or NOBODY for watching if None. Raises UnknownTableError."""
        if token is None:
            if not self.setup.people_may_watch:
                why = t("This table is full. Its players did not invite watchers.")
                raise UnknownTableError(why)
            return NOBODY
        opened = digest(token)
        for seat, known in self.setup.taken.items():
            if secrets.compare_digest(known, opened):
                return seat
        raise UnknownTableError(t("this token opens no seat at this table"))

    def view(self, seat: int, audience: Audience) -> dict[str, Any]:
        """Return what a seat may know, ready for JSON; at a table of agents NOBODY sees all."""
        session, setup = self.session, self.setup
        seen = view_of(session, seat if None in setup.seats or seat != NOBODY else None)
        if not setup.begun:
            seen = before_the_game(seen)
        can_take_back = setup.seats.count(None) == 1 and setup.match is None
        return seen | {
            "table": self.name,
            "seconds": setup.seconds,
            "names": setup.names,
            "open": setup.open_seats,
            "waiting": not setup.begun,
            "host": setup.host,
            "match": setup.match,
            "can_take_back": can_take_back and any(event.seat == seat for event in session.events),
            **self.presence(audience),
        }

    def presence(self, audience: Audience) -> dict[str, Any]:
        """Return the part of a view that says who is present."""
        return {
            "presence": [self._presence_at(seat, audience) for seat in range(len(self.setup.seats))],
            "watchers": audience.watchers if self.setup.people_may_watch else None,
        }

    def _presence_at(self, seat: int, audience: Audience) -> str:
        if self.setup.seats[seat] is not None:
            return "agent"
        if seat not in self.setup.taken:
            return "open"
        if seat in self.setup.left and self.setup.acting[seat] is not None:
            return "left"
        return "here" if seat in audience.seats else "away"

    def summary(self) -> dict[str, Any]:
        """Return the table's entry in a list, ready for JSON: nothing in it is hidden from anyone."""
        game, setup, stage = self.session.game, self.setup, self.state.stage
        return {
            "table": self.name,
            "phase": stage if stage in (WAITING, OVER) else "playing",
            "names": setup.names,
            "open": setup.open_seats,
            "people": setup.seats.count(None),
            "watchable": setup.people_may_watch,
            "match": setup.match,
            "hinted": list(setup.hinted),
            "taken_back": list(setup.taken_back),
            "turn": game.seat if setup.begun else None,
            "round_number": game.round_number,
            "num_rounds": game.num_rounds,
            "scores": game.scores,
        }
