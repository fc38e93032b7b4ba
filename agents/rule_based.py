"""RuleBasedAgent: the published baseline. It bids as many tricks as its cards are worth, and plays for them.

Schumacher and Pleines, Improving Bidding and Playing Strategies in the Trick-Taking Game Wizard using
Deep Q-Networks, IEEE Conference on Games 2022.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.cards import (
    COPIES,
    DECK_SIZE,
    NUM_KINDS,
    NUM_SUIT_CARDS,
    NUM_SUITS,
    WIZARD,
    suit_of,
    wizards_in,
)
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import legal, power_in_trick, power_of
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS
from wizard_env.sampling import certain
from wizard_env.state import BID, NO_SUIT, STATE, TRUMP, State
from wizard_env.view import Actions, View

PUBLISHED_ACCURACY = {
    1: 0.848, 2: 0.716, 3: 0.598, 4: 0.513, 5: 0.484, 6: 0.461, 7: 0.441, 8: 0.427, 9: 0.421, 10: 0.410,
    11: 0.408, 12: 0.404, 13: 0.424, 14: 0.418, 15: 0.393,
}  # fmt: skip
"""Share of bids met by four such players in single rounds, by hand size (Schumacher and Pleines 2022)."""


class RuleBasedAgent:
    """Uses no randomness: the same position always gets the same action.

    Its bids ignore the Magic Edition's 2.
    """

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        actions = np.empty(len(view), np.int64)
        _act(view.known, actions)
        return actions

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.float32]]:
        """Return the actions, and the probability of each: float32 [n, NUM_ACTIONS]."""
        actions = self.act(view, rng)
        return actions, certain(actions)


def trick_chances(num_players: int, trump: int) -> NDArray[np.float64]:
    """Estimate the chance that a card of each kind wins a trick: float64 [54].

    The mean of two shares of the 60 cards: those that would not take the trick from it if it were led,
    and those that it would take the trick from if it came second. This is raised to the power of
    num_players - 1 for the other players, and scaled so that the 60 cards win 60 / num_players tricks.

    trump: 0 to 3, or NO_SUIT.
    """
    takes = _takes(trump)
    copies = np.array(COPIES)
    loses = (takes.T * copies).sum(axis=1) / DECK_SIZE
    beats = (takes * copies).sum(axis=1) / DECK_SIZE
    chances = ((1 - loses + beats) / 2) ** (num_players - 1)
    scaled: NDArray[np.float64] = chances * (DECK_SIZE / num_players) / (chances * copies).sum()
    return scaled


@functools.cache
def _takes(trump: int) -> NDArray[np.bool_]:
    """Return bool [54, 54], at [card, first]: the card takes the trick from a single card before it."""
    powers = np.array(
        [[power_of(card, led, trump, False) for card in range(NUM_KINDS)] for led in range(NO_SUIT + 1)]
    )
    suits = np.array([suit_of(card) for card in range(NUM_KINDS)])
    card, first = np.indices((NUM_KINDS, NUM_KINDS))
    led = np.where(first <= WIZARD, suits[first], suits[card])
    return powers[led, card] > powers[led, first]


_CHANCES = np.array(
    [
        [trick_chances(num_players, trump) for trump in range(NO_SUIT + 1)]
        for num_players in range(MIN_PLAYERS, MAX_PLAYERS + 1)
    ]
)
"""float64 [numbers of players, trumps, 54]: `trick_chances`."""


@compiled
def _chance(state: State, trump: int, card: int) -> float:
    return _CHANCES[int(state.num_players) - MIN_PLAYERS, trump, card]


@compiled
def _worth(state: State, trump: int) -> float:
    """Return the number of tricks that the hand is worth with a trump."""
    hand = state.hands[state.seat]
    worth = 0.0
    for card in range(NUM_SUIT_CARDS):
        if (hand >> card) & 1:
            worth += _chance(state, trump, card)
    return worth + wizards_in(hand) * _chance(state, trump, WIZARD)


@compiled
def _best_trump(state: State) -> int:
    best, best_worth = 0, -1.0
    for suit in range(NUM_SUITS):
        worth = _worth(state, suit)
        if worth > best_worth:
            best, best_worth = suit, worth
    return best


@compiled
def _best_bid(state: State) -> int:
    """Return the legal bid nearest to the worth of the hand."""
    allowed = legal(state)
    worth = _worth(state, int(state.trump))
    best, best_distance = -1, np.inf
    for tricks in range(int(state.hand_size) + 1):
        distance = abs(worth - tricks)
        if (allowed >> tricks) & 1 and distance < best_distance:
            best, best_distance = tricks, distance
    return best


@compiled
def _best_card(state: State) -> int:
    """Return the card to play.

    A seat that needs tricks plays the card likeliest to win one if that takes this trick, and else the
    unlikeliest. A seat that needs none plays the likeliest card that does not take the trick. If all take it,
    it plays the unlikeliest, which others may still beat, or as the last to play the likeliest.
    """
    seat = int(state.seat)
    needs = state.bids[seat] > state.tricks_won[seat]
    lowest, highest, highest_loser = -1, -1, -1
    cards = legal(state)
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        chance = _chance(state, int(state.trump), card)
        if lowest < 0 or chance < _chance(state, int(state.trump), lowest):
            lowest = card
        if highest < 0 or chance >= _chance(state, int(state.trump), highest):
            highest = card
        if power_in_trick(state, card) <= state.best_power and (
            highest_loser < 0 or chance >= _chance(state, int(state.trump), highest_loser)
        ):
            highest_loser = card
    if needs:
        return highest if power_in_trick(state, highest) > state.best_power else lowest
    if highest_loser >= 0:
        return highest_loser
    return highest if int(state.trick_size) + 1 == state.num_players else lowest


@outlined
def best_action(state: State) -> int:
    """Return the acting seat's action; reads only what that seat may know."""
    if state.phase == TRUMP:
        return FIRST_TRUMP + _best_trump(state)
    if state.phase == BID:
        return FIRST_BID + _best_bid(state)
    return FIRST_PLAY + _best_card(state)


@kernel([STATE], [np.int64])
def _act(states: Any, actions: Any) -> None:
    for index in range(len(states)):
        actions[index] = best_action(states[index])
