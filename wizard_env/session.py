"""Session: one game with people and agents in its seats, for the terminal and the browser."""

import secrets
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Self

import numpy as np

from wizard_env.actions import ACTIONS
from wizard_env.game import Game
from wizard_env.loading import load
from wizard_env.records.transcripts import Trick, step_and_transcribe, transcribe_deal
from wizard_env.render.scene import Scene
from wizard_env.rules import Rules
from wizard_env.view import Agent, View, ask
from wizard_env.words import Translate, english

PERSON = "person"
"""The name of a person who gives none, in records and for the page, which translates it."""


class NotYourTurnError(ValueError):
    """A seat tried to act out of turn."""


@dataclass(frozen=True)
class Event:
    """An action that was taken, and its outcome."""

    round_number: int
    seat: int
    action: str
    winner: int | None = None
    """The seat that won the trick, if the action ended it."""
    points: tuple[int, ...] | None = None
    """The points of each seat, if the action ended the round."""

    def action_for(self, scene: Scene) -> str:
        """Return the action as the observer of the scene knows it: a bid that is hidden there is "bid"."""
        is_hidden = self.round_number == scene.round_number and scene.seats[self.seat].bid_is_hidden
        return "bid" if is_hidden and self.action.startswith("bid") else self.action


class Session:
    """A game with people and agents in its seats.

    Agents draw their randomness from the seed and the number of the decision, so a game continues in the
    same way after actions were taken back, or when it is restored from its actions.
    """

    def __init__(
        self,
        rules: Rules,
        seats: Sequence[str | None],
        seed: int,
        history: Sequence[int] = (),
        find: Callable[[str], Agent] = load,
        t: Translate = english,
    ) -> None:
        """Seat everybody, and take the actions so far.

        Args:
            rules: the rules of the game.
            seats: for each seat an agent's name, as `load` takes it, or None for a person.
            seed: seed of the deals and the agents, 0 to 2**64 - 1.
            history: ids of the actions taken so far.
            find: returns the agent of a name; sessions may share agents this way.
            t: the language of refusals.

        Raises ValueError if the number of seats does not match the rules, and as `load` and `Game.step` do.
        """
        if len(seats) != rules.num_players:
            raise ValueError(f"{len(seats)} seats are taken: {rules.num_players} players are needed")
        self.seats = list(seats)
        self._find, self._t = find, t
        self._agents: dict[str, Agent] = {name: find(name) for name in seats if name is not None}
        self._begin(Game(rules, seed), history)

    @classmethod
    def of_record(cls, game: Game, decisions: int) -> Self:
        """Return a recorded game as it was after a number of decisions. Raises ValueError if it has fewer."""
        if not 0 <= decisions <= len(game.history):
            raise ValueError(f"decisions={decisions}: the game has {len(game.history)} decisions")
        session = cls(game.rules, [None] * game.rules.num_players, game.seed)
        session._begin(game.restart(), game.history[:decisions])
        return session

    def _begin(self, game: Game, history: Sequence[int]) -> None:
        """Take actions in a game that was just dealt."""
        self.game = game
        self.rounds = [transcribe_deal(game)]
        """All rounds, trick by trick, hidden cards included."""
        self.events: list[Event] = []
        """The actions taken, in order."""
        for action in history:
            self._take(action)

    def _take(self, action: int | str) -> None:
        played, seat, plays = self.rounds[-1], self.game.acting_seat, self.game.phase == "play"
        step_and_transcribe(self.game, action, self.rounds)
        self.events.append(
            Event(
                round_number=played.number,
                seat=seat,
                action=ACTIONS[self.game.history[-1]],
                winner=played.tricks[-1].winner if plays else None,
                points=None if played.points is None else tuple(played.points),
            )
        )

    def clone(self) -> Self:
        """Return an independent copy; both share their agents."""
        twin = copy(self)
        twin.seats = list(self.seats)
        twin.game = self.game.clone()
        twin.rounds = [*self.rounds[:-1], deepcopy(self.rounds[-1])]
        twin.events = list(self.events)
        return twin

    @property
    def agent(self) -> str | None:
        """The name of the agent that acts now; None when a person acts or the game is over."""
        return None if self.game.seat is None else self.seats[self.game.seat]

    @property
    def waits_for_a_person(self) -> bool:
        return self.game.seat is not None and self.agent is None

    @property
    def waits_for_an_agent(self) -> bool:
        return self.agent is not None

    @property
    def last_trick(self) -> Trick | None:
        """The last finished trick, of this round or the one before."""
        tricks = [trick for played in self.rounds[-2:] for trick in played.tricks if trick.winner is not None]
        return tricks[-1] if tricks else None

    def act(self, seat: int, action: int | str) -> None:
        """Take a person's action. Raises NotYourTurnError and IllegalAction."""
        if self.game.seat is None:
            raise NotYourTurnError(self._t("the game is over"))
        if seat != self.game.seat or self.agent is not None:
            raise NotYourTurnError(self._t("it is the turn of seat {number}", number=self.game.seat + 1))
        self._take(action)

    def hand_over(self, seat: int, name: str | None) -> None:
        """Seat the agent of that name, or a person if None. Raises as `load` does."""
        if name is not None and name not in self._agents:
            self._agents[name] = self._find(name)
        self.seats[seat] = name

    def choose(self) -> int:
        """Return the choice of the agent whose turn it is. Raises NotYourTurnError if no agent acts."""
        if self.agent is None:
            raise NotYourTurnError(self._t("it is not an agent's turn"))
        rng = np.random.default_rng((self.game.seed, len(self.game.history)))
        return int(ask(self._agents[self.agent], View.of([self.game]), rng)[0])

    def advance(self, action: int | None = None) -> None:
        """Take the action of the agent whose turn it is: `action` from `choose`, or a new choice if None."""
        self._take(self.choose() if action is None else action)

    def take_back(self, seat: int) -> None:
        """Go back to a seat's last decision. Raises ValueError if it has none, or other people play."""
        if any(name is None for other, name in enumerate(self.seats) if other != seat):
            raise ValueError(self._t("nothing can be taken back while another person sits at the table"))
        own = [number for number, event in enumerate(self.events) if event.seat == seat]
        if not own:
            raise ValueError(self._t("there is no choice of yours to take back"))
        self._begin(self.game.restart(), self.game.history[: own[-1]])


def seat_agents(agents: Sequence[str], seat: int, players: int) -> list[str | None]:
    """Return the players of all seats: a person in `seat`, then the agents clockwise, repeated if too few.

    Raises ValueError if there are more agents than other seats.
    """
    if len(agents) >= players:
        raise ValueError(f"{len(agents)} agents: a table of {players} has seats for {players - 1}")
    seats: list[str | None] = [agents[(one - seat - 1) % players % len(agents)] for one in range(players)]
    seats[seat] = None
    return seats


def place_of(scores: Sequence[int], seat: int) -> int:
    """Return the place of a seat, from 1; equal scores share a place."""
    return 1 + sum(score > scores[seat] for score in scores)


def fresh_seed() -> int:
    """Return an unpredictable seed."""
    return secrets.randbits(64)
