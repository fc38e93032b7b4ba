"""HeuristicAgent: counts cards, and bids and plays for the most expected points.

Each card held has a chance to win a trick, a logistic function of the cards still out against it. The
chances of all cards give the distribution of the tricks to come. A bid or a card is worth the points it
scores on average under that distribution.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import MAX_BID
from wizard_env.cards import (
    JESTER,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_BITS,
    SUIT_CARDS,
    WIZARD,
    jesters_in,
    rank_of,
    size_of,
    suit_of,
    wizards_in,
)
from wizard_env.compiled.bits import count_bits, lowest_bit
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import bids_are_public, first_action, left_of, legal, power_in_trick, score, unseen_by
from wizard_env.sampling import certain
from wizard_env.state import BID, NO_SUIT, PLAY, STATE, UNDECIDED, State
from wizard_env.view import Actions, View

_FEATURES = (
    "1",
    "players - 4",
    "Wizards in an opponent's hand",
    "1 / cards held",
    "log of the cards held",
    "higher cards of the suit in other hands",
    "square root of the feature before",
    "cards of the suit in an opponent's hand",
    "cards of the suit held",
    "cards of the suit held that are higher",
    "trumps in an opponent's hand",
    "trumps in an opponent's hand / (cards of the suit there + 1/2)",
)
"""Facts about a card held. The contents of other hands are means over all ways to deal the cards."""

_PLAIN, _TRUMPS, _WIZARDS, _JESTERS = range(4)
_WEIGHTS = np.array(
    [
        [-0.595, -0.259, -0.266, -0.435, 0.107, -0.266, -1.195, 0.498, 0.159, -0.181, 0.103, -0.680],
        [1.313, -0.238, -0.860, -0.508, -0.291, -0.258, -0.914, 0.013, 0.442, 0.149, 0.0, 0.0],
        [2.517, -0.127, -2.923, -0.084, 0.953, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-5.336, -1.489, 1.309, -2.687, -1.444, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
"""float64 [kinds of card, features]: the log-odds that a card wins a trick, fitted to the tricks that
cards won in games of these agents against each other and against `rule_based`."""

_BID_SHARPNESS = 1.48
_PLAY_SHARPNESS = 1.44
"""Factors on the log-odds, in the bidding and in play: a seat that plays for its bid is surer of the tricks
it wants than its cards alone suggest."""
_BID_SHIFT = -0.24
"""Added to the log-odds in the bidding."""
_ROOM_SHIFT = 1.79
"""Added to the log-odds for each unit of `_room`, over the square root of the hand size."""
_HIGHER_IF_WANTED = 0.98
_HIGHER_IF_NOT = 1.0
_RUFF_IF_WANTED = 0.98
_RUFF_IF_NOT = 0.77
"""The share who take the trick, of the opponents who can do so with a higher card, or with a trump when void
in the led suit: of those who still need tricks, and of the others."""

SCRATCH = np.dtype(
    (
        np.record,
        [
            ("cards", "i8", MAX_BID),
            ("chances", "f8", MAX_BID),
            ("features", "f8", len(_FEATURES)),
            ("tricks", "f8", MAX_BID + 1),
            ("values", "f8", NUM_KINDS),
        ],
    )
)


class Scratch(Protocol):
    """Working memory of one decision: a record of dtype SCRATCH."""

    cards: NDArray[np.int64]
    """[20] the cards held."""
    chances: NDArray[np.float64]
    """[20] the chance that each wins a trick."""
    features: NDArray[np.float64]
    """[12] the _FEATURES of one card."""
    tricks: NDArray[np.float64]
    """[21] the probability of each number of tricks."""
    values: NDArray[np.float64]
    """[54] the expected points of each choice: bids, trump suits or cards."""


class HeuristicAgent:
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


@outlined
def choice_values(state: State, scratch: Scratch) -> int:
    """Write the expected points of every legal choice to `values`; return the choices as bits.

    Reads only what the acting seat may know.
    """
    choices = legal(state)
    if state.phase == PLAY:
        _card_values(state, choices, scratch)
    elif state.phase == BID:
        bid_values(state, int(state.trump), scratch)
    else:
        _trump_values(state, scratch)
    return choices


@compiled
def best_choice(choices: int, scratch: Scratch) -> int:
    """Return the choice of the greatest value in a bit set, the lowest of equals; -1 if the set is empty."""
    best = -1
    while choices:
        choice = lowest_bit(choices)
        choices &= choices - 1
        if best < 0 or scratch.values[choice] > scratch.values[best]:
            best = choice
    return best


@compiled
def greedy_action(state: State, scratch: Scratch) -> int:
    """Return the action of the greatest value, see `choice_values`."""
    choices = choice_values(state, scratch)
    return first_action(state) + best_choice(choices, scratch)


@outlined
def _trump_values(state: State, scratch: Scratch) -> None:
    """Write the value of the best bid with each suit as trump to `values`."""
    best = np.empty(NUM_SUITS)
    for suit in range(NUM_SUITS):
        bid_values(state, suit, scratch)
        best[suit] = scratch.values[best_choice((2 << int(state.hand_size)) - 1, scratch)]
    for suit in range(NUM_SUITS):
        scratch.values[suit] = best[suit]


@outlined
def bid_values(state: State, trump: int, scratch: Scratch) -> None:
    """Write the expected points of every bid of the acting seat to `values`."""
    hand_size = int(state.hand_size)
    count = _judge_cards(state, trump, scratch)
    shift = _BID_SHIFT + _ROOM_SHIFT * _room(state) / np.sqrt(float(hand_size))
    for index in range(count):
        scratch.chances[index] = _sigmoid(_BID_SHARPNESS * scratch.chances[index] + shift)
    _distribute(scratch, count, -1)
    for tricks_bid in range(hand_size + 1):
        value = 0.0
        for tricks in range(count + 1):
            value += scratch.tricks[tricks] * score(tricks_bid, tricks)
        scratch.values[tricks_bid] = value


@compiled
def _room(state: State) -> float:
    """Return the tricks by which the known bids fall short of an equal share each, per opponent."""
    bidders, total = 0, 0
    public = bids_are_public(state)
    for seat in range(state.num_players):
        if public and seat != state.seat and state.bids[seat] >= 0:
            bidders += 1
            total += int(state.bids[seat])
    players = int(state.num_players)
    return (int(state.hand_size) * bidders / players - total) / (players - 1)


@outlined
def _card_values(state: State, allowed: int, scratch: Scratch) -> None:
    """Write the expected points of each card played now to `values`; the other cards win independently."""
    seat = int(state.seat)
    unseen = unseen_by(state, seat)
    tricks_bid, won = int(state.bids[seat]), int(state.tricks_won[seat])
    count = _judge_cards(state, int(state.trump), scratch)
    for index in range(count):
        scratch.chances[index] = _sigmoid(_PLAY_SHARPNESS * scratch.chances[index])
    for index in range(count):
        card = scratch.cards[index]
        if not (allowed >> card) & 1:
            continue
        chance = chance_now(state, card, unseen)
        _distribute(scratch, count, index)
        value = 0.0
        for tricks in range(count):
            if_lost = score(tricks_bid, won + tricks)
            if_won = score(tricks_bid, won + tricks + 1)
            value += scratch.tricks[tricks] * (chance * if_won + (1 - chance) * if_lost)
        scratch.values[card] = value


@compiled
def _judge_cards(state: State, trump: int, scratch: Scratch) -> int:
    """Write the acting seat's cards, and their log-odds to win a trick to `chances`; return the number."""
    seat = int(state.seat)
    hand = state.hands[seat]
    unseen = unseen_by(state, seat)
    opponents = int(state.num_players) - 1
    count = _list_cards(hand, scratch)
    for index in range(count):
        kind = _write_features(scratch, index, hand, unseen, opponents, trump)
        odds = 0.0
        for feature in range(len(_FEATURES)):
            odds += _WEIGHTS[kind, feature] * scratch.features[feature]
        scratch.chances[index] = odds
    return count


