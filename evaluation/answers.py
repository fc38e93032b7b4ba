"""Answers: the same decisions put to an agent twice, each time with other sampled worlds."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Agent, View
from wizard_env.agents.assessment import Assessment, Evidence, assess
from wizard_env.engine import score
from wizard_env.state import BID, TRUMP

NUM_ANSWERS = 2

_Assess: TypeAlias = Callable[[Agent, View, np.random.Generator], Assessment]


class Average(NamedTuple):
    """Averages over answers: float64 [n, NUM_ACTIONS] each, NaN for illegal actions; see `Assessment`."""

    policy: NDArray[np.float64]
    points: NDArray[np.float64]
    met: NDArray[np.float64]
    error: NDArray[np.float64]
    evidence: Evidence | None
    """None unless every answer has some."""


def ask_twice(
    agent: Agent, view: View, numbers: Sequence[int], seed: int = 0, ask: _Assess = assess
) -> list[Assessment]:
    """Return two assessments of the decisions of a view, from different random words.

    The same decision gets the same answers in a batch and alone, so a hint, a review and a judgement agree.

    Args:
        agent: the agent to ask.
        view: n decisions.
        numbers: the number of each decision in its game, from 0.
        seed: of the random words, with the numbers.
        ask: asks the agent for an assessment.
    """
    answers = []
    for answer in range(NUM_ANSWERS):
        seeds = [np.random.SeedSequence((seed, answer, number)) for number in numbers]
        words = np.array([one.generate_state(1, np.uint64)[0] for one in seeds], np.uint64)
        rng = np.random.default_rng((seed, answer, *numbers[:1]))
        answers.append(ask(agent, view.with_noise(words), rng))
    return answers


def average(answers: Sequence[Assessment]) -> Average:
    """Average answers that estimate the points, the chance and the error of every legal action."""
    policy, points, met, errors = (
        np.array([getattr(answer, name) for answer in answers], np.float64)
        for name in ("policy", "points", "met", "error")
    )
    found = [answer.evidence for answer in answers if answer.evidence is not None]
    evidence = None
    if len(found) == len(answers):
        evidence = Evidence._make(np.mean(values, axis=0) for values in zip(*found, strict=True))
    means = policy.mean(axis=0), points.mean(axis=0), met.mean(axis=0)
    return Average(*means, error_of_mean(errors), evidence)


def value_best(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points that each answer expects of the action that is best in the other.

    In the worlds that chose an action its mean is too high (the winner's curse); in other worlds it is not.

    points: float64 [NUM_ANSWERS, n, NUM_ACTIONS]. Returns float64 [NUM_ANSWERS, n].
    """
    best = np.nanargmax(points, axis=2)[::-1]
    valued: NDArray[np.float64] = np.take_along_axis(points, best[..., np.newaxis], axis=2)[..., 0]
    return valued


def lower_to(
    worth: float, points: NDArray[np.float64], met: NDArray[np.float64], state: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower the points and chances of all actions until the best one brings only what it is worth.

    The chances of meeting the bid are lowered, and the points follow from them. Certain outcomes do not
    change, the best action stays the best, and the choice of a trump, which comes before the bid, is left as
    it is. Returns the new points and chances.

    Args:
        worth: the mean of `value_best`.
        points: float64 [NUM_ACTIONS].
        met: float64 [NUM_ACTIONS], from the same playouts.
        state: the record of dtype STATE of the decision.
    """
    if state["phase"] == TRUMP:
        return points, met
    unsure = (met > 0) & (met < 1)
    least = max(worth, float(np.nanmax(np.where(unsure, -np.inf, points))))
    bids = range(NUM_ACTIONS) if state["phase"] == BID else [int(state["bids"][state["seat"]])]
    best = np.array([score(bid, bid) for bid in bids], np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        at_stake = np.where(unsure, best - (points - met * best) / (1 - met), 0)
        share = np.where(unsure, np.minimum((np.nanmax(points) - least) / at_stake, met), 0)
    return points - share * at_stake, met - share


def error_of_mean(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard error of the mean of answers. errors: float64 [NUM_ANSWERS, ...], that of each."""
    total: NDArray[np.float64] = np.sqrt((errors**2).sum(axis=0)) / len(errors)
    return total
