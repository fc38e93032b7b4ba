"""Exact values in rounds of one card: against the play of every deal, and in the equilibrium."""

import pickle
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from wizard_env import Agent, Game, Games, Rules
from wizard_env.actions import FIRST_BID, FIRST_TRUMP
from wizard_env.agents import load
from wizard_env.agents.one_card.deals import Deals, cards_left
from wizard_env.cards import NUM_KINDS, NUM_SUITS, UNITS, card_id
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.evaluation.one_card import measure_exactly
from wizard_env.state import BID, TRUMP

RULES = Rules(num_players=3, hand_sizes=(1,))
DEALER = 2


# --- every deal, played


class Dealt(NamedTuple):
    """All ways to deal one card to three seats."""

    states: NDArray[Any]
    cards: NDArray[np.int64]
    """[n, 3]"""
    ways: NDArray[np.float64]
    """[n]: the number of deals that each way stands for."""


def deal_all(upcard: str) -> Dealt:
    cards = np.array(list(product(range(NUM_KINDS), repeat=3)))
    left = cards_left(card_id(upcard))
    first, second, third = cards.T
    ways = left[first].astype(np.float64)
    ways *= left[second] - (second == first)
    ways *= left[third] - (third == first).astype(int) - (third == second)
    cards, ways = cards[ways > 0], ways[ways > 0]
    states = Game.from_deal(RULES, DEALER, ["2S", "3S", "4S"], upcard).state.repeat(len(cards))
    states["hands"][:, :3] = UNITS[cards]
    return Dealt(states, cards, ways)


def play(dealt: Dealt, agent: Agent, seat: int, forced: dict[int, int]) -> NDArray[np.int64]:
    """Play every deal; return [2, n]: a seat's points and, as one number, all that it has seen at its bid.

    forced: the actions of the seat by phase; all else is up to the agent.
    """
    return np.concatenate(
        [_play(states, agent, seat, forced) for states in np.array_split(dealt.states, 20)], axis=1
    )


def _play(states: NDArray[Any], agent: Agent, seat: int, forced: dict[int, int]) -> NDArray[np.int64]:
    written = Games(RULES, len(states), pause="round", observe=False)
    written.states[:] = states
    games = pickle.loads(pickle.dumps(written))  # this checks the states, and looks at them anew
    while not games.round_done.all():
        view = games.view()
        actions = agent.act(view, np.random.default_rng(0))
        phase = int(games.states["phase"][0])  # all games are at the same point
        if games.seat[0] == seat:
            actions[:] = forced.get(phase, actions)
            if phase == BID:
                heard = (view.known["bids"][:, :3] + 1) @ np.array([9, 3, 1])
                seen = (view.known["trump"] * 27 + heard) * NUM_KINDS
        games.step(actions)
    return np.stack([games.points[:, seat], seen + np.searchsorted(UNITS, states["hands"][:, seat])])


def best_of_bids(dealt: Dealt, agent: Agent, seat: int, forced: dict[int, int]) -> NDArray[np.float64]:
    """Return float64 [54]: the points of the best bids, added up over the deals, by the seat's card."""
    by_bid = []
    for bid in range(2):
        points, seen = play(dealt, agent, seat, forced | {BID: FIRST_BID + bid})
        known, index = np.unique(seen, return_inverse=True)
        by_bid.append(np.bincount(index, points * dealt.ways))
    best = np.bincount(known % NUM_KINDS, np.max(by_bid, axis=0), minlength=NUM_KINDS)
    return best.astype(np.float64)


@pytest.mark.parametrize("upcard", ["WI", pytest.param("5H", marks=pytest.mark.slow)])
def test_values_and_gains_are_those_of_playing_every_deal(upcard: str) -> None:
    """Played by the engine, without what the solver knows about the round."""
    agent, dealt = load("rule_based"), deal_all(upcard)
    (found,) = [line for line in measure_exactly("rule_based", RULES).by_upcard if line.upcard == upcard]
    for seat in range(3):
        value = float(play(dealt, agent, seat, {})[0] @ dealt.ways) / dealt.ways.sum()
        named = [{TRUMP: FIRST_TRUMP + suit} for suit in range(NUM_SUITS)]
        choices = named if upcard == "WI" and seat == DEALER else [{}]
        best = np.max([best_of_bids(dealt, agent, seat, choice) for choice in choices], axis=0).sum()
        assert found.values[seat] == pytest.approx(value, abs=1e-9)
        assert found.gains[seat] == pytest.approx(best / dealt.ways.sum() - value, abs=1e-9)


