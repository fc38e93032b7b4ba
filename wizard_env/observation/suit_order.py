"""Canonical suits: trump first, then the others by what the observer holds.

Wizard's suits differ only in name, so a learner that sees them in the observer's own order learns each
pattern once instead of 24 times. An order is packed into one integer: two bits per suit give its place.
"""

from wizard_env.actions import FIRST_PLAY, FIRST_TRUMP
from wizard_env.cards import NUM_RANKS, NUM_SUITS, RANK_BITS, SPECIALS, WIZARD, rank_of, suit_of
from wizard_env.compiled.bits import count_bits
from wizard_env.compiled.jit import compiled
from wizard_env.observation.seat_bytes import ONES
from wizard_env.state import NO_SUIT, State

PRINTED_ORDER = 0b11_10_01_00
"""Suits in their printed order: spades, hearts, diamonds, clubs."""


@compiled
def position_of(suit: int, order: int) -> int:
    """The place of a suit in an order; UNDECIDED and NO_SUIT stay unchanged."""
    if order == PRINTED_ORDER or suit < 0 or suit >= NO_SUIT:
        return suit
    return (order >> 2 * suit) & 3


@compiled
def canonical_order(state: State, observer: int) -> int:
    """Trump first, then the suits by how many cards `observer` holds, then by how high those are."""
    hand = state.hands[observer]
    order = 0
    for suit in range(NUM_SUITS):
        position = 0
        for other in range(NUM_SUITS):
            if _weight(state, hand, other) > _weight(state, hand, suit):
                position += 1
        order |= position << 2 * suit
    return order


@compiled
def _weight(state: State, hand: int, suit: int) -> int:
    """A sort key for suits; no two are equal."""
    ranks = (hand >> NUM_RANKS * suit) & RANK_BITS
    weight = (count_bits(ranks) << NUM_RANKS) | ranks
    if suit == state.trump:
        weight |= 1 << 2 * NUM_RANKS
    return weight * NUM_SUITS + (NUM_SUITS - 1 - suit)


@compiled
def reorder(cards: int, order: int) -> int:
    """A set of cards with its suits renamed by an order; the printed order costs no call."""
    return cards if order == PRINTED_ORDER else _reorder(cards, order)


@compiled
def _reorder(cards: int, order: int) -> int:
    renamed = cards & SPECIALS
    for suit in range(NUM_SUITS):
        ranks = (cards >> NUM_RANKS * suit) & RANK_BITS
        renamed |= ranks << NUM_RANKS * ((order >> 2 * suit) & 3)
    return renamed


@compiled
def reorder_suits(suits: int, order: int) -> int:
    """Sets of suits, one in each byte, renamed by an order."""
    return suits if order == PRINTED_ORDER else _reorder_suits(suits, order)


@compiled
def _reorder_suits(suits: int, order: int) -> int:
    renamed = 0
    for suit in range(NUM_SUITS):
        renamed |= ((suits >> suit) & ONES) << ((order >> 2 * suit) & 3)
    return renamed


@compiled
def reorder_card(card: int, order: int) -> int:
    """A card with its suit renamed by an order; NO_CARD, Wizard and Jester stay unchanged."""
    if order == PRINTED_ORDER or card < 0 or card >= WIZARD:
        return card
    return ((order >> 2 * suit_of(card)) & 3) * NUM_RANKS + rank_of(card)


@compiled
def reorder_action(action: int, order: int) -> int:
    """An action with its suit renamed by an order."""
    if action >= FIRST_PLAY:
        return FIRST_PLAY + reorder_card(action - FIRST_PLAY, order)
    if action >= FIRST_TRUMP:
        return FIRST_TRUMP + ((order >> 2 * (action - FIRST_TRUMP)) & 3)
    return action


@compiled
def printed_action(action: int, order: int) -> int:
    """An action in a given suit order, in the suits as printed."""
    return action if order == PRINTED_ORDER else reorder_action(action, inverse_order(order))


@compiled
def inverse_order(order: int) -> int:
    """The order that undoes another."""
    undo = 0
    for suit in range(NUM_SUITS):
        undo |= suit << 2 * ((order >> 2 * suit) & 3)
    return undo
