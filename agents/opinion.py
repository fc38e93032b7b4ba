"""Opinion: what an agent thinks of the actions it can take, for people who ask it."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Agent
from wizard_env.view import Actions, View


class Opinion(NamedTuple):
    """Of n decisions; actions are in the suits as printed."""

    shares: NDArray[np.float32]
    """[n, NUM_ACTIONS]: how likely the agent takes each action; a row adds up to 1."""
    points: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points of the round that it expects of each; NaN where it expects nothing."""
    value: NDArray[np.float64]
    """[n]: the points of the round that it expects; NaN where it expects nothing."""


@runtime_checkable
class Adviser(Protocol):
    """An agent that can say more than what it would do.

    One whose opinions have points of every legal action says so by an attribute, `expects_points = True`.
    """

    def opinion(self, view: View, rng: np.random.Generator) -> Opinion:
        """What it thinks of the decisions of a view."""
        ...


def opine(agent: Agent, view: View, rng: np.random.Generator) -> Opinion:
    """What any agent thinks: its opinion if it has one, and otherwise what it would do."""
    if isinstance(agent, Adviser):
        return agent.opinion(view, rng)
    unknown = np.full((len(view), NUM_ACTIONS), np.nan)
    return Opinion(certain(agent.act(view, rng)), unknown, unknown[:, 0].copy())


def expects_points(agent: Agent) -> bool:
    """Whether an agent says that it expects points of every legal action."""
    return bool(getattr(agent, "expects_points", False))


def certain(actions: Actions) -> NDArray[np.float32]:
    """float32 [n, NUM_ACTIONS]: the shares of who takes these actions, int64 [n], and no others."""
    shares = np.zeros((len(actions), NUM_ACTIONS), np.float32)
    shares[np.arange(len(actions)), actions] = 1
    return shares
