"""The tables of a server: who may sit where, and what each of them is shown."""

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
"""So long a table is kept that nobody plays at."""
SECONDS = (0.0, 5.0)
"""How long agents may wait before they act."""
PERSON = "person"


class UnknownTableError(ValueError):
    """There is no such table, or no such seat at it."""


class SharedAgent:
    """An agent that many tables ask, one after the other."""

    def __init__(self, name: str) -> None:
        """Load it; raises as `load` does."""
        self._agent = load(name)
        self._asked = threading.Lock()
        self.expects_points = expects_points(self._agent)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """As the protocol says."""
        with self._asked:
            return self._agent.act(view, rng)

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """What it thinks, see `assess`."""
        with self._asked:
            return assess(self._agent, view, rng)


class Table:
    """One table of a server: seats are taken with tokens, of which only digests are kept."""

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
            name: of the table, which links hold.
            session: the game.
            taken: for each seat of a person that is taken, the digest of its token.
            people: what those are called who said a name.
            seconds: how long agents wait before they act.
        """
        self.name = name
        self.session = session
        self.taken = taken
        self.people = people
        self.seconds = seconds

    @property
    def open_seats(self) -> list[int]:
        """The seats for people that nobody has taken yet."""
        return [
            seat for seat, name in enumerate(self.session.seats) if name is None and seat not in self.taken
        ]

    def take_seat(self, person: str | None = None) -> tuple[int, str]:
        """The first open seat, and the token that opens it from now on, for somebody of that name.

        Raises:
            UnknownTableError: every seat is taken.
        """
        if not self.open_seats:
            raise UnknownTableError("every seat of this table is taken")
        seat, token = self.open_seats[0], secrets.token_urlsafe(TOKEN_BYTES)
        self.taken[seat] = digest(token)
        if person is not None:
            self.people[seat] = person
        return seat, token

    def seat_of(self, token: str) -> int:
        """The seat that a token opens. Raises UnknownTableError if it opens none here."""
        opened = digest(token)
        for seat, known in self.taken.items():
            if secrets.compare_digest(known, opened):
                return seat
        raise UnknownTableError("this token opens no seat at this table")

    def set_pace(self, seconds: float) -> None:
        """How long agents wait. Raises ValueError beyond SECONDS."""
        low, high = SECONDS
        if not low <= seconds <= high:
            raise ValueError(f"seconds={seconds!r}: allowed are {low:g} to {high:g}")
        self.seconds = float(seconds)

    def view(self, seat: int | None) -> dict[str, Any]:
        """All that a seat may know, as JSON has it; None shows everything, for tables without people."""
        if seat is None and None in self.session.seats:
            raise UnknownTableError("nobody watches a table at which people sit")
        session = self.session
        return table_json(session, seat) | {
            "table": self.name,
            "seconds": self.seconds,
            "names": [name or self.people.get(number, PERSON) for number, name in enumerate(session.seats)],
            "open": self.open_seats,
            "can_take_back": session.seats.count(None) == 1 and any(e.seat == seat for e in session.events),
        }

    def setup(self) -> dict[str, Any]:
        """What `Tables` stores beside the actions."""
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
    """All tables of a server, each saved when it changes."""

    def __init__(self, store: Store, agent: Callable[[str], SharedAgent]) -> None:
        """Find the tables that the store has; those that nobody has played at for long are dropped.

        Args:
            store: has the tables.
            agent: gives the agent of a name, the same for all tables.
        """
        self._store = store
        store.forget(time.time() - KEPT_SECONDS)
        self._tables: dict[str, Table] = {}
        self.agent = agent

    def open(self, rules: Rules, seats: Sequence[str | None]) -> Table:
        """A new table, of fresh deals.

        Raises ValueError if there are too many tables, or as `Session` does.
        """
        if len(self._store) >= MAX_TABLES:
            raise ValueError(f"this server holds {MAX_TABLES} tables already")
        session = Session(rules, seats, fresh_seed(), find=self.agent)
        table = Table(secrets.token_urlsafe(NAME_BYTES), session, {}, {})
        self._tables[table.name] = table
        self.save(table)
        return table

    def find(self, name: str) -> Table:
        """The table of that name. Raises UnknownTableError."""
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
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
