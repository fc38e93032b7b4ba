"""Comparison of two people with the same deals: round by round, and trick by trick where play parted."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

from wizard_env import Rules
from wizard_env.records.transcripts import PlayedRound
from wizard_env.session import PERSON, Event, Session
from wizard_table.web.tables.setup import Setup
from wizard_table.web.tables.store import Stored

_KEPT = 64
"""Games that are kept so that they need not be replayed again; the least recently used is dropped."""
LISTED = 50
"""Others in the list; later ones are left out."""


class PlayedGame(NamedTuple):
    """A person's game in a match."""

    name: str
    seat: int
    rounds: list[PlayedRound]
    """The rounds that are over."""
    events: list[Event]
    hinted: bool
    """True if the person was given a hint."""
    taken_back: bool
    """True if the person took a choice back."""

    @property
    def points(self) -> list[int]:
        """The person's points in each of the rounds."""
        return [one.points[self.seat] for one in self.rounds if one.points is not None]

    def actions_in(self, number: int) -> list[tuple[int, str]]:
        """Return the seat and the action of each decision in a round."""
        return [(event.seat, event.action) for event in self.events if event.round_number == number]


def replay(stored: Stored) -> PlayedGame:
    """Replay the game of a stored table."""
    setup = Setup.from_json(stored.setup)
    seat = setup.seats.index(None)
    session = _session_of(setup.rules, setup.seed, tuple(stored.history))
    finished = [one for one in session.rounds if one.points is not None]
    hinted, taken_back = seat in setup.hinted, seat in setup.taken_back
    name = setup.people.get(seat, PERSON)
    return PlayedGame(name, seat, finished, session.events, hinted, taken_back)


def compare_stored(stored: Sequence[Stored], name: str, against: int) -> dict[str, Any]:
    """Compare the finished rounds at the table of that name with those at the others of its match.

    Returns:
        "others": for each {"name", "hinted", "taken_back", "points": by round, "rounds": the number that both
        have finished, "difference": own points less theirs in those}, and "rounds": the comparison of each
        round that this person and the other of index `against` have finished, see `_compare_round`.
    """
    (mine,) = [replay(one) for one in stored if one.name == name]
    others = [replay(one) for one in [one for one in stored if one.name != name][:LISTED]]
    rounds = []
    if against < len(others):
        both = min(len(mine.rounds), len(others[against].rounds))
        rounds = [_compare_round(mine, others[against], index) for index in range(both)]
    return {"others": [_difference(mine, other) for other in others], "rounds": rounds}


def _difference(mine: PlayedGame, other: PlayedGame) -> dict[str, Any]:
    points = other.points[: len(mine.rounds)]
    difference = sum(mine.points[: len(points)]) - sum(points)
    shown = {"name": other.name, "hinted": other.hinted, "taken_back": other.taken_back}
    return shown | {"points": points, "rounds": len(points), "difference": difference}


def _compare_round(mine: PlayedGame, other: PlayedGame, index: int) -> dict[str, Any]:
    """Compare the round of this index, which both have finished; pairs are mine and theirs.

    Returns:
        "round_number", "hand_size", "trump", "points", "bids", "tricks_won", "difference", "parted": the
        first actions that differ, with their "seat", or null if there are none; "tricks": pairs from the
        first trick that differs, whose number is "first_trick".
    """
    one, theirs = mine.rounds[index], other.rounds[index]
    actions = zip(mine.actions_in(one.number), other.actions_in(one.number), strict=False)
    parted = next(((seat, [own, its]) for (seat, own), (_, its) in actions if own != its), None)
    tricks = list(zip(one.tricks, theirs.tricks, strict=True))
    alike = next((count for count, (a, b) in enumerate(tricks) if a != b), len(tricks))
    points = [mine.points[index], other.points[index]]
    return {
        "round_number": one.number,
        "hand_size": one.hand_size,
        "trump": [one.trump, theirs.trump],
        "points": points,
        "difference": points[0] - points[1],
        "bids": [one.bids[mine.seat], theirs.bids[other.seat]],
        "tricks_won": [one.tricks_won[mine.seat], theirs.tricks_won[other.seat]],
        "parted": parted and {"seat": parted[0], "actions": parted[1]},
        "first_trick": alike + 1,
        "tricks": [[asdict(a), asdict(b)] for a, b in tricks[alike:]],
    }


@lru_cache(_KEPT)
def _session_of(rules: Rules, seed: int, history: tuple[int, ...]) -> Session:
    return Session(rules, [None] * rules.num_players, seed, history)
