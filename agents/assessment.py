"""Assessment: an agent's opinion of its legal actions, for hints and analyses."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Agent
from wizard_env.chance.sampling import certain
from wizard_env.view import View


class Assessment(NamedTuple):
    """Of n decisions, with the suits as printed."""

    policy: NDArray[np.float32]
    """[n, NUM_ACTIONS]: the probability that the agent takes each action; rows add up to 1."""
    points: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points of the round it expects from each action; NaN if it has no estimate."""
    value: NDArray[np.float64]
    """[n]: the points of the round it expects; NaN if it has no estimate."""


@runtime_checkable
class Assessor(Protocol):
    """An agent that can say more than which action it would take."""

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Assess the decisions of a view."""


@runtime_checkable
class PointsAssessor(Assessor, Protocol):
    """An assessor that says whether it estimates the points of every legal action."""

    expects_points: bool


def assess(agent: Agent, view: View, rng: np.random.Generator) -> Assessment:
    """Ask an Assessor; for any other agent, return a policy certain of the action it takes."""
    if isinstance(agent, Assessor):
        return agent.assess(view, rng)
    unknown = np.full((len(view), NUM_ACTIONS), np.nan)
    return Assessment(certain(agent.act(view, rng)), unknown, unknown[:, 0].copy())


def expects_points(agent: Agent) -> bool:
    """Return whether an agent estimates the points of every legal action."""
    return isinstance(agent, PointsAssessor) and agent.expects_points
