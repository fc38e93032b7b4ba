"""The same deals in OpenSpiel's Oh Hell, which is Wizard without Wizards and Jesters.

Bids are restricted there as with `no_even`; the scoring differs, so tricks are compared.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyspiel
import pytest

from wizard_env import Game, Rules, action_id, action_name

SUITS = "CDSH"
RANKS = "23456789TJQKA"
CARDS = [rank + suit for rank in RANKS for suit in SUITS]
"""The names of Oh Hell's cards, in the order of its ids; bids follow them."""


def spiel_deal(num_players: int, dealer: int, hands: list[list[str]], trump: str) -> Any:
    """A state of oh_hell with the given deal: its chance nodes in order."""
    size = len(hands[0])
    state = pyspiel.load_game(f"oh_hell(players={num_players},num_tricks_fixed={size})").new_initial_state()
    dealt = [hands[seat][card] for card in range(size) for seat in range(num_players)]
    for outcome in [size, dealer, *map(CARDS.index, [*dealt, trump])]:
        state.apply_action(outcome)
    assert not state.is_chance_node()
    return state


def spiel_names(actions: Iterable[int]) -> set[str]:
    """Oh Hell's actions in the words of this project."""
    return {f"play {CARDS[a]}" if a < len(CARDS) else f"bid {a - len(CARDS)}" for a in actions}


def spiel_action(name: str) -> int:
    kind, what = name.split()
    return CARDS.index(what) if kind == "play" else len(CARDS) + int(what)


def tricks_won(state: Any, num_players: int) -> list[int]:
    (line,) = [line for line in str(state).splitlines() if line.startswith("Tricks Won:")]
    return [int(number) for number in line.split()[2 : 2 + num_players]]


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
@pytest.mark.parametrize("hand_size", [1, 2, 5, 8])
def test_the_same_play_as_in_oh_hell(num_players: int, hand_size: int) -> None:
    """Bidding (order, range, `no_even`), Play (lead, clockwise, follow suit) and Who wins the trick 2, 3."""
    rng = np.random.default_rng([num_players, hand_size])
    rules = Rules(num_players=num_players, bid_restriction="no_even", hand_sizes=(hand_size,))
    for _ in range(25):
        deck = rng.permutation(CARDS).tolist()
        hands = [deck[seat * hand_size : (seat + 1) * hand_size] for seat in range(num_players)]
        dealer, trump = int(rng.integers(num_players)), deck[-1]
        game = Game.from_deal(rules, dealer, hands, trump)
        state = spiel_deal(num_players, dealer, hands, trump)
        while game.phase != "over":
            names = {action_name(action) for action in game.legal_actions()}
            assert state.current_player() == game.seat
            assert spiel_names(state.legal_actions()) == names
            action = str(rng.choice(sorted(names)))
            game.step(action_id(action))
            state.apply_action(spiel_action(action))
            assert tricks_won(state, num_players) == game.tricks_won
        assert state.is_terminal()
        assert sum(game.tricks_won) == hand_size
