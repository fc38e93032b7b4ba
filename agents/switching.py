"""SwitchingAgent: one agent for some rounds, then another, for opponents that change their style."""

import numpy as np

from wizard_env import Agent
from wizard_env.checks import check_integer
from wizard_env.loading import load
from wizard_env.rules import MAX_ROUNDS
from wizard_env.view import Actions, View, actions_by_owner


class SwitchingAgent:
    """Plays a number of rounds like one agent, and the rest of the game like another."""

    def __init__(self, first: str | Agent, then: str | Agent, after: int) -> None:
        """Load both agents.

        Args:
            first: the agent that plays the first rounds.
            then: the agent that plays all later ones; it sees every finished round.
            after: the number of rounds that `first` plays.
        """
        self.after = check_integer("after", after, 0, MAX_ROUNDS)
        self.agents = load(first), load(then)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        later = (view.known["round_index"] >= self.after).astype(np.int64)
        return actions_by_owner(self.agents, later, view, rng)
