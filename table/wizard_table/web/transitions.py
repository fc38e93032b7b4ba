"""Transitions of a table: what each command of a seat makes of its setup and its game.

A transition is computed once, from the state that it replaces. `Tables.change` saves it; then the table takes
it over, and everybody sees it. Each function here checks a command against a state. It returns None if the
command changes nothing, and raises ValueError with the reason if it is not allowed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Self

from wizard_env import Agent
from wizard_env.session import Event, Session
from wizard_table.translation import t
from wizard_table.web.messages import Act, Begin, Command, SetPace, TakeBack
from wizard_table.web.setup import Setup, check_distinct
from wizard_table.web.store import EMPTY, OVER, RUNNING, WAITING


class TableState(NamedTuple):
    """All of a table that changes."""

    setup: Setup
    session: Session
    """The game, which never changes in place: it can be read and asked about while the table moves on."""

    @classmethod
    def of(cls, setup: Setup, find: Callable[[str], Agent], history: Sequence[int] = ()) -> Self:
        """Seat everybody, with agents as `find` returns them, and take the actions so far; see `Session`."""
        return cls(setup, Session(setup.rules, setup.acting, setup.seed, history, find, t))

    @property
    def stage(self) -> str:
        """WAITING, EMPTY, RUNNING or OVER."""
        if not self.setup.begun:
            return WAITING
        if self.session.game.seat is None:
            return OVER
        return RUNNING if self.session.events else EMPTY


class Transition(NamedTuple):
    """A step of a table from one state to the next."""

    before: TableState
    after: TableState

    @property
    def event(self) -> Event | None:
        """The action that was taken; None if none was, or if one was taken back."""
        events = self.after.session.events
        return events[-1] if len(events) > len(self.before.session.events) else None

    @property
    def ends_the_game(self) -> bool:
        return self.event is not None and self.after.session.game.seat is None


Change = Callable[[TableState], Transition | None]
"""Computes the transition from the state that it is given, or returns None to leave the table as it is."""


def obey(state: TableState, seat: int, command: Command) -> Transition | None:
    """Compute the transition that a command of a seat asks for."""
    match command:
        case Act():
            return _act(state, seat, command)
        case TakeBack():
            return _take_back(state, seat)
        case Begin():
            return _begin(state, seat)
        case SetPace():
            return change_setup(state, replace(state.setup, seconds=command.seconds))


def _act(state: TableState, seat: int, command: Act) -> Transition | None:
    decisions = len(state.session.events)
    if not state.setup.begun:
        raise ValueError(t("the game has not begun: seats are open"))
    if command.decisions < decisions:
        return None  # a second click
    if command.decisions > decisions:
        raise ValueError(t("the table has changed in the meantime"))
    session = state.session.clone()
    session.act(seat, command.action)
    return Transition(state, TableState(state.setup, session))


def advance(state: TableState, asked: Session, action: int) -> Transition | None:
    """Take the action that an agent chose in the session it was asked in, if that is still the table's."""
    if state.session is not asked:
        return None
    session = asked.clone()
    session.advance(action)
    return Transition(state, TableState(state.setup, session))


def decide_for(state: TableState, seat: int, decisions: int, action: int) -> Transition | None:
    """Take the action that an agent chose for a person whose time is up, if they still have not decided."""
    if len(state.session.events) != decisions or state.session.seats[seat] is not None:
        return None
    session = state.session.clone()
    session.act(seat, action)
    return Transition(state, TableState(state.setup, session))


def _take_back(state: TableState, seat: int) -> Transition:
    if state.setup.has_company:
        raise ValueError(t("nothing can be taken back while another person sits at the table"))
    if state.setup.match is not None:
        raise ValueError(t("nothing can be taken back in a match: others play the same deals"))
    session = state.session.clone()
    session.take_back(seat)
    return Transition(state, TableState(state.setup.with_taken_back(seat), session))


def _begin(state: TableState, seat: int) -> Transition | None:
    if seat != state.setup.host:
        raise ValueError(t("only the host may begin the game"))
    return None if state.setup.begun else change_setup(state, replace(state.setup, begun=True))


def take_seat(state: TableState, person: str | None, token: str) -> Transition | None:
    """Seat a person, whose token opens the seat from now on; see `Setup.with_person`."""
    if person is not None:
        check_distinct(person, state.setup.people.values(), t("another person at this table"))
    return change_setup(state, state.setup.with_person(person, token))


def follow(state: TableState, seat: int, before: Setup) -> Transition | None:
    """Seat a person as in the game before; see `Setup.with_person_of`."""
    return change_setup(state, state.setup.with_person_of(seat, before))


def lead_on(state: TableState, following: str) -> Transition | None:
    """Compute the transition to a table whose next game is played at another."""
    return change_setup(state, replace(state.setup, following=following))


def remember_hint(state: TableState, seat: int) -> Transition | None:
    """Compute the transition to a game in which a seat was given a hint; it stays marked."""
    return change_setup(state, state.setup.with_hint(seat))


def leave(state: TableState, seat: int) -> Transition | None:
    """Compute the transition to an agent in a person's seat; before the game the seat is open again."""
    return change_setup(state, state.setup.without_person(seat))


def come_back(state: TableState, seat: int) -> Transition | None:
    """Compute the transition to a person who had left and acts again."""
    left = tuple(other for other in state.setup.left if other != seat)
    return change_setup(state, replace(state.setup, left=left))


def change_setup(state: TableState, setup: Setup) -> Transition | None:
    """Compute the transition to another setup; the game is the same, but others may act in it."""
    if setup == state.setup:
        return None
    session = state.session
    if setup.acting != session.seats:
        session = session.clone()
        for seat, name in enumerate(setup.acting):
            session.hand_over(seat, name)
    return Transition(state, TableState(setup, session))
