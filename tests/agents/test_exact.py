"""ExactAgent; tests/evaluation/test_one_card.py shows that what it plays is an equilibrium."""

import numpy as np
import pytest

from wizard_env import Game, Rules, action_id
from wizard_env.agents import View, load
from wizard_env.agents.one_card.agent import ExactAgent
from wizard_env.testing import agent_test


def probability(game: Game, action: str) -> float:
    _, policy = ExactAgent().act_and_tell(View.of([game]), np.random.default_rng(0))
    return float(policy[0, action_id(action)])


def test_it_plays_in_any_seat_and_suit() -> None:
    """The same situation around the table and in other suits gets the same answer."""
    answers = set()
    for dealer in range(3):
        for suit in "SHDC":
            other = "DCHS"["SHDC".index(suit)]
            held = ["2" + other, "9" + suit, "JE"]
            hands = [held[(seat - dealer - 1) % 3] for seat in range(3)]
            game = Game.from_deal(Rules(3, hand_sizes=(1,)), dealer, hands, "5" + suit)
            game.step("bid 1")
            answers.add(probability(game, "bid 1"))
    assert len(answers) == 1


def test_the_restriction_in_force_counts() -> None:
    """With `leader`, a dealer with the most points may not make the bids add up to 1."""
    rules = Rules(3, bid_restriction="leader", hand_sizes=(1, 1))
    for scores, chance in (([0, 0, 20], 0.0), ([20, 0, 20], 1.0)):
        game = Game.from_deal(rules, 2, ["JE", "JE", "AS"], "5S", scores)
        for _ in range(2):
            game.step("bid 0")
        assert probability(game, "bid 1") == chance


def test_it_names_suits_as_the_equilibrium_does() -> None:
    """The dealer with the Jester names every suit equally often, and so says nothing."""
    game = Game.from_deal(Rules(3, hand_sizes=(1,)), 2, ["2S", "3S", "JE"], "WI")
    view = View.of([game] * 4000)
    actions = load("exact").act(view, np.random.default_rng(0))
    counts = np.bincount(actions - action_id("trump S"), minlength=4)
    assert counts == pytest.approx(1000, abs=150)


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        (Rules(4, hand_sizes=(2,)), "a round of 2 cards with 4 players"),
        (Rules(5, hand_sizes=(1,)), "a round of 1 card with 5 players"),
    ],
)
def test_other_rounds_are_refused_by_name(rules: Rules, named: str) -> None:
    with pytest.raises(ValueError, match=f"{named}: the agent 'exact' plays rounds of one card"):
        load("exact").act(View.of([Game(rules)]), np.random.default_rng(0))


def test_it_keeps_the_promises_of_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """`agent_test` on the rounds that it plays."""
    rules = [
        Rules(3, hand_sizes=(1,), magic_edition=True),
        Rules(3, hand_sizes=(1, 1), bid_restriction="canadian"),
        Rules(3, hand_sizes=(1,), bid_reveal="secret"),
    ]
    monkeypatch.setattr("wizard_env.testing.RULES", rules)
    agent_test("exact", num_games=2)
