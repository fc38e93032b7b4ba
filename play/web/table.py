"""A table of a server: who may take which seat, and what each seat is shown."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Self

from wizard_env import Agent, Rules
from wizard_env.checks import printable
from wizard_env.play.language.translation import t
from wizard_env.play.session import PERSON, Session, fresh_seed
from wizard_env.play.web.store import EMPTY, OVER, RUNNING, WAITING
from wizard_env.play.web.table_json import NOBODY, table_json

TOKEN_BYTES = 24
SECONDS = (0.0, 5.0)
"""The shortest and longest time that agents can be set to wait before they act."""


class UnknownTableError(ValueError):
    """The table, or the seat at it, does not exist or is not free."""


@dataclass(frozen=True)
class Setup:
    """All that is stored of a table in addition to the actions."""

    rules: Rules
    seats: tuple[str | None, ...]
    """For each seat an agent's name, or None for a person."""
    seed: int
    stand_in: str | None = None
    """The agent that acts for people who are not there."""
    taken: Mapping[int, str] = field(default_factory=dict)
    """The digest of the token of each seat that a person has taken."""
    people: Mapping[int, str] = field(default_factory=dict)
    """The names of the people who gave one, by seat."""
    left: tuple[int, ...] = ()
    """The seats whose people have left; they may come back."""
    begun: bool = True
    watchers: bool = False
    """Whether people without a seat may watch people."""
    listed: bool = False
    """Whether the lobby shows the table while it waits."""
    match: str | None = None
    """The match that the table belongs to, see `duplicate.matches`; None if no other table has its deals."""
    seconds: float = 0.8
    """How long agents wait before they act."""

    @property
    def open_seats(self) -> list[int]:
        """The seats for people that are not taken."""
        return [seat for seat, name in enumerate(self.seats) if name is None and seat not in self.taken]

    @property
    def acting(self) -> list[str | None]:
        """Who acts for each seat now: an agent's name, or None for a person."""
        absent = {*self.open_seats, *self.left} if self.begun else set()
        return [self.stand_in if seat in absent else name for seat, name in enumerate(self.seats)]

    def with_person(self, person: str | None) -> tuple[Self, int, str]:
        """This setup with the first open seat taken by a person of that name, the seat, and its new token.

        Raises UnknownTableError if every seat is taken.
        """
        if not self.open_seats:
            raise UnknownTableError(t("every seat of this table is taken"))
        seat, token = self.open_seats[0], secrets.token_urlsafe(TOKEN_BYTES)
        people = {**self.people, seat: person} if person is not None else self.people
        taken = replace(self, taken={**self.taken, seat: digest(token)}, people=people)
        return replace(taken, begun=self.begun or not taken.open_seats), seat, token

    def without_person(self, seat: int) -> Self:
        """This setup after a person has left: before the game the seat is open again."""
        if self.begun:
            return replace(self, left=tuple(sorted({*self.left, seat})))
        taken, people = dict(self.taken), dict(self.people)
        taken.pop(seat)
        people.pop(seat, None)
        return replace(self, taken=taken, people=people)

    def to_json(self) -> dict[str, Any]:
        """This setup, ready for JSON."""
        return asdict(self) | {"rules": self.rules.to_dict(), "seed": str(self.seed)}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """The setup that `to_json` told; tables of earlier releases lack some keys."""
        by_seat = {key: {int(seat): text for seat, text in told[key].items()} for key in ("taken", "people")}
        changed = {
            "rules": Rules(**told["rules"]),
            "seed": int(told["seed"]),
            "seats": tuple(told["seats"]),
            "left": tuple(told.get("left", ())),
        }
        return cls(**{**told, **by_seat, **changed})


class Change(NamedTuple):
    """A table as it shall be."""

    setup: Setup
    history: list[int]
    over: bool

    @property
    def course(self) -> str:
        """WAITING, EMPTY, RUNNING or OVER."""
        if not self.setup.begun:
            return WAITING
        if self.over:
            return OVER
        return RUNNING if self.history else EMPTY


