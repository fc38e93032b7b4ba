"""Search with who sits there: rule_based and heuristic are recognised, and every other seat is a network."""

import numpy as np
import pytest

from tests.agents.adaptive.test_beliefs import after_rounds
from tests.positions import under_way
from wizard_env import Rules, View
from wizard_env.agents import load
from wizard_env.agents.adaptive.beliefs import HIGH, INEXACT, NUM_FEATURES
from wizard_env.agents.assessment import PlayerKind
from wizard_env.agents.search.network_search import NetworkSearchAgent, guess_seats
from wizard_env.agents.search.seat_model import BY_HEURISTIC, BY_NETWORK, BY_RULES
from wizard_env.rules import MAX_PLAYERS

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def agent() -> NetworkSearchAgent:
    loaded = load("adaptive+search:worlds=8")
    assert isinstance(loaded, NetworkSearchAgent)
    return loaded


def test_without_evidence_it_is_champion_search(agent: NetworkSearchAgent) -> None:
    games = under_way(Rules(hand_sizes=(6,)), 60, seed=5)
    view = View(games.states, np.arange(60, dtype=np.uint64))
    champion = load("champion+search:worlds=8,value=win")
    assert agent.act(view, RNG).tolist() == champion.act(view, RNG).tolist()


def test_among_copies_it_is_champion_search(agent: NetworkSearchAgent) -> None:
    """Worlds in which everybody plays to win know no trust."""
    view = after_rounds([load("adaptive")] * 4, Rules(), rounds=3)
    view = view.with_noise(np.arange(len(view), dtype=np.uint64))
    champion = load("champion+search:worlds=8,value=win")
    chosen = agent.act(view, RNG).tolist()
    assert chosen == champion.act(view, RNG).tolist()
    assert chosen != load("adaptive").act(view, RNG).tolist()


def test_after_some_rounds_it_guesses_who_sits_where(agent: NetworkSearchAgent) -> None:
    names = ["heuristic", "rule_based", "champion", "adaptive"]
    view = after_rounds([load(name) for name in names], Rules(), rounds=6)
    view = view.select((view.seat == 3).nonzero()[0])
    guesses = agent.guess_seats(view)
    expected = [BY_HEURISTIC, BY_RULES, BY_NETWORK, BY_NETWORK]
    assert (guesses["kind"][:, :4] == expected).mean() > 0.9


def test_a_guess_is_as_sharp_as_the_belief(agent: NetworkSearchAgent) -> None:
    """Mistakes soften all of it, and bids above those of the kind only its bids."""
    beliefs = np.zeros((1, MAX_PLAYERS, NUM_FEATURES), np.float32)
    beliefs[0, :, PlayerKind.HEURISTIC.column] = 1
    beliefs[0, 1, INEXACT] = 0.25
    beliefs[0, 2, HIGH] = 0.5
    beliefs[0, 3, HIGH] = 2
    beliefs[0, 4, [PlayerKind.HEURISTIC.column, PlayerKind.CHAMPION.column]] = 0.75, 0.25
    [guess] = guess_seats(beliefs, np.array([5]), agent.model)
    sharp, own = guess["play_epsilon"][0], guess[5]
    assert 0 < sharp < 0.02
    np.testing.assert_allclose(guess["play_epsilon"][:5] - sharp, [0, 0.25, 0, 0, 0.25], atol=1e-6)
    np.testing.assert_allclose(guess["bid_epsilon"][:5] - sharp, [0, 0.25, 0.5, 1 - sharp, 0.25], atol=1e-6)
    assert (guess["kind"][:5] == BY_HEURISTIC).all()
    assert own == agent.model.guesses(1)[0, 5]
