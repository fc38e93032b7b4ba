"""Advice: an agent's opinion of a decision of a game, for hints and reviews."""

from dataclasses import dataclass

from wizard_env import ACTIONS, Agent, Game, View
from wizard_env.agents.search.network_search import assess_every_action
from wizard_env.evaluation.answers import ask_twice, average


@dataclass(frozen=True)
class ActionAdvice:
    """An agent's opinion of one action. Points, chance and error come from the same playouts."""

    action: str
    share: float
    """The probability that the agent takes it."""
    points: float
    """The points of the round that the seat can expect from it."""
    met: float
    """The chance that the seat then meets its bid exactly."""
    error: float
    """The standard error of the points that it brings less than the best action; 0 for that one."""


@dataclass(frozen=True)
class Advice:
    """An agent's opinion of a decision."""

    choices: list[ActionAdvice]
    """The legal actions, that with the most points first."""
    value: float
    """The points of the first."""


def advise(agent: Agent, game: Game) -> Advice:
    """Ask an agent for advice, from what the acting seat knows. Raises ValueError if the game is over.

    The figures are those of an analysis by the same agent, see `wizard_env.evaluation.analysis`.
    """
    answers = ask_twice(agent, View.of([game]), [len(game.history)], ask=assess_every_action)
    policy, points, met, error = average(answers)
    legal = sorted(game.legal_actions(), key=lambda one: -points[0, one])
    choices = [
        ActionAdvice(
            action=ACTIONS[action],
            share=float(policy[0, action]),
            points=float(points[0, action]),
            met=float(met[0, action]),
            error=0.0 if action == legal[0] else float(error[0, action]),
        )
        for action in legal
    ]
    return Advice(choices, choices[0].points)