@compiled
def _write_features(scratch: Scratch, index: int, hand: int, unseen: int, opponents: int, trump: int) -> int:
    """Write the features of a card held, by its index; return its kind."""
    card = scratch.cards[index]
    count = size_of(hand)
    out = size_of(unseen)
    share = min(opponents * count / out, 1.0) if out else 0.0
    features = scratch.features
    features[0] = 1.0
    features[1] = opponents - 3.0
    features[2] = share * wizards_in(unseen) / opponents
    features[3] = 1.0 / count
    features[4] = np.log(float(count))
    for feature in range(5, len(_FEATURES)):
        features[feature] = 0.0
    if card >= WIZARD:
        return _WIZARDS if card == WIZARD else _JESTERS
    suit = suit_of(card)
    rank = rank_of(card)
    others = (unseen >> NUM_RANKS * suit) & RANK_BITS
    own = (hand >> NUM_RANKS * suit) & RANK_BITS
    above = share * count_bits(others >> rank)
    of_suit = share * count_bits(others) / opponents
    features[5] = above
    features[6] = np.sqrt(above)
    features[7] = of_suit
    features[8] = count_bits(own)
    features[9] = count_bits(own >> rank) - 1.0
    if suit == trump:
        return _TRUMPS
    if trump != NO_SUIT:
        trumps = share * count_bits((unseen >> NUM_RANKS * trump) & RANK_BITS) / opponents
        features[10] = trumps
        features[11] = trumps / (of_suit + 0.5)
    return _PLAIN


