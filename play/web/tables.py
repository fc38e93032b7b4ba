"""The tables of a server: who may take which seat, and what each seat is shown."""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wizard_env import Rules
from wizard_env.agents.assessment import Assessment, assess, expects_points
from wizard_env.loading import load
from wizard_env.play.session import Session, fresh_seed
from wizard_env.play.web.store import Store, Stored
from wizard_env.play.web.table_json import table_json
from wizard_env.view import Actions, View

NAME_BYTES = 9
TOKEN_BYTES = 24
MAX_TABLES = 1000
KEPT_SECONDS = 30 * 24 * 3600.0
"""How long a table is kept after it was last played at."""
SECONDS = (0.0, 5.0)
"""The shortest and longest time that agents can be set to wait before they act."""
PERSON = "person"
"""The name of a person who gave none."""


class UnknownTableError(ValueError):
    """The table, or the seat at it, does not exist or is not free."""


class SharedAgent:
    """An agent that several tables share; it answers one at a time."""

    def __init__(self, name: str) -> None:
        """Load the agent. Raises as `load` does."""
        self._agent = load(name)
        self._asked = threading.Lock()
        self.expects_points = expects_points(self._agent)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """See `Agent.act`."""
        with self._asked:
            return self._agent.act(view, rng)

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Its assessment of the decisions of a view, see `assess`."""
        with self._asked:
            return assess(self._agent, view, rng)


class Table:
    """A table of a server. A seat is opened by a token, of which only the digest is kept."""

    def __init__(
        self,
        name: str,
        session: Session,
        taken: dict[int, str],
        people: dict[int, str],
        seconds: float = 0.8,
    ) -> None:
        """Open a table.

        Args:
            name: the table's name, which links contain.
            session: the game.
            taken: the digest of the token of each seat that a person has taken.
            people: the names of the people who gave one, by seat.
            seconds: how long agents wait before they act.
        """
        self.name = name
        self.session = session
        self.taken = taken
        self.people = people
        self.seconds = seconds

    @property
    def open_seats(self) -> list[int]:
        """The seats for people that are not taken yet."""
        return [
            seat for seat, name in enumerate(self.session.seats) if name is None and seat not in self.taken
        ]

    def take_seat(self, person: str | None = None) -> tuple[int, str]:
        """Take the first open seat, for a person of that name.

        Returns the seat and the token that opens it from now on. Raises UnknownTableError if every seat is
        taken.
        """
        if not self.open_seats:
            raise UnknownTableError("every seat of this table is taken")
        seat, token = self.open_seats[0], secrets.token_urlsafe(TOKEN_BYTES)
        self.taken[seat] = digest(token)
        if person is not None:
            self.people[seat] = person
        return seat, token

    def seat_of(self, token: str | None) -> int | None:
        """The seat that a token opens; None, for watching, if there is no token.

        Raises UnknownTableError if the token opens no seat here, and for watching if people play here.
        """
        if token is None:
            if None in self.session.seats:
                raise UnknownTableError("a table with people cannot be watched")
            return None
        opened = digest(token)
        for seat, known in self.taken.items():
            if secrets.compare_digest(known, opened):
                return seat
        raise UnknownTableError("this token opens no seat at this table")

    def set_pace(self, seconds: float) -> None:
        """Set how long agents wait. Raises ValueError outside of SECONDS."""
        low, high = SECONDS
        if not low <= seconds <= high:
            raise ValueError(f"seconds={seconds!r}: allowed are {low:g} to {high:g}")
        self.seconds = float(seconds)

    def view(self, seat: int | None) -> dict[str, Any]:
        """Everything that a seat of `seat_of` may know, ready for JSON; None, for watching, shows all."""
        session = self.session
        return table_json(session, seat) | {
            "table": self.name,
            "seconds": self.seconds,
            "names": [name or self.people.get(number, PERSON) for number, name in enumerate(session.seats)],
            "open": self.open_seats,
            "can_take_back": session.seats.count(None) == 1 and any(e.seat == seat for e in session.events),
        }

    def setup(self) -> dict[str, Any]:
        """What `Tables` stores in addition to the actions."""
        session = self.session
        return {
            "rules": session.game.rules.to_dict(),
            "seats": session.seats,
            "seed": str(session.game.seed),
            "taken": {str(seat): known for seat, known in self.taken.items()},
            "people": {str(seat): person for seat, person in self.people.items()},
            "seconds": self.seconds,
        }


class Tables:
    """All tables of a server, each saved whenever it changes."""

    def __init__(self, store: Store, agent: Callable[[str], SharedAgent]) -> None:
        """Drop the stored tables that are too old, and load the others when they are asked for.

        Args:
            store: keeps the tables.
            agent: returns the agent with a name, the same one for all tables.
        """
        self._store = store
        store.forget(time.time() - KEPT_SECONDS)
        self._tables: dict[str, Table] = {}
        self.agent = agent

    def open(self, rules: Rules, seats: Sequence[str | None]) -> Table:
        """Open a new table, with a fresh seed.

        Raises ValueError if there are too many tables, and as `Session` does.
        """
        if len(self._store) >= MAX_TABLES:
            raise ValueError(f"this server already has {MAX_TABLES} tables")
        session = Session(rules, seats, fresh_seed(), find=self.agent)
        table = Table(secrets.token_urlsafe(NAME_BYTES), session, {}, {})
        self._tables[table.name] = table
        self.save(table)
        return table

    def find(self, name: str) -> Table:
        """The table of that name. Raises UnknownTableError if there is none."""
        if name not in self._tables:
            stored = self._store.find(name)
            if stored is None:
                raise UnknownTableError("there is no such table")
            self._tables[name] = self._restore(stored)
        return self._tables[name]

    def save(self, table: Table) -> None:
        """Write a table to the store."""
        self._store.save(table.name, table.setup(), table.session.game.history, time.time())

    def _restore(self, stored: Stored) -> Table:
        setup = stored.setup
        rules, seats = Rules(**setup["rules"]), setup["seats"]
        session = Session(rules, seats, int(setup["seed"]), stored.history, self.agent)
        taken, people = (
            {int(seat): text for seat, text in setup[key].items()} for key in ("taken", "people")
        )
        return Table(stored.name, session, taken, people, setup["seconds"])


def digest(token: str) -> str:
    """The digest of a token, which is kept in its place."""
    return hashlib.sha256(token.encode()).hexdigest()
