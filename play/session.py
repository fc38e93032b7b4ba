"""Session: one game with people and agents in its seats, for the terminal and the browser."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from wizard_env import ACTIONS, Agent, Game, Rules, View
from wizard_env.agents.assessment import assess
from wizard_env.agents.search.playouts import chances
from wizard_env.loading import load
from wizard_env.play.language.translation import t
from wizard_env.records.transcripts import Trick, dealt, tell
from wizard_env.render.scene import Scene

SEED_BITS = 64
PERSON = "person"
"""The name, in records and for the page, of a person who gives none; the page has a word for it."""


class NotYourTurnError(ValueError):
    """An action for a seat whose turn it is not."""


@dataclass(frozen=True)
class Choice:
    """What an agent thinks of one action."""

    action: str
    share: float
    """The probability that the agent takes it."""
    points: float | None
    """The points of the round that the agent expects from it; None if it has no estimate."""
    met: float
    """The chance that the seat then meets its bid exactly, see `wizard_env.agents.outlook`."""


@dataclass(frozen=True)
class Advice:
    """What an agent thinks of a decision."""

    choices: list[Choice]
    """The legal actions, likeliest first."""
    value: float | None
    """The points of the round that the agent expects; None if it has no estimate."""


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

    def action_for(self, seat: int | None, rules: Rules) -> str:
        """The action as a seat saw it: bids of others may be hidden, as "bid". None sees everything."""
        hidden = rules.bid_reveal != "open" and self.action.startswith("bid")
        return "bid" if hidden and seat not in (None, self.seat) else self.action


class Session:
    """A game with people and agents in its seats.

    Agents draw their randomness from the seed and the number of the decision, so a game continues in the
    same way after it was taken back or restored from its actions.
    """

    def __init__(
        self,
        rules: Rules,
        seats: Sequence[str | None],
        seed: int,
        history: Sequence[int] = (),
        find: Callable[[str], Agent] = load,
    ) -> None:
        """Seat everybody, and take the actions so far.

        Args:
            rules: the rules of the game.
            seats: for each seat an agent's name, as `load` takes it, or None for a person.
            seed: seed of the deals and the agents, 0 to 2**64 - 1.
            history: ids of the actions taken so far.
            find: returns the agent of a name; another function than `load` may share agents between
                sessions.

        Raises:
            ValueError: the number of seats does not match the rules; or as `load` and `Game.step` do.
        """
        if len(seats) != rules.num_players:
            raise ValueError(f"{len(seats)} seats are taken: {rules.num_players} players are needed")
        self.seats = list(seats)
        self._find = find
        self._agents: dict[str, Agent] = {name: find(name) for name in seats if name is not None}
        self._begin(Game(rules, seed), history)

    @classmethod
    def of_record(cls, game: Game, decisions: int) -> Self:
        """A recorded game as it was after a number of decisions, without agents.

        Raises ValueError if the game has fewer decisions.
        """
        if not 0 <= decisions <= len(game.history):
            raise ValueError(f"decisions={decisions}: the game has {len(game.history)} decisions")
        session = cls.__new__(cls)
        session.seats = [None] * game.rules.num_players
        session._find = load
        session._agents = {}
        session._begin(game.restart(), game.history[:decisions])
        return session

    def _begin(self, game: Game, history: Sequence[int]) -> None:
        """Take actions in a game that was just dealt."""
        self.game = game
        self.rounds = [dealt(game)]
        """All rounds, trick by trick, hidden cards included."""
        self.events: list[Event] = []
        """The actions taken, in order."""
        for action in history:
            self._take(action)

    def _take(self, action: int | str) -> None:
        played, seat, plays = self.rounds[-1], self.game.acting_seat, self.game.phase == "play"
        tell(self.rounds, self.game, action)
        self.events.append(
            Event(
                round_number=played.number,
                seat=seat,
                action=ACTIONS[self.game.history[-1]],
                winner=played.tricks[-1].winner if plays else None,
                points=None if played.points is None else tuple(played.points),
            )
        )

    @property
    def seat(self) -> int | None:
        """The seat that acts now; None when the game is over."""
        return self.game.seat

    @property
    def waits_for_a_person(self) -> bool:
        return self.game.seat is not None and self.seats[self.game.seat] is None

    @property
    def waits_for_an_agent(self) -> bool:
        return self.game.seat is not None and self.seats[self.game.seat] is not None

    @property
    def last_trick(self) -> Trick | None:
        """The last finished trick, of this round or the one before."""
        tricks = [trick for played in self.rounds[-2:] for trick in played.tricks if trick.winner is not None]
        return tricks[-1] if tricks else None

    def act(self, seat: int, action: int | str) -> None:
        """Take a person's action.

        Raises:
            NotYourTurnError: it is another seat's turn, or the seat is an agent's.
            IllegalAction: the rules forbid it; the message says why.
        """
        self.check_turn(seat)
        self._take(action)

    def check_turn(self, seat: int) -> None:
        """Raise NotYourTurnError if it is another seat's turn, or the seat is an agent's."""
        if seat != self.game.seat or self.seats[seat] is not None:
            if self.game.seat is None:
                raise NotYourTurnError(t("the game is over"))
            raise NotYourTurnError(t("it is the turn of seat {number}", number=self.game.seat + 1))

    def trial(self, action: int | str) -> Game:
        """A copy of the game in which an action is taken. Raises IllegalAction if the rules forbid it."""
        twin = self.game.clone()
        twin.step(action)
        return twin

    def follow(self, history: Sequence[int]) -> None:
        """Go on, or back, to where these actions lead. Raises as `Game.step` does."""
        now = self.game.history
        if list(history[: len(now)]) != now:
            self._begin(self.game.restart(), history)
            return
        for action in history[len(now) :]:
            self._take(action)

    def hand_over(self, seat: int, name: str | None) -> None:
        """From now on, let the agent of that name act for a seat; a person if None. Raises as `load` does."""
        if name is not None and name not in self._agents:
            self._agents[name] = self._find(name)
        self.seats[seat] = name

    def choose(self) -> int:
        """The action of the agent whose turn it is. Raises NotYourTurnError if it is not an agent's turn."""
        name = None if self.game.seat is None else self.seats[self.game.seat]
        if name is None:
            raise NotYourTurnError(t("it is not an agent's turn"))
        return int(self._agents[name].act(View.of([self.game]), self._randomness())[0])

    def advance(self, action: int | None = None) -> None:
        """Take the action of the agent whose turn it is: `action` from `choose`, or a new choice if None."""
        self._take(self.choose() if action is None else action)

    def take_back(self, seat: int) -> None:
        """Go back to a seat's last decision.

        Raises:
            ValueError: another person plays too, or the seat has made no decision yet.
        """
        if any(name is None for other, name in enumerate(self.seats) if other != seat):
            raise ValueError(t("nothing can be taken back while another person sits at the table"))
        self.follow(self.history_before_last(seat))

    def history_before_last(self, seat: int) -> list[int]:
        """The actions before a seat's last decision. Raises ValueError if it has made none."""
        own = [number for number, event in enumerate(self.events) if event.seat == seat]
        if not own:
            raise ValueError(t("there is no choice of yours to take back"))
        return self.game.history[: own[-1]]

    def advise(self, agent: Agent) -> Advice:
        """What an agent thinks of the current decision, knowing only what the acting seat knows.

        Raises ValueError if the game is over.
        """
        view = View.of([self.game])
        assessment = assess(agent, view, self._randomness())
        met = chances(view, self._randomness())[0]
        choices = [
            Choice(
                action=ACTIONS[action],
                share=float(assessment.policy[0, action]),
                points=_known(assessment.points[0, action]),
                met=float(met[action]),
            )
            for action in self.game.legal_actions()
        ]
        choices.sort(key=lambda one: (-one.share, -(one.points or 0)))
        return Advice(choices, _known(assessment.value[0]))

    def look(self, seat: int | None) -> Scene:
        """What a seat may see; None sees everything."""
        return self.game.scene(seat)

    def _randomness(self) -> np.random.Generator:
        return np.random.default_rng((self.game.seed, len(self.game.history)))


def fresh_seed() -> int:
    """An unpredictable seed."""
    return secrets.randbits(SEED_BITS)


def _known(points: np.float64) -> float | None:
    return None if np.isnan(points) else float(points)