@compiled
def chance_now(state: State, card: int, unseen: int) -> float:
    """Estimate the chance that a card wins the current trick.

    Each player to come is assumed to hold unseen cards independently of the others, and to beat the card
    as often as _HIGHER_... and _RUFF_... say if it can. Wizards are assumed to be kept for other tricks.
    """
    if power_in_trick(state, card) <= state.best_power:
        return 0.0
    if card == WIZARD:
        return 1.0
    out = size_of(unseen)
    to_come = int(state.num_players) - int(state.trick_size) - 1
    if to_come == 0 or out == 0:
        return 1.0
    if card == JESTER:
        return _power(jesters_in(unseen) / out, to_come)
    suit = suit_of(card)
    trump = int(state.trump)
    led_suit = suit if state.led_suit == UNDECIDED else int(state.led_suit)
    cards = size_of(state.hands[state.seat])
    above = count_bits(((unseen >> NUM_RANKS * suit) & RANK_BITS) >> rank_of(card)) / out
    has_above = 1 - _power(1 - above, cards)
    lacks_led = 1.0
    if led_suit != NO_SUIT:
        lacks_led = _power(1 - count_bits((unseen >> NUM_RANKS * led_suit) & RANK_BITS) / out, cards)
    has_trump = 0.0
    if trump != NO_SUIT:
        has_trump = 1 - _power(1 - count_bits((unseen >> NUM_RANKS * trump) & RANK_BITS) / out, cards)
    chance = 1.0
    seat, public = int(state.seat), bids_are_public(state)
    for _ in range(to_come):
        seat = left_of(state, seat)
        needs_tricks = public and state.bids[seat] > state.tricks_won[seat]
        higher = _HIGHER_IF_WANTED if needs_tricks else _HIGHER_IF_NOT
        ruff = _RUFF_IF_WANTED if needs_tricks else _RUFF_IF_NOT
        voids = int(state.voids[seat])
        lacks = 1.0 if led_suit == NO_SUIT or (voids >> led_suit) & 1 else lacks_led
        above_here = 0.0 if (voids >> suit) & 1 else has_above
        if suit == trump:
            chance *= 1 - ruff * above_here * (1.0 if led_suit == trump else lacks)
        else:
            trump_here = 0.0 if trump == NO_SUIT or (voids >> trump) & 1 else has_trump
            chance *= (1 - higher * above_here) * (1 - ruff * lacks * trump_here)
    return chance


@compiled
def _distribute(scratch: Scratch, count: int, without: int) -> None:
    """Write the distribution of the tricks that the cards win to `tricks`, leaving out card `without`."""
    tricks = scratch.tricks
    tricks[0] = 1.0
    most = 0
    for index in range(count):
        if index == without:
            continue
        chance = scratch.chances[index]
        tricks[most + 1] = tricks[most] * chance
        for number in range(most, 0, -1):
            tricks[number] = tricks[number] * (1 - chance) + tricks[number - 1] * chance
        tricks[0] *= 1 - chance
        most += 1


@compiled
def _list_cards(hand: int, scratch: Scratch) -> int:
    """Write the cards of a hand; return their number."""
    count = 0
    suited = hand & SUIT_CARDS
    while suited:
        scratch.cards[count] = lowest_bit(suited)
        suited &= suited - 1
        count += 1
    for _ in range(wizards_in(hand)):
        scratch.cards[count] = WIZARD
        count += 1
    for _ in range(jesters_in(hand)):
        scratch.cards[count] = JESTER
        count += 1
    return count


@compiled
def _sigmoid(odds: float) -> float:
    return 1.0 / (1.0 + np.exp(-odds))


@compiled
def _power(base: float, exponent: int) -> float:
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@kernel([STATE], [np.int64])
def _act(states: Any, actions: Any) -> None:
    scratch = np.empty(1, SCRATCH)
    for index in range(len(states)):
        actions[index] = greedy_action(states[index], scratch[0])
