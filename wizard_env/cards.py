"""The deck: 54 kinds of card, their names, and sets of cards packed into one integer.

A card is its kind, 0 to 53: suit * 13 + rank for the suit cards, then the Wizard and the Jester.
The four Wizards are alike, and so are the four Jesters, so a set of cards is an int64: one bit
for each suit card, and three bits each to count Wizards and Jesters. `+` joins disjoint sets, and `-`
removes a subset.
"""

from collections.abc import Iterable

import numpy as np

from wizard_env.checks import quoted
from wizard_env.compiled.bits import count_bits
from wizard_env.compiled.jit import at, compiled

SUITS = "SHDC"
RANKS = "23456789TJQKA"
NUM_SUITS = len(SUITS)
NUM_RANKS = len(RANKS)
NUM_SUIT_CARDS = NUM_SUITS * NUM_RANKS

WIZARD = NUM_SUIT_CARDS
JESTER = NUM_SUIT_CARDS + 1
NUM_KINDS = NUM_SUIT_CARDS + 2
COPIES = (1,) * NUM_SUIT_CARDS + (4, 4)
"""The number of cards of each kind in the deck."""
DECK_SIZE = sum(COPIES)

CARD_NAMES = (*(rank + suit for suit in SUITS for rank in RANKS), "WI", "JE")
_CARD_IDS = {name: card for card, name in enumerate(CARD_NAMES)}

_COUNT_BITS = 3
WIZARD_SHIFT = NUM_SUIT_CARDS
JESTER_SHIFT = WIZARD_SHIFT + _COUNT_BITS
SET_BITS = JESTER_SHIFT + _COUNT_BITS
"""The number of bits that a set of cards takes."""
COUNT = (1 << _COUNT_BITS) - 1
UNITS = np.array([1 << k for k in range(NUM_SUIT_CARDS)] + [1 << WIZARD_SHIFT, 1 << JESTER_SHIFT])
"""int64 [54]: the set of one card of each kind."""
RANK_BITS = (1 << NUM_RANKS) - 1
SUIT_SETS = np.array([RANK_BITS << NUM_RANKS * suit for suit in range(NUM_SUITS)])
"""int64 [4]: the set of all cards of each suit."""
_SUITS_OF = np.array([card // NUM_RANKS for card in range(NUM_KINDS)])
_RANKS_OF = np.array([card % NUM_RANKS for card in range(NUM_KINDS)])
SUIT_CARDS = (1 << NUM_SUIT_CARDS) - 1
SPECIALS = COUNT << WIZARD_SHIFT | COUNT << JESTER_SHIFT
DECK = sum(int(UNITS[card]) * COPIES[card] for card in range(NUM_KINDS))
"""The set of all 60 cards."""


def card_id(name: str) -> int:
    """Return the kind of the card called `name`, as in "TS", "WI" or "JE". Raises ValueError."""
    try:
        return _CARD_IDS[name]
    except (KeyError, TypeError):
        raise ValueError(
            f"unknown card {quoted(name)}: a card is a rank of {RANKS} and a suit of {SUITS}, or WI, or JE"
        ) from None


def pack(cards: Iterable[int]) -> int:
    """Return the set of the given cards."""
    return sum(int(UNITS[card]) for card in cards)


def unpack_cards(cards: int) -> list[int]:
    """List the cards of a set, in the order of the kinds, with repeats."""
    cards = int(cards)
    suit_cards = [card for card in range(NUM_SUIT_CARDS) if cards >> card & 1]
    return suit_cards + [WIZARD] * wizards_in(cards) + [JESTER] * jesters_in(cards)


def card_names(cards: int) -> list[str]:
    """List the names of the cards of a set."""
    return [CARD_NAMES[card] for card in unpack_cards(cards)]


@compiled
def suit_of(card: int) -> int:
    """Return the suit of a suit card, 0 to 3; 4 for a Wizard or a Jester, which belong to none."""
    return _SUITS_OF[at(card)]


@compiled
def rank_of(card: int) -> int:
    """Return the rank of a suit card: 0 for the 2, up to 12 for the Ace."""
    return _RANKS_OF[at(card)]


@compiled
def wizards_in(cards: int) -> int:
    """Count the Wizards in a set."""
    return (cards >> WIZARD_SHIFT) & COUNT


@compiled
def jesters_in(cards: int) -> int:
    """Count the Jesters in a set."""
    return (cards >> JESTER_SHIFT) & COUNT


@compiled
def kinds_of(cards: int) -> int:
    """Return the kinds in a set: bit k is on where it holds at least one card of kind k."""
    kinds = cards & SUIT_CARDS
    if wizards_in(cards):
        kinds |= 1 << WIZARD
    if jesters_in(cards):
        kinds |= 1 << JESTER
    return kinds


@compiled
def size_of(cards: int) -> int:
    """Return the number of cards in a set."""
    return count_bits(cards & SUIT_CARDS) + wizards_in(cards) + jesters_in(cards)


@compiled
def can_join(cards: int, more: int) -> bool:
    """Return whether `more` is a set of cards that the deck still holds when `cards` are taken from it."""
    if more >> SET_BITS or cards & more & SUIT_CARDS:
        return False
    wizards = wizards_in(cards) + wizards_in(more)
    return wizards <= COPIES[WIZARD] and jesters_in(cards) + jesters_in(more) <= COPIES[JESTER]
