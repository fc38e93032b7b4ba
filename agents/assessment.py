"""Assessment: an agent's opinion of its legal actions and of the other players, for hints and analyses."""

from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Agent
from wizard_env.sampling import certain
from wizard_env.view import Actions, View

_BID_SHIFT = 0.25
"""The number of tricks, above or below, from which bids count as high or low."""


class Evidence(NamedTuple):
    """Events in the playouts of n decisions; NaN for an illegal action."""

    takes_trick: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the share of worlds in which the seat won the first trick that ended."""
    too_many: NDArray[np.float64]
    too_few: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the shares of worlds in which it won more tricks than its bid, or fewer."""
    wins: NDArray[np.float64]
    """[n, NUM_ACTIONS, NUM_KINDS]: the number of tricks that it won with each kind of card, on average."""

    def of(self, row: int) -> "Evidence":
        """Return the evidence of one decision, without the first axis."""
        return Evidence(*(values[row] for values in self))


class Assessment(NamedTuple):
    """Of n decisions, with the suits as printed."""

    policy: NDArray[np.float32]
    """[n, NUM_ACTIONS]: the probability that the agent takes each action; rows add up to 1."""
    points: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points of the round it expects from each action; NaN if it has no estimate."""
    value: NDArray[np.float64]
    """[n]: the points of the round it expects; NaN if it has no estimate."""
    met: NDArray[np.float64] | None = None
    """[n, NUM_ACTIONS]: the chance that the seat then meets its bid, in the playouts that give the points.

    NaN for an illegal action; None without playouts.
    """
    error: NDArray[np.float64] | None = None
    """[n, NUM_ACTIONS]: the standard error of the points by which each action falls short of the best one.

    Both are tried in the same worlds. NaN for an illegal action; None without playouts.
    """
    evidence: Evidence | None = None
    """None without playouts."""


@runtime_checkable
class Assessor(Protocol):
    """An agent that can say more than which action it would take."""

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Assess the decisions of a view."""


@runtime_checkable
class PointsAssessor(Assessor, Protocol):
    """An assessor that says whether it estimates the points of every legal action."""

    expects_points: bool


@runtime_checkable
class ProbabilisticAgent(Protocol):
    """An agent that gives the probabilities that it acts by."""

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.floating[Any]]]:
        """Return the actions that `act` chooses, and the probability of each, [n, NUM_ACTIONS]."""


class PlayerKind(StrEnum):
    """Kinds of players that an agent recognises. The first three have the names of agents.

    All but the last are columns of a belief (see `wizard_env.agents.adaptive.beliefs`), in this order.
    """

    RULE_BASED = "rule_based"
    HEURISTIC = "heuristic"
    CHAMPION = "champion"
    COPY = "copy"
    """Another copy of the agent that believes."""
    LEARNED = "learned"
    """Another network."""
    UNKNOWN = "unknown"
    """A player that no other kind explains."""

    @property
    def column(self) -> int:
        """The index of this kind."""
        return _COLUMNS[self]


_COLUMNS = {kind: column for column, kind in enumerate(PlayerKind)}


class SeatBelief(NamedTuple):
    """A belief about the player in a seat."""

    kind: PlayerKind
    """The likeliest kind."""
    probability: float | None
    """The probability of that kind; None for UNKNOWN, which has none."""
    bid_shift: float
    """The number of tricks by which bids are above those of the kind; below 0 if they are lower."""

    @property
    def bids(self) -> Literal["high", "low"] | None:
        """Return "high" or "low" for bids that are clearly above those of the kind, or below; else None."""
        if abs(self.bid_shift) < _BID_SHIFT:
            return None
        return "high" if self.bid_shift > 0 else "low"


@runtime_checkable
class Believer(Protocol):
    """An agent that recognises the players in the other seats."""

    def recognise_players(self, view: View) -> list[list[SeatBelief | None]]:
        """Return for each game of a view a belief about each seat.

        None stands for the acting seat, and for seats without evidence.
        """


def assess(agent: Agent, view: View, rng: np.random.Generator) -> Assessment:
    """Ask an Assessor; for any other agent, return a policy certain of the action it takes."""
    if isinstance(agent, Assessor):
        return agent.assess(view, rng)
    unknown = np.full((len(view), NUM_ACTIONS), np.nan)
    return Assessment(certain(agent.act(view, rng)), unknown, unknown[:, 0].copy())


def recognise_players(agent: Agent, view: View) -> list[list[SeatBelief | None]]:
    """Ask a Believer; any other agent believes nothing. See `Believer.recognise_players`."""
    if isinstance(agent, Believer):
        return agent.recognise_players(view)
    return [[None] * players for players in view.known["num_players"].tolist()]


def expects_points(agent: Agent) -> bool:
    """Return whether an agent estimates the points of every legal action."""
    return isinstance(agent, PointsAssessor) and agent.expects_points
