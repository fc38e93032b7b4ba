"""Agents as bots of OpenSpiel, and its policies as agents."""

from typing import Any

import numpy as np

from wizard_env.actions import ACTIONS
from wizard_env.checks import check_seed
from wizard_env.envs.openspiel.game import WizardGame, WizardState
from wizard_env.extras import extra
from wizard_env.game import Game
from wizard_env.view import Actions, Agent, View, ask

with extra("openspiel"):
    import pyspiel


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent as a bot of OpenSpiel, for states of this game; it sees what the acting seat has seen.

    Args:
        agent: the agent.
        seed: of its randomness.
    """

    def __init__(self, agent: Agent, seed: int = 0) -> None:
        super().__init__()
        self._agent = agent
        self._rng = np.random.default_rng(check_seed(seed))

    def step(self, state: WizardState) -> int:
        """Return the agent's action. Raises ValueError where no seat acts."""
        if state.game is None or not state.is_player_node():
            raise ValueError("no seat acts in this state")
        return int(ask(self._agent, View.of([state.game]), self._rng)[0])

    def restart(self) -> None:
        """Do nothing: agents keep nothing between decisions."""

    def restart_at(self, state: WizardState) -> None:
        """Do nothing: agents keep nothing between decisions."""


class PolicyAgent:
    """A policy of OpenSpiel as an agent.

    The policy is asked for `action_probabilities` of states that hold only what the acting seat has seen:
    information states and legal actions are right there, and nothing else can be read or played from them.

    Args:
        policy: an `open_spiel.python.policy.Policy`, or an algorithm that is one.
        game: the game that it plays.
    """

    def __init__(self, policy: Any, game: WizardGame) -> None:
        self._policy, self._game = policy, game

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Draw int64 [n], an action for each decision, with the policy's probabilities made to add up to 1.

        Raises ValueError for games by other rules, and for a policy that allows an illegal action or none.
        """
        actions = np.empty(len(view), np.int64)
        draws = view.noise(rng) / 2.0**64
        for index in range(len(view)):
            known = view.known[[index]]
            state = self._game.state_of(
                Game.from_state(view.rules(index), known, view.finished_rounds[index])
            )
            actions[index] = self._choose(state, float(draws[index]))
        return actions

    def _choose(self, state: WizardState, draw: float) -> int:
        """Choose an action. draw: uniform in [0, 1)."""
        legal, seat = state.legal_actions(), state.current_player()
        if len(legal) == 1:
            return int(legal[0])
        chances = self._policy.action_probabilities(state, seat)
        weights = np.array([chances.get(action, 0.0) for action in legal], np.float64)
        illegal = [ACTIONS[action] for action, chance in chances.items() if chance and action not in legal]
        if illegal or not weights.sum() > 0:
            allowed = ", ".join(ACTIONS[action] for action in legal)
            raise ValueError(f"the policy of seat {seat} allows {illegal or 'nothing'}; legal: {allowed}")
        place = np.searchsorted(weights.cumsum() / weights.sum(), draw, side="right")
        return int(legal[min(int(place), len(legal) - 1)])
