"""Assessments: what agents think of the legal actions."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.positions import under_way
from wizard_env import Agent, Game, Rules, View, action_id
from wizard_env.agents import load
from wizard_env.agents.assessment import (
    Assessment,
    assess,
)
from wizard_env.agents.network import NetworkAgent
from wizard_env.view import printed_actions

SEARCHERS = ("search:worlds=4", "champion+search:worlds=2", "champion+search:milliseconds=1")


def view_of(rules: Rules, count: int = 30) -> View:
    return View(under_way(rules, count, seed=3).states, np.arange(count, dtype=np.uint64))


def ask(agent: str | Agent, view: View) -> Assessment:
    return assess(load(agent), view, np.random.default_rng(0))


@pytest.mark.parametrize("agent", ["random", "heuristic", "champion", *SEARCHERS])
@pytest.mark.parametrize("rules", [Rules(3, hand_sizes=(4,)), Rules(6, hand_sizes=(3,), bid_reveal="secret")])
def test_only_legal_actions_have_a_probability(agent: str, rules: Rules) -> None:
    view = view_of(rules)
    shares = ask(agent, view).policy
    assert shares.shape == view.mask.shape
    assert not shares[view.mask == 0].any()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("agent", SEARCHERS)
def test_a_searching_agent_expects_points_of_every_legal_action(agent: str) -> None:
    """And of no other action; the value is that of its policy."""
    view = view_of(Rules(3, hand_sizes=(4,)))
    assessment = ask(agent, view)
    assert assessment.met is not None
    assert assessment.error is not None
    for figures in (assessment.points, assessment.met, assessment.error):
        assert (np.isfinite(figures) == (view.mask == 1)).all()
    best = np.nanargmax(assessment.points, axis=1)
    assert not assessment.error[np.arange(len(view)), best].any()
    np.testing.assert_allclose(assessment.value, np.nansum(assessment.policy * assessment.points, axis=1))


def test_a_network_gives_its_policy_in_the_suits_as_printed() -> None:
    agent = load("champion")
    assert isinstance(agent, NetworkAgent)
    view = view_of(Rules(hand_sizes=(5,)), 100)
    assessment, encoding = ask(agent, view), view.encode(canonical_suits=True)
    logits = agent.logits(encoding.observation)
    policy = softmax(np.where(encoding.mask, logits, -np.inf), axis=1)
    assert (assessment.policy.argmax(axis=1) == agent.act(view, np.random.default_rng(0))).all()
    for action in range(assessment.policy.shape[1]):
        printed = printed_actions(np.full(len(view), action), encoding.order)
        given = assessment.policy[np.arange(len(view)), printed]
        np.testing.assert_allclose(given, policy[:, action])
    np.testing.assert_allclose(assessment.value, agent.values(encoding.observation))


@pytest.mark.parametrize("agent", ["search:worlds=16", "champion+search:worlds=16"])
def test_expected_points_fit_the_position(agent: str) -> None:
    """The 7 now and the Wizard last win one trick in every world; the Wizard now wins one or two."""
    game = Game.from_deal(Rules(3), dealer=0, hands=["WI 7S", "AS 2H", "TS JE"], upcard="3C")
    for action in ["bid 1", "bid 0", "bid 1", "play AS", "play TS"]:
        game.step(action)
    points = ask(agent, View.of([game])).points[0]
    assert points[action_id("play 7S")] == 30
    assert -10 < points[action_id("play WI")] < 30
