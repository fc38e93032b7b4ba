"""PerturbedAgent: its bias, its noise, and what it leaves unchanged."""

from typing import Any

import numpy as np
import pytest

from tests.positions import played_at_random, under_way
from wizard_env import Game, Rules, View, action_name
from wizard_env.actions import FIRST_BID
from wizard_env.agents import load
from wizard_env.agents.perturbed import PerturbedAgent, generated_population
from wizard_env.state import BID, PLAY
from wizard_env.testing import agent_test

RNG = np.random.default_rng(0)


def view(count: int = 4000) -> View:
    games = under_way(Rules(4, hand_sizes=(8,)), count, seed=5)
    return View(games.states, np.arange(count, dtype=np.uint64))


def test_without_bias_and_noise_it_is_the_inner_agent() -> None:
    some = view()
    for name in ("heuristic", "random", "rule_based"):
        assert (PerturbedAgent(name).act(some, RNG) == load(name).act(some, RNG)).all()


def test_the_inner_agent_sees_the_finished_rounds() -> None:
    seen = []

    class Spy:
        def act(self, view: View, rng: np.random.Generator) -> Any:
            seen.append(view.rounds(0))
            return view.mask.argmax(axis=1)

    game = played_at_random(Rules(3, hand_sizes=(1, 2, 3)), seed=1, actions=20)
    PerturbedAgent(Spy()).act(View.of([game]), RNG)
    assert seen == [game.rounds]
    assert len(game.rounds) == 2


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


@pytest.mark.parametrize(("greed", "played", "legal"), [(1, "AS", "2S AS 9S"), (-1, "2S", "2S AS 9S")])
def test_greed_plays_the_strongest_or_the_weakest_card(greed: float, played: str, legal: str) -> None:
    """Seat 1 follows a led spade; whatever it has bid."""
    hands = [["3S", "3H", "3D"], legal.split(), ["4S", "4H", "4D"]]
    game = Game.from_deal(Rules(3, hand_sizes=(3,)), dealer=2, hands=hands, upcard="5C")
    for action in ("bid 1", "bid 1", "bid 0", "play 3S"):
        game.step(action)
    actions = PerturbedAgent("random", greed=greed).act(View.of([game]), RNG)
    assert action_name(int(actions[0])) == f"play {played}"


def test_greed_is_a_share_of_the_plays() -> None:
    """Other decisions stay as they are; some greedy plays happen to be those of the inner agent."""
    some = view()
    plays = some.known["phase"] == PLAY
    before = load("heuristic").act(some, RNG)
    always, half = (PerturbedAgent(greed=greed).act(some, RNG) != before for greed in (1.0, 0.5))
    assert not always[~plays].any()
    assert not half[~always].any()
    assert float(half.sum() / always.sum()) == pytest.approx(0.5, abs=0.05)


def test_a_population_is_of_many_kinds_and_stays_the_same() -> None:
    names = generated_population(12, seed=3)
    assert len(set(names)) == 12
    assert generated_population(5, seed=3) == names[:5]
    assert generated_population(12, seed=4) != names
    inner = {type(agent.agent).__name__ for agent in map(load, names) if isinstance(agent, PerturbedAgent)}
    assert inner == {"HeuristicAgent", "RuleBasedAgent"}


def test_it_passes_agent_test() -> None:
    agent_test("variant:of=random,bias=-0.5,noise=0.1,greed=0.2", num_games=1)


@pytest.mark.parametrize("options", [{"noise": -0.1}, {"noise": 1.5}, {"bias": 21}, {"greed": -1.5}])
def test_options_out_of_range(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        PerturbedAgent(**options)
