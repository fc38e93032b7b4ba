"""Advice: an agent's opinion of a decision of a game, for hints and reviews."""

from dataclasses import dataclass

import numpy as np

from wizard_env import ACTIONS, Agent, Game, View
from wizard_env.agents.search.network_search import assess_every_action
from wizard_env.evaluation.answers import ask_twice, average, lower_to, value_best
from wizard_env.evaluation.reasons import Reason, find_reasons

ERRORS = 2
"""Standard errors up to which a difference may be noise."""
_LEAST = 0.05
"""Points; less is printed as nothing."""


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
    as_good: bool
    """True for the best action, and for one whose difference from it may be noise."""
    reason: Reason | None
    """For an action as good as the best a reason for it, for a worse one against it; None if no reason is
    borne out by most playouts."""


@dataclass(frozen=True)
class Advice:
    """An agent's opinion of a decision."""

    choices: list[ActionAdvice]
    """The legal actions, that with the most points first."""
    value: float
    """The points of the first."""

    @property
    def reasons(self) -> list[Reason]:
        """Return the reason for the best action, and against the best one of those that are worse."""
        best, worse = self.choices[0], [one for one in self.choices if not one.as_good]
        against = next((one.reason for one in worse if one.reason), None)
        return [reason for reason in (best.reason, against) if reason]


def advise(agent: Agent, game: Game) -> Advice:
    """Ask an agent for advice, from what the acting seat knows. Raises ValueError if the game is over.

    The answers are those of an analysis by the same agent, see `wizard_env.evaluation.analysis`.
    """
    answers = ask_twice(agent, View.of([game]), [len(game.history)], ask=assess_every_action)
    policy, points, met, error, evidence = average(answers)
    worth = value_best(np.array([one.points for one in answers])).mean()
    points[0], met[0] = lower_to(worth, points[0], met[0], game.state[0])
    legal = sorted(game.legal_actions(), key=lambda one: -points[0, one])
    less = points[0, legal[0]] - points[0]
    error[0, legal[0]] = 0
    with np.errstate(invalid="ignore"):
        good = (less <= ERRORS * error[0]) | (less < _LEAST)
    reasons = find_reasons(game, evidence.of(0), good) if evidence else {}
    choices = [
        ActionAdvice(
            action=ACTIONS[action],
            share=float(policy[0, action]),
            points=float(points[0, action]),
            met=float(met[0, action]),
            error=float(error[0, action]),
            as_good=bool(good[action]),
            reason=reasons.get(action),
        )
        for action in legal
    ]
    return Advice(choices, choices[0].points)
