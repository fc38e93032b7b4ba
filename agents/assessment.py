"""Assessment: what an agent thinks of the actions it can take, for people who ask it."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Agent
from wizard_env.view import Actions, View


class Assessment(NamedTuple):
    """Of n decisions; actions are in the suits as printed."""

    policy: NDArray[np.float32]
    """[n, NUM_ACTIONS]: how likely the agent takes each action; a row adds up to 1."""
    points: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points of the round it expects from each action; NaN where it has no estimate."""
    value: NDArray[np.float64]
    """[n]: the points of the round it expects; NaN where it has no estimate."""


@runtime_checkable
class Assessor(Protocol):
    """An agent that can say more than what it would do.

    One that estimates the points of every legal action says so by an attribute, `expects_points = True`.
    """

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """What it thinks of the decisions of a view."""
        ...


def assess(agent: Agent, view: View, rng: np.random.Generator) -> Assessment:
    """What any agent thinks: its own assessment if it has one, and otherwise what it would do."""
    if isinstance(agent, Assessor):
        return agent.assess(view, rng)
    unknown = np.full((len(view), NUM_ACTIONS), np.nan)
    return Assessment(certain(agent.act(view, rng)), unknown, unknown[:, 0].copy())


def expects_points(agent: Agent) -> bool:
    """Whether an agent says that it estimates the points of every legal action."""
    return bool(getattr(agent, "expects_points", False))


def certain(actions: Actions) -> NDArray[np.float32]:
    """float32 [n, NUM_ACTIONS]: the policy that always takes these actions, int64 [n]."""
    policy = np.zeros((len(actions), NUM_ACTIONS), np.float32)
    policy[np.arange(len(actions)), actions] = 1
    return policy
