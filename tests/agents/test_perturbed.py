"""PerturbedAgent: its bias, its noise, and what it leaves unchanged."""

from typing import Any

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import Rules, View
from wizard_env.actions import FIRST_BID
from wizard_env.agents import load
from wizard_env.agents.perturbed import PerturbedAgent
from wizard_env.state import BID
from wizard_env.testing import agent_test

RNG = np.random.default_rng(0)


def view(count: int = 4000) -> View:
    games = under_way(Rules(4, hand_sizes=(8,)), count, seed=5)
    return View(games.states, np.arange(count, dtype=np.uint64))


def test_without_bias_and_noise_it_is_the_inner_agent() -> None:
    some = view()
    for name in ("heuristic", "random", "rule_based"):
        assert (PerturbedAgent(name).act(some, RNG) == load(name).act(some, RNG)).all()


@pytest.mark.parametrize("bias", [1, -1, 0.3, -0.5, 2.25])
def test_its_bids_are_higher_by_the_bias_on_average(bias: float) -> None:
    """As far as the range of bids allows; the cards it plays are the same."""
    some = view()
    bids = some.known["phase"] == BID
    before, after = load("heuristic").act(some, RNG), PerturbedAgent(bias=bias).act(some, RNG)
    room = bids & (before - FIRST_BID >= 1) & (before - FIRST_BID <= 5)
    assert room.sum() > 50
    added = (after - before)[room]
    assert set(added.tolist()) <= {int(np.floor(bias)), int(np.ceil(bias))}
    assert float(added.mean()) == pytest.approx(bias, abs=0.2)
    assert (before == after)[~bids].all()
    assert some.mask[np.arange(len(some)), after].all()


def test_it_acts_at_random_as_often_as_the_noise_says() -> None:
    """Some random actions happen to be those of the inner agent."""
    some = view()
    choices = some.mask.sum(axis=1)
    changed = PerturbedAgent(noise=0.2).act(some, RNG) != load("heuristic").act(some, RNG)
    expected = 0.2 * (1 - 1 / choices).mean()
    assert float(changed.mean()) == pytest.approx(expected, abs=0.02)
    wholly = PerturbedAgent(noise=1.0).act(some, RNG)
    assert some.mask[np.arange(len(some)), wholly].all()


def test_it_passes_agent_test() -> None:
    agent_test("variant:of=random,bias=-0.5,noise=0.1", num_games=1)


@pytest.mark.parametrize("options", [{"noise": -0.1}, {"noise": 1.5}, {"bias": 21}])
def test_options_out_of_range(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        PerturbedAgent(**options)
