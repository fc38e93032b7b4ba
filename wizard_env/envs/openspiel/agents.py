"""Agents as bots of OpenSpiel, and its policies as agents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import ACTIONS, NUM_ACTIONS
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
        """Draw int64 [n], an action for each decision.

        Raises ValueError for games by other rules, and for a policy that allows an illegal action or none.
        """
        return self.act_and_tell(view, rng)[0]

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.float32]]:
        """Return the actions that `act` draws, and float32 [n, NUM_ACTIONS], the probability of each action.

        They are the policy's, made to add up to 1.
        """
        policy = np.zeros((len(view), NUM_ACTIONS))
        for index in range(len(view)):
            known = view.known[[index]]
            game = Game.from_state(view.rules(index), known, view.finished_rounds[index])
            self._ask(self._game.state_of(game), policy[index])
        policy /= policy.sum(axis=1, keepdims=True)
        draws = (view.noise(rng) >> np.uint64(11)) * 2.0**-53
        reached = policy.cumsum(axis=1)
        actions = (reached / reached[:, -1:] <= draws[:, np.newaxis]).sum(axis=1)
        return actions, policy.astype(np.float32)

    def _ask(self, state: WizardState, policy: NDArray[np.float64]) -> None:
        """Write the policy of the acting seat. policy: [NUM_ACTIONS], zero before."""
        legal, seat = state.legal_actions(), state.current_player()
        if len(legal) == 1:
            policy[legal] = 1
            return
        for action, probability in self._policy.action_probabilities(state, seat).items():
            policy[action] = probability
        chosen = policy.nonzero()[0].tolist()
        if not chosen or not set(chosen) <= set(legal):
            names = [", ".join(ACTIONS[action] for action in actions) for actions in (chosen, legal)]
            raise ValueError(f"the policy of seat {seat} allows {names[0] or 'nothing'}; legal: {names[1]}")