class Table:
    """A table of a server: its setup, and the game as far as both are saved."""

    def __init__(
        self,
        name: str,
        setup: Setup,
        find: Callable[[str], Agent],
        history: Sequence[int] = (),
        version: int = 0,
    ) -> None:
        """Seat everybody, and take the actions so far.

        Args:
            name: the table's name, which links contain.
            setup: what else is stored of it.
            find: returns the agent of a name.
            history: ids of the actions taken so far.
            version: how often it was saved.

        Raises ValueError as `Session` does.
        """
        self.name = name
        self.setup = setup
        self.session = Session(setup.rules, setup.acting, setup.seed, history, find)
        self.version = version
        self.lock = asyncio.Lock()
        """Held while the table changes."""

    @property
    def host(self) -> int | None:
        """The seat of the person who may begin the game; None if there is none."""
        return min(self.setup.taken, default=None)

    def changed(self, setup: Setup | None = None, history: list[int] | None = None, **entries: Any) -> Change:
        """The table with another setup, or other entries in it, or fewer actions."""
        game = self.session.game
        setup = replace(self.setup if setup is None else setup, **entries)
        if history is None:
            return Change(setup, game.history, game.seat is None)
        return Change(setup, history, over=False)

    def act(self, action: int | str) -> Change:
        """The table after the acting seat's action. Raises IllegalAction."""
        trial = self.session.trial(action)
        return Change(self.setup, trial.history, trial.seat is None)

    def apply(self, change: Change) -> None:
        """Let the table be as it shall be."""
        self.setup = change.setup
        for seat, name in enumerate(change.setup.acting):
            self.session.hand_over(seat, name)
        self.session.follow(change.history)

    @property
    def names(self) -> list[str]:
        """Who sits where: an agent's name, a person's, or PERSON."""
        setup = self.setup
        people = [setup.people.get(seat, PERSON) for seat in range(len(setup.seats))]
        return [printable(name or person) for name, person in zip(setup.seats, people, strict=True)]

    def seat_of(self, token: str | None) -> int:
        """The seat that a token opens; NOBODY, for watching, if there is no token.

        Raises UnknownTableError if the token opens no seat here, or nobody may watch.
        """
        if token is None:
            if None in self.setup.seats and not self.setup.watchers:
                raise UnknownTableError(
                    t("a table with people cannot be watched, unless it was opened to watchers")
                )
            return NOBODY
        opened = digest(token)
        for seat, known in self.setup.taken.items():
            if secrets.compare_digest(known, opened):
                return seat
        raise UnknownTableError(t("this token opens no seat at this table"))

    def history_without(self, seat: int) -> list[int]:
        """The actions before a seat's last decision. Raises ValueError if it may not take it back."""
        if self.setup.seats.count(None) > 1:
            raise ValueError(t("nothing can be taken back while another person sits at the table"))
        if self.setup.match is not None:
            raise ValueError(t("nothing can be taken back in a match: others play the same deals"))
        return self.session.history_before_last(seat)

    def view(self, seat: int, here: Collection[int], watching: int) -> dict[str, Any]:
        """Everything that a seat of `seat_of` may know, ready for JSON; at a table of agents NOBODY sees all.

        Args:
            seat: the seat, or NOBODY.
            here: the seats that are connected.
            watching: how many watch.
        """
        session, setup = self.session, self.setup
        seen = table_json(session, seat if None in setup.seats or seat != NOBODY else None)
        return seen | {
            "legal": seen["legal"] if setup.begun else [],
            "table": self.name,
            "seconds": setup.seconds,
            "names": self.names,
            "open": setup.open_seats,
            "waiting": not setup.begun,
            "host": self.host,
            "stand_in": setup.stand_in,
            "match": setup.match,
            "can_take_back": setup.seats.count(None) == 1
            and setup.match is None
            and any(event.seat == seat for event in session.events),
            **self.presence(here, watching),
        }

    def presence(self, here: Collection[int], watching: int) -> dict[str, Any]:
        """Who is there, as `view` tells it."""
        setup = self.setup

        def of(seat: int) -> str:
            if setup.seats[seat] is not None:
                return "agent"
            if seat not in setup.taken:
                return "open"
            if seat in setup.left:
                return "left"
            return "here" if seat in here else "away"

        allowed = setup.watchers or None not in setup.seats
        return {
            "presence": [of(seat) for seat in range(len(setup.seats))],
            "watchers": watching if allowed else None,
        }

    def summary(self) -> dict[str, Any]:
        """The table in a list, ready for JSON: nothing in it is hidden from anyone."""
        game = self.session.game
        return {
            "table": self.name,
            "phase": "waiting" if not self.setup.begun else "over" if game.seat is None else "playing",
            "names": self.names,
            "open": self.setup.open_seats,
            "watchers": self.setup.watchers or None not in self.setup.seats,
            "turn": game.seat if self.setup.begun else None,
            "round_number": game.round_number,
            "num_rounds": game.num_rounds,
            "scores": game.scores,
            "rules": game.rules.to_dict(),
        }


def new_setup(rules: Rules, seats: Sequence[str | None], **options: Any) -> Setup:
    """The setup of a new table, with a fresh seed; see `Setup` for the options."""
    return Setup(rules, tuple(seats), fresh_seed(), begun=None not in seats, **options)


def digest(token: str) -> str:
    """The digest of a token, which is kept in its place."""
    return hashlib.sha256(token.encode()).hexdigest()
