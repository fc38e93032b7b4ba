"""SwitchingAgent: one agent in the first rounds, another in the later ones."""

import numpy as np
import pytest

from tests.agents.adaptive.test_beliefs import after_rounds
from wizard_env import Rules
from wizard_env.agents import load
from wizard_env.agents.switching import SwitchingAgent
from wizard_env.testing import agent_test

RNG = np.random.default_rng(0)


def test_it_changes_after_the_rounds_that_it_is_told() -> None:
    agents = [load("heuristic")] * 4
    for rounds, name in ((4, "rule_based"), (5, "champion"), (6, "champion")):
        view = after_rounds(agents, Rules(), rounds)
        switching = load("switch:first=rule_based,then=champion,after=5")
        assert (switching.act(view, RNG) == load(name).act(view, RNG)).all()


def test_it_passes_agent_test() -> None:
    agent_test("switch:first=random,then=heuristic,after=2", num_games=1)


def test_rounds_out_of_range() -> None:
    with pytest.raises(ValueError, match="after=-1: allowed are 0 to 60"):
        SwitchingAgent("random", "heuristic", after=-1)
