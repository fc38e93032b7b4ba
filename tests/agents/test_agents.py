"""Agents: they act legally and reproducibly, on what their seat sees alone."""

from typing import Any

import numpy as np
import pytest

from tests.positions import VARIED_RULES, differing_in_secret, random_view, view_bytes
from wizard_env import Game, Games, Rules
from wizard_env.agents import View, load

every_agent = pytest.mark.parametrize("name", ["random", "heuristic"])


@every_agent
@pytest.mark.parametrize("rules", VARIED_RULES)
def test_an_agent_acts_legally(name: str, rules: Rules) -> None:
    """Its answers are int64 [n] ids of legal actions, in every phase of whole games."""
    agent, rng = load(name), np.random.default_rng(0)
    games, phases = Games(rules, 40, seed=1), set()
    for _ in range(2 * rules.num_players * (sum(rules.rounds) + len(rules.rounds))):
        view = games.view()
        phases |= set(view.known["phase"].tolist())
        actions = agent.act(view, rng)
        assert actions.dtype == np.int64
        assert actions.shape == (40,)
        assert games.mask[np.arange(40), actions].all()
        games.step(actions)
    assert phases == {0, 1, 2}


@every_agent
def test_an_agent_is_reproducible(name: str) -> None:
    """The same view and seed give the same actions, and the view stays unchanged."""
    view = random_view(VARIED_RULES[0], 60)
    view = View(view.known)
    before = view_bytes(view)
    runs = [load(name).act(view, np.random.default_rng(5)).tolist() for _ in range(2)]
    agent = load(name)
    again = [agent.act(view, np.random.default_rng(5)).tolist() for _ in range(2)]
    assert runs[0] == runs[1] == again[0] == again[1]
    assert view_bytes(view) == before


@every_agent
@pytest.mark.parametrize("rules", VARIED_RULES)
def test_an_agent_acts_alike_alone_and_in_a_batch(name: str, rules: Rules) -> None:
    """With the tables' own noise, the other decisions in the batch make no difference."""
    agent, view = load(name), random_view(rules, 50)
    together = agent.act(view, np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(50)
    assert agent.act(view.select(order), np.random.default_rng(2)).tolist() == together[order].tolist()
    for row in range(0, 50, 7):
        assert agent.act(view.select([row]), np.random.default_rng(row)).tolist() == [together[row]]


@every_agent
def test_an_agent_answers_an_empty_view(name: str) -> None:
    view = random_view(VARIED_RULES[0], 4).select(np.zeros(4, np.bool_))
    assert len(load(name).act(view, np.random.default_rng(0))) == 0


@every_agent
def test_agents_play_whole_games_against_each_other(name: str) -> None:
    """As single games: `agent.act(View.of(games), rng)`."""
    agent, rng = load(name), np.random.default_rng(0)
    games = [
        Game(Rules(num_players=players, hand_sizes=(1, 2)), seed) for players in (3, 6) for seed in (1, 2)
    ]
    while games:
        for game, action in zip(games, agent.act(View.of(games), rng), strict=True):
            game.step(int(action))
        games = [game for game in games if game.phase != "over"]


@every_agent
@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_hidden_information_does_not_change_the_action(name: str, reveal: Any) -> None:
    """Different hidden hands, bids and future deals give the same view and the same action."""
    game, other = differing_in_secret(reveal)
    assert view_bytes(View.of([other])) == view_bytes(View.of([game]))
    acted = [load(name).act(View.of([one]), np.random.default_rng(0)).tolist() for one in (game, other)]
    assert acted[0] == acted[1]
