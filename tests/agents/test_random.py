"""RandomAgent: uniform choices."""

import numpy as np
import scipy.stats

from wizard_env import Game, Rules
from wizard_env.agents import View
from wizard_env.agents.random import RandomAgent


def test_the_random_agent_is_uniform() -> None:
    game = Game(Rules(num_players=3, hand_sizes=(9,)), seed=3)
    while game.phase != "bid":
        game.step(game.legal_actions()[0])
    actions = RandomAgent().act(View.of([game] * 2000), np.random.default_rng(0))
    counts = np.bincount(actions)
    assert len(counts) == 10
    assert scipy.stats.chisquare(counts).pvalue > 1e-4
