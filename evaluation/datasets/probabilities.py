"""Actions of agents with their probabilities, for agents that give these."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Agent, View
from wizard_env.view import Actions

_Probabilities: TypeAlias = NDArray[np.float32]
"""[n, NUM_ACTIONS], of the actions in the suits as printed; NaN where an agent does not give them."""


@runtime_checkable
class _ProbabilisticAgent(Protocol):
    """An agent that gives the probabilities that it acts by."""

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, _Probabilities]:
        """Return the actions that `act` chooses, and the probability of each action."""
        ...


def act_with_probabilities(
    agents: Sequence[Agent], owner: NDArray[np.integer], view: View, rng: np.random.Generator
) -> tuple[Actions, _Probabilities]:
    """Let each agent answer its decisions of a view, with probabilities.

    The arguments are those of `wizard_env.view.actions_by_owner`.
    """
    if (owner == owner[0]).all():
        return _ask(agents[owner[0]], view, rng)
    actions = np.empty(len(view), np.int64)
    probabilities = np.empty((len(view), NUM_ACTIONS), np.float32)
    for number, agent in enumerate(agents):
        theirs = owner == number
        if theirs.any():
            actions[theirs], probabilities[theirs] = _ask(agent, view.select(theirs), rng)
    return actions, probabilities


def _ask(agent: Agent, view: View, rng: np.random.Generator) -> tuple[Actions, _Probabilities]:
    if isinstance(agent, _ProbabilisticAgent):
        return agent.act_and_tell(view, rng)
    return agent.act(view, rng), np.full((len(view), NUM_ACTIONS), np.nan, np.float32)
