"""What two people made of the same deals: round by round, and trick by trick where they parted."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

from wizard_env import Rules
from wizard_env.play.session import PERSON, Event, Session
from wizard_env.play.web.store import Stored
from wizard_env.play.web.table import Setup
from wizard_env.records.transcripts import PlayedRound

KEPT = 64
"""Games that are kept so that they need not be replayed again; the least recently used is dropped."""
LISTED = 50
"""Others in the list; who came later is left out."""


class Played(NamedTuple):
    """A person's game in a match."""

    name: str
    seat: int
    rounds: list[PlayedRound]
    """The rounds that are over."""
    events: list[Event]

    def of(self, number: int) -> list[Event]:
        """The actions of a round."""
        return [event for event in self.events if event.round_number == number]


def played(stored: Stored) -> Played:
    """The game of a stored table."""
    setup = Setup.from_json(stored.setup)
    seat = setup.seats.index(None)
    session = _replayed(setup.rules, setup.seed, tuple(stored.history))
    finished = [one for one in session.rounds if one.points is not None]
    return Played(setup.people.get(seat, PERSON), seat, finished, session.events)


def compare_stored(stored: Sequence[Stored], name: str, against: int) -> dict[str, Any]:
    """What `compare` tells the person at the table of that name, from the stored tables of its match."""
    (mine,) = [played(one) for one in stored if one.name == name]
    others = [one for one in stored if one.name != name][:LISTED]
    return compare(mine, [played(one) for one in others], against)


def compare(mine: Played, others: Sequence[Played], against: int) -> dict[str, Any]:
    """What a person may know of the others in a match: the rounds that this person has finished, and no more.

    Returns:
        "others": for each {"name", "points": by round, "rounds": how many both have finished, "difference":
        own points less theirs in those}, and "rounds": what `compare_round` tells of each round that this
        person and the other at the place `against` have finished.
    """
    told = [_difference(mine, other) for other in others]
    rounds: list[dict[str, Any]] = []
    if against < len(others):
        other = others[against]
        both = zip(mine.rounds, other.rounds, strict=False)
        rounds = [compare_round(mine, other, *pair) for pair in both]
    return {"others": told, "rounds": rounds}


def _difference(mine: Played, other: Played) -> dict[str, Any]:
    both = list(zip(mine.rounds, other.rounds, strict=False))
    points = [_points(theirs, other.seat) for _, theirs in both]
    own = sum(_points(one, mine.seat) for one, _ in both)
    return {"name": other.name, "points": points, "rounds": len(both), "difference": own - sum(points)}


def compare_round(mine: Played, other: Played, one: PlayedRound, theirs: PlayedRound) -> dict[str, Any]:
    """A round that both have finished, with pairs of mine and theirs.

    Returns:
        "round_number", "hand_size", "trump", "points", "bids", "tricks_won", "difference", "parted": the
        first actions that differ, with their "seat", or null if play was alike; "tricks": from the first one
        that differs.
    """
    first = next(
        (pair for pair in zip(mine.of(one.number), other.of(one.number), strict=False) if _differ(*pair)),
        None,
    )
    tricks = list(zip(one.tricks, theirs.tricks, strict=True))
    parted = next((place for place, (a, b) in enumerate(tricks) if a != b), len(tricks))
    points = [_points(one, mine.seat), _points(theirs, other.seat)]
    return {
        "round_number": one.number,
        "hand_size": one.hand_size,
        "trump": [one.trump, theirs.trump],
        "points": points,
        "difference": points[0] - points[1],
        "bids": [one.bids[mine.seat], theirs.bids[other.seat]],
        "tricks_won": [one.tricks_won[mine.seat], theirs.tricks_won[other.seat]],
        "parted": None
        if first is None
        else {"seat": first[0].seat, "actions": [event.action for event in first]},
        "first_trick": parted + 1,
        "tricks": [[asdict(a), asdict(b)] for a, b in tricks[parted:]],
    }


def _differ(one: Event, other: Event) -> bool:
    return (one.seat, one.action) != (other.seat, other.action)


def _points(one: PlayedRound, seat: int) -> int:
    assert one.points is not None
    return one.points[seat]


@lru_cache(KEPT)
def _replayed(rules: Rules, seed: int, history: tuple[int, ...]) -> Session:
    return Session(rules, [None] * rules.num_players, seed, history)
