"""View: what the acting seats may know, and nothing more."""

from typing import Any

import numpy as np
import pytest

from tests.positions import VARIED_RULES, at, differing_in_secret, random_view, view_bytes
from wizard_env import Game, Rules
from wizard_env.agents import View
from wizard_env.cards import card_names
from wizard_env.state import HIDDEN, NOT_BID
from wizard_env.view import actions_by_owner


def test_a_view_is_a_copy() -> None:
    """Writing to it does not change the game, and a step of the game does not change it."""
    game = at()
    before, view = game.state.tobytes(), View.of([game])
    view.known["scores"] = 7
    view.information(0)["tricks_won"][:] = 7
    assert game.state.tobytes() == before
    unchanged = view_bytes(view)
    view.information(0)["bids"][:] = 7
    game.step(game.legal_actions()[0])
    assert view_bytes(view) == unchanged


def test_a_finished_game_has_no_view() -> None:
    game = at()
    over = Game(Rules(num_players=3, hand_sizes=(1,)), seed=0)
    while over.phase != "over":
        over.step(over.legal_actions()[0])
    with pytest.raises(ValueError, match="game 1 of the view awaits no decision"):
        View.of([game, over])


@pytest.mark.parametrize(
    ("reveal", "bids"),
    [("open", [2, 1, 0]), ("simultaneous", [2, 1, 0]), ("secret", [HIDDEN, 1, HIDDEN])],
)
def test_information_is_what_the_seat_knows(reveal: str, bids: list[int]) -> None:
    """Seat 1 acts: its hand, what was played, the upcard, and the bids that are public."""
    game = at(reveal)
    known = View.of([game]).information(0)
    assert game.seat == known["seat"] == 1
    assert [card_names(hand) for hand in known["hands"][:3]] == [[], ["WI", "JE"], []]
    assert [card_names(cards) for cards in known["played"][:3]] == [["2S", "9S"], ["KH"], ["AH", "3D"]]
    assert known["bids"][:3].tolist() == bids
    assert (known["generator"], game.state["generator"][0] != 0) == (0, True)
    for field in (
        "scores",
        "tricks_won",
        "trick",
        "voids",
        "upcard",
        "trump",
        "led_suit",
        "dealer",
        "leader",
    ):
        assert known[field].tolist() == game.state[field][0].tolist()


@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_hidden_information_is_not_in_a_view(reveal: str) -> None:
    """Different hidden hands, bids and future deals give the same view, and so the same action."""
    game, other = differing_in_secret(reveal)
    assert view_bytes(View.of([other])) == view_bytes(View.of([game]))


@pytest.mark.parametrize("reveal", ["simultaneous", "secret"])
def test_information_while_bids_are_hidden(reveal: Any) -> None:
    """Simultaneous and secret bidding: it shows that a bid was made, but not which one."""
    game = Game(Rules(num_players=4, hand_sizes=(3,), bid_reveal=reveal), seed=5)
    if game.phase == "trump":
        game.step("trump H")
    first = game.seat
    assert first is not None
    game.step("bid 2")
    game.step("bid 1")
    bids = View.of([game]).information(0)["bids"]
    assert [bids[(first + place) % 4] for place in range(4)] == [HIDDEN, HIDDEN, NOT_BID, NOT_BID]


def test_a_view_selects_decisions_with_their_noise() -> None:
    """By index, in any order, or by mask."""
    view = random_view(VARIED_RULES[1], 8)
    noise = view.noise(np.random.default_rng(0))
    by_index = view.select([5, 2, 5])
    by_mask = view.select(np.arange(8) % 2 == 0)
    for chosen, rows in ((by_index, [5, 2, 5]), (by_mask, [0, 2, 4, 6])):
        assert len(chosen) == len(rows)
        assert chosen.observation.tolist() == view.observation[rows].tolist()
        assert chosen.mask.tolist() == view.mask[rows].tolist()
        assert chosen.seat.tolist() == view.seat[rows].tolist()
        assert chosen.noise(np.random.default_rng(1)).tolist() == noise[rows].tolist()
    assert len(view.select([])) == 0
    assert len(view.select(np.zeros(8, np.bool_))) == 0
    with pytest.raises(IndexError):
        view.select([8])


class Names:
    """Notes its views, and answers each decision with its number."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.asked: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> Any:
        self.asked.append(len(view))
        return np.full(len(view), self.number) + view.seat


@pytest.mark.parametrize("owner", [[0, 1, 2, 1, 0, 2, 2, 2], [1] * 8])
def test_every_agent_answers_its_own_decisions(owner: list[int]) -> None:
    """All of its own at once, and none is asked about nothing."""
    view = random_view(VARIED_RULES[1], 8)
    agents = [Names(100), Names(200), Names(300)]
    actions = actions_by_owner(agents, np.array(owner), view, np.random.default_rng(0))
    expected = 100 * (np.array(owner) + 1) + view.seat
    assert actions.tolist() == expected.tolist()
    for number, agent in enumerate(agents):
        assert agent.asked == ([owner.count(number)] if number in owner else [])


def test_noise_is_the_tables_own_or_comes_from_the_generator() -> None:
    """If the tables have their own, the generator is not used."""
    view = random_view(VARIED_RULES[1], 8)
    rng = np.random.default_rng(3)
    assert view.noise(rng).tolist() == view.noise(np.random.default_rng(4)).tolist()
    assert rng.integers(1000) == np.random.default_rng(3).integers(1000)
    plain = View(view.known)
    words = plain.noise(np.random.default_rng(3))
    assert words.dtype == np.uint64
    assert words.shape == (8,)
    assert len(set(words.tolist())) == 8
    assert words.tolist() == plain.noise(np.random.default_rng(3)).tolist()
    assert words.tolist() != plain.noise(np.random.default_rng(4)).tolist()
