"""The parameters of the game in OpenSpiel: their defaults, and how they are read."""

from collections import Counter
from typing import Any

import numpy as np

from wizard_env.cards import CARD_NAMES, COPIES, NUM_KINDS, card_id
from wizard_env.checks import quoted
from wizard_env.engine import cards_dealt
from wizard_env.rules import Rules
from wizard_env.state import STATE, write_rules

RETURNS = ("points", "lead")
CHANCE = ("explicit", "sampled")
DRAWN = -1
"""The parameter `dealer` of a game that draws its first dealer."""
_SEPARATOR = ";"
DEFAULTS: dict[str, Any] = {
    "players": 4,
    "hand_sizes": "",
    "bid_restriction": "free",
    "bid_reveal": "open",
    "magic_edition": False,
    "dealer": DRAWN,
    "deck": "",
    "upcard": "",
    "returns": "points",
    "chance": "explicit",
    "rng_seed": 0,
}


def parse_sizes(sizes: str) -> tuple[int, ...] | None:
    """Return the hand sizes of the rounds; None for a whole game."""
    try:
        return tuple(int(size) for size in sizes.split(_SEPARATOR) if size.strip()) or None
    except ValueError:
        raise ValueError(f'hand_sizes={quoted(sizes)}: allowed are hand sizes as in "1;2", or ""') from None


def parse_deck(deck: str) -> tuple[int, ...]:
    """Return how many cards of each kind the deck holds."""
    names = [name.strip() for name in deck.split(_SEPARATOR) if name.strip()]
    counts = Counter(map(card_id, names))
    for card, count in counts.items():
        if count > COPIES[card]:
            raise ValueError(f"deck={quoted(deck)}: {count} copies of {CARD_NAMES[card]}, not {COPIES[card]}")
    return tuple(counts[card] for card in range(NUM_KINDS)) if names else COPIES


def parse_upcard(upcard: str, deck: tuple[int, ...]) -> tuple[int, ...]:
    """Return the card that is turned up in every round, if one is given."""
    if not upcard:
        return ()
    card = card_id(upcard)
    if not deck[card]:
        raise ValueError(f"upcard={quoted(upcard)}: the deck has no such card")
    return (card,)


def write_params(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters that the game's own name, as OpenSpiel writes and reads it, gives back."""
    for name in ("hand_sizes", "deck"):
        if params.get(name, "") and _SEPARATOR not in params[name]:
            params[name] += _SEPARATOR
    return params


def count_dealt(rules: Rules, hand_size: int) -> int:
    """Return the number of cards that a round deals, the upcard included."""
    states = np.zeros(1, STATE)
    write_rules(rules, states)
    states["hand_size"] = hand_size
    return cards_dealt(states[0])
