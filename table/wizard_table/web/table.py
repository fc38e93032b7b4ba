"""A table: its state as far as it is saved, who may sit there, and what each seat is shown."""

import asyncio
import secrets
import time
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


class Clock(NamedTuple):
    """The time that a person has for a decision."""

    decisions: int
    """The number of decisions before this one."""
    ends: float
    """In seconds of `time.monotonic`."""


class Table:
    """A table of a server. It moves from state to state by transitions that are saved."""

    def __init__(self, name: str, state: TableState, version: int = 0) -> None:
        """Show a state that was saved `version` times; links contain the name."""
        self.name = name
        self.state = state
        self.version = version
        self.lock = asyncio.Lock()
        """Held while the table changes."""
        self.replaced_at: dict[int, float] = {}
        """When an agent replaces each person who is away, in seconds of `time.monotonic`."""
        self.emoted_at: dict[int, float] = {}
        """When each seat has sent its last emote, in the same seconds."""
        self.clock: Clock | None = None
        """The time of the acting person, if it is limited."""

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
            "clock": setup.clock if setup.has_company else None,
            "decides_in": None if self.clock is None else _until(self.clock.ends),
            "can_take_back": can_take_back and any(event.seat == seat for event in session.events),
            **self.presence(audience),
        }

    def presence(self, audience: Audience) -> dict[str, Any]:
        """Return the part of a view that says who is present."""
        seats, absent = range(len(self.setup.seats)), self.absent(audience)
        return {
            "presence": [self._presence_at(seat, audience) for seat in seats],
            "replaced_in": [
                _until(self.replaced_at[seat]) if seat in absent & self.replaced_at.keys() else None
                for seat in seats
            ],
            "watchers": audience.watchers if self.setup.people_may_watch else None,
        }

    def absent(self, audience: Audience) -> set[int]:
        """Return the seats of people who are away while others play."""
        if not (self.setup.begun and self.setup.has_company and audience.seats and self.state.stage != OVER):
            return set()
        seats = range(len(self.setup.seats))
        return {seat for seat in seats if self._presence_at(seat, audience) == "away"}

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
            "rules": game.rules.to_dict(),
            "clock": setup.clock if setup.has_company else None,
            "scores": game.scores,
        }


def _until(moment: float) -> float:
    """Return the seconds until a moment of `time.monotonic`, for people to read."""
    return round(max(0.0, moment - time.monotonic()), 1)
