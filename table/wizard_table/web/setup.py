"""Setup: the rules of a table, its seats, and the people in them."""

import hashlib
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from wizard_env import Rules
from wizard_env.checks import printable
from wizard_env.session import PERSON, fresh_seed
from wizard_table.translation import t


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
    """The agent that acts for people who are absent, while others play."""
    taken: Mapping[int, str] = field(default_factory=dict)
    """The digest of the token of each seat that a person has taken."""
    people: Mapping[int, str] = field(default_factory=dict)
    """The names of the people who gave one, by seat."""
    left: tuple[int, ...] = ()
    """The seats whose people have left; they may come back."""
    hinted: tuple[int, ...] = ()
    """The seats that were given a hint in this game."""
    taken_back: tuple[int, ...] = ()
    """The seats that took a choice back in this game: they may know what others hold, and later deals."""
    begun: bool = True
    watchers: bool = False
    """True if people without a seat may watch people."""
    listed: bool = False
    """True if the lobby shows the table while it waits."""
    match: str | None = None
    """The match that the table belongs to, see `matches`; None if no other table has its deals."""
    clock: int | None = None
    """Seconds that people have for a decision while others play; None: as many as they want."""
    following: str | None = None
    """The table of the next game, once somebody plays again."""
    seconds: float = 0.8
    """Seconds that agents wait before they act."""

    @property
    def open_seats(self) -> list[int]:
        """The seats for people that are not taken."""
        return [seat for seat, name in enumerate(self.seats) if name is None and seat not in self.taken]

    @property
    def host(self) -> int | None:
        """The seat of the person who may begin the game; None if nobody sits there."""
        return min(self.taken, default=None)

    @property
    def has_company(self) -> bool:
        """True if several seats are for people: nobody waits for ever, and nobody takes a choice back."""
        return self.seats.count(None) > 1

    @property
    def people_may_watch(self) -> bool:
        """True if people without a seat may watch; tables of agents are open to all."""
        return self.watchers or None not in self.seats

    @property
    def is_deserted(self) -> bool:
        """True if everybody has left before the game began."""
        return not self.begun and not self.taken

    @property
    def acting(self) -> list[str | None]:
        """For each seat the agent that acts there now, or None for a person.

        A person alone with agents is waited for: the result of a match is their own.
        """
        absent = {*self.open_seats, *self.left} if self.begun and self.has_company else set()
        return [self.stand_in if seat in absent else name for seat, name in enumerate(self.seats)]

    @property
    def names(self) -> list[str]:
        """The name of the agent or person in each seat; PERSON for people without a name."""
        people = [self.people.get(seat, PERSON) for seat in range(len(self.seats))]
        return [printable(name or person) for name, person in zip(self.seats, people, strict=True)]

    def with_person(self, person: str | None, token: str) -> Self:
        """Return this setup with a person in the first open seat. Raises UnknownTableError if none is."""
        if not self.open_seats:
            raise UnknownTableError(t("every seat of this table is taken"))
        return self._with_person(self.open_seats[0], person, digest(token))

    def _with_person(self, seat: int, person: str | None, opens: str) -> Self:
        people = {**self.people, seat: person} if person is not None else self.people
        taken = replace(self, taken={**self.taken, seat: opens}, people=people)
        return replace(taken, begun=self.begun or not taken.open_seats)

    def without_person(self, seat: int) -> Self:
        """Return this setup after a person has left: before the game the seat is open again."""
        if self.begun:
            return replace(self, left=tuple(sorted({*self.left, seat})))
        taken, people = dict(self.taken), dict(self.people)
        taken.pop(seat)
        people.pop(seat, None)
        return replace(self, taken=taken, people=people)

    def next_game(self, seats: Collection[int]) -> Self:
        """Return the setup of another game, in which the people of these seats sit; others may join them."""
        setup = replace(self.without_people(), seed=fresh_seed(), match=None)
        for seat in seats:
            setup = setup.with_person_of(seat, self)
        return setup

    def without_people(self) -> Self:
        """Return this setup as it was before anybody sat down."""
        begun = None not in self.seats
        fresh = replace(self, taken={}, people={}, left=(), hinted=(), taken_back=(), begun=begun)
        return replace(fresh, following=None)

    def with_person_of(self, seat: int, before: Self) -> Self:
        """Return this setup with a person in the seat that they had in the game before.

        Raises UnknownTableError if another has taken it.
        """
        if self.taken.get(seat, before.taken[seat]) != before.taken[seat]:
            raise UnknownTableError(t("another person has taken your seat"))
        return self._with_person(seat, before.people.get(seat), before.taken[seat])

    def with_hint(self, seat: int) -> Self:
        """Return this setup after a seat was given a hint."""
        return replace(self, hinted=tuple(sorted({*self.hinted, seat})))

    def with_taken_back(self, seat: int) -> Self:
        """Return this setup after a seat took a choice back."""
        return replace(self, taken_back=tuple(sorted({*self.taken_back, seat})))

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self) | {"rules": self.rules.to_dict(), "seed": str(self.seed)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Restore a setup from `to_json`; tables of earlier releases lack some keys."""
        restored = {
            "rules": Rules(**stored["rules"]),
            "seed": int(stored["seed"]),
            "seats": tuple(stored["seats"]),
            "taken": {int(seat): token for seat, token in stored["taken"].items()},
            "people": {int(seat): person for seat, person in stored["people"].items()},
            "left": tuple(stored.get("left", ())),
            "hinted": tuple(stored.get("hinted", ())),
            "taken_back": tuple(stored.get("taken_back", ())),
        }
        return cls(**{**stored, **restored})


def new_setup(rules: Rules, seats: Sequence[str | None], **options: Any) -> Setup:
    """Return the setup of a new table, with a fresh seed; see `Setup` for the options."""
    return Setup(rules, tuple(seats), fresh_seed(), begun=None not in seats, **options)


def check_distinct(name: str, others: Iterable[str], whose: str) -> None:
    """Raise ValueError if a name is one of `others`, which are names of `whose`, as "an agent"."""
    if name.casefold() in map(str.casefold, others):
        raise ValueError(t("{name} is the name of {whose}", name=repr(name), whose=whose))


def new_token() -> str:
    """Return an unpredictable token, which will open a seat."""
    return secrets.token_urlsafe(24)


def digest(token: str) -> str:
    """Return the digest of a token, which is stored in its stead."""
    return hashlib.sha256(token.encode()).hexdigest()
