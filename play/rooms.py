"""Rooms: the tables of a server, who may sit where, and what each of them is shown."""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agents.opinion import Opinion, expects_points, opine
from play.pictures import picture
from play.store import Store, Stored
from play.table import Table, fresh_seed
from wizard_env import Rules
from wizard_env.loading import load
from wizard_env.view import Actions, View

NAME_BYTES = 9
TOKEN_BYTES = 24
MAX_ROOMS = 1000
KEPT_SECONDS = 30 * 24 * 3600.0
"""So long a table is kept that nobody plays at."""
SECONDS = (0.0, 5.0)
"""How long agents may wait before they act."""
PERSON = "person"


class UnknownRoomError(ValueError):
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

    def opinion(self, view: View, rng: np.random.Generator) -> Opinion:
        """What it thinks, see `opine`."""
        with self._asked:
            return opine(self._agent, view, rng)


class Room:
    """One table of a server: seats are taken with tokens, of which only digests are kept."""

    def __init__(
        self,
        name: str,
        table: Table,
        taken: dict[int, str],
        people: dict[int, str],
        seconds: float = 0.8,
    ) -> None:
        """Open a table.

        Args:
            name: of the table, which links hold.
            table: the game.
            taken: for each seat of a person that is taken, the digest of its token.
            people: what those are called who said a name.
            seconds: how long agents wait before they act.
        """
        self.name = name
        self.table = table
        self.taken = taken
        self.people = people
        self.seconds = seconds

    @property
    def open_seats(self) -> list[int]:
        """The seats for people that nobody has taken yet."""
        return [seat for seat, name in enumerate(self.table.seats) if name is None and seat not in self.taken]

    def take_seat(self, person: str | None = None) -> tuple[int, str]:
        """The first open seat, and the token that opens it from now on, for somebody of that name.

        Raises:
            UnknownRoomError: every seat is taken.
        """
        if not self.open_seats:
            raise UnknownRoomError("every seat of this table is taken")
        seat, token = self.open_seats[0], secrets.token_urlsafe(TOKEN_BYTES)
        self.taken[seat] = digest(token)
        if person is not None:
            self.people[seat] = person
        return seat, token

    def seat_of(self, token: str) -> int:
        """The seat that a token opens. Raises UnknownRoomError if it opens none here."""
        opened = digest(token)
        for seat, known in self.taken.items():
            if secrets.compare_digest(known, opened):
                return seat
        raise UnknownRoomError("this token opens no seat at this table")

    def set_pace(self, seconds: float) -> None:
        """How long agents wait. Raises ValueError beyond SECONDS."""
        low, high = SECONDS
        if not low <= seconds <= high:
            raise ValueError(f"seconds={seconds!r}: allowed are {low:g} to {high:g}")
        self.seconds = float(seconds)

    def view(self, seat: int | None) -> dict[str, Any]:
        """All that a seat may know, as JSON has it; None shows everything, for tables without people."""
        if seat is None and None in self.table.seats:
            raise UnknownRoomError("nobody watches a table at which people sit")
        table = self.table
        return picture(table, seat) | {
            "table": self.name,
            "seconds": self.seconds,
            "names": [name or self.people.get(number, PERSON) for number, name in enumerate(table.seats)],
            "open": self.open_seats,
            "can_take_back": table.seats.count(None) == 1 and any(e.seat == seat for e in table.events),
        }

    def setup(self) -> dict[str, Any]:
        """What `Rooms` stores beside the actions."""
        table = self.table
        return {
            "rules": table.game.rules.to_dict(),
            "seats": table.seats,
            "seed": str(table.game.seed),
            "taken": {str(seat): known for seat, known in self.taken.items()},
            "people": {str(seat): person for seat, person in self.people.items()},
            "seconds": self.seconds,
        }


class Rooms:
    """All tables of a server, each saved when it changes."""

    def __init__(self, store: Store, agent: Callable[[str], SharedAgent]) -> None:
        """Find the tables that the store has; those that nobody has played at for long are dropped.

        Args:
            store: has the tables.
            agent: gives the agent of a name, the same for all tables.
        """
        self._store = store
        store.forget(time.time() - KEPT_SECONDS)
        self._rooms: dict[str, Room] = {}
        self.agent = agent

    def open(self, rules: Rules, seats: Sequence[str | None]) -> Room:
        """A new table, of fresh deals.

        Raises ValueError if there are too many tables, or as `Table` does.
        """
        if len(self._store) >= MAX_ROOMS:
            raise ValueError(f"this server holds {MAX_ROOMS} tables already")
        table = Table(rules, seats, fresh_seed(), find=self.agent)
        room = Room(secrets.token_urlsafe(NAME_BYTES), table, {}, {})
        self._rooms[room.name] = room
        self.save(room)
        return room

    def find(self, name: str) -> Room:
        """The table of that name. Raises UnknownRoomError."""
        if name not in self._rooms:
            stored = self._store.find(name)
            if stored is None:
                raise UnknownRoomError("there is no such table")
            self._rooms[name] = self._restore(stored)
        return self._rooms[name]

    def save(self, room: Room) -> None:
        """Write a table to the store."""
        self._store.save(room.name, room.setup(), room.table.game.history, time.time())

    def _restore(self, stored: Stored) -> Room:
        setup = stored.setup
        rules, seats = Rules(**setup["rules"]), setup["seats"]
        table = Table(rules, seats, int(setup["seed"]), stored.history, self.agent)
        taken, people = (
            {int(seat): text for seat, text in setup[key].items()} for key in ("taken", "people")
        )
        return Room(stored.name, table, taken, people, setup["seconds"])


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