def test_values_are_those_of_sampled_games() -> None:
    """A seat meets each place in the bidding once in three duplicate deals."""
    found = measure_exactly("random", RULES)
    (standing,) = evaluate(["random"], RULES, 20_000).standings
    error = (standing.points_high - standing.points_low) / 4
    assert np.mean(found.values) == pytest.approx(standing.points, abs=4 * error)


# --- the equilibrium

VARIANTS = [
    Rules(3, restriction, reveal, magic, hand_sizes=(1,))  # type: ignore[arg-type]
    for restriction, reveal in (
        ("free", "open"), ("no_even", "open"), ("leader", "open"), ("canadian", "open"),
        ("free", "simultaneous"), ("free", "secret"),
    )
    for magic in ((False,) if restriction in ("leader", "canadian") else (False, True))
]  # fmt: skip


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_nobody_gains_in_the_equilibrium(rules: Rules) -> None:
    """After no upcard does a best response to the agent gain anything but rounding."""
    found = measure_exactly("exact", rules)
    assert max(gain for line in found.by_upcard for gain in line.gains) < 1e-9
    assert found.values == pytest.approx(found.equilibrium, abs=1e-9)


@pytest.mark.slow
def test_nobody_gains_in_the_equilibrium_with_four_players() -> None:
    for rules in VARIANTS:
        found = measure_exactly("exact", Rules(**rules.to_dict() | {"num_players": 4}))
        assert max(gain for line in found.by_upcard for gain in line.gains) < 1e-9


def test_known_values() -> None:
    """As an enumeration by another program found them, which left Wizard upcards out."""
    found = measure_exactly("rule_based", RULES)
    lines = [line for line in found.by_upcard if line.upcard != "WI"]
    shares = np.array([line.probability for line in lines]) / sum(line.probability for line in lines)
    values, gains = (
        shares @ np.array([getattr(line, name) for line in lines]) for name in ("equilibrium", "gains")
    )
    assert values == pytest.approx([13.78, 18.08, 18.99], abs=0.005)
    assert gains.sum() == pytest.approx(3.34, abs=0.005)
    assert found.decisions == 21_236
    assert found.nash_conv == pytest.approx(sum(found.gains))


def test_deals_are_all_counted() -> None:
    """60 cards less the upcard: 59 * 58 * 57 deals, by the cards of every seat."""
    for counts in Deals(RULES).count(card_id("5H"), trump=0):
        assert counts.sum() == 59 * 58 * 57


# --- other agents


def test_an_agent_that_gives_no_probabilities() -> None:
    """It must not draw at random; then it is measured like one that does, also by an object with a name."""
    variant = Entrant("mine", load("variant:of=heuristic"))
    found, expected = (measure_exactly(one, RULES) for one in (variant, "heuristic"))
    assert found.agent == "mine"
    assert (found.gains, found.by_upcard) == (expected.gains, expected.by_upcard)
    with pytest.raises(
        ValueError, match=r"'variant:noise=0.5' draws at random without giving its probabilities"
    ):
        measure_exactly("variant:noise=0.5", RULES)


def test_an_agent_that_acts_illegally(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "class Two:\n    def act(self, view, rng):\n        return view.seat * 0 + 2\n"
    )
    with pytest.raises(ValueError, match=r"'mine.py:Two' gives illegal actions a probability of 1"):
        measure_exactly("mine.py:Two", RULES)


@pytest.mark.parametrize("rules", [Rules(3), Rules(3, hand_sizes=(1, 1)), Rules(5, hand_sizes=(1,))], ids=str)
def test_other_rounds_are_refused(rules: Rules) -> None:
    with pytest.raises(ValueError, match="one round of one card"):
        measure_exactly("random", rules)
