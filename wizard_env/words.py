"""The words of the game: cards, suits, seats, actions and rules as people read them.

The functions take a translation; without one they answer in English.
"""

from collections.abc import Sequence
from typing import Protocol

from wizard_env.cards import SUITS
from wizard_env.rules import Rules

SUIT_SYMBOLS = dict(zip(SUITS, "♠♥♦♣", strict=True))
_SELECTORS = str.maketrans("", "", "\ufe0e\ufe0f")


class Translate(Protocol):
    """A translation of English texts."""

    def __call__(self, text: str, plural: str | None = None, /, **values: object) -> str:
        """Return a text whose placeholders take values, as in `t("seat {number}", number=3)`.

        With `plural`, the form for `count` things, which is among the values.
        """


def english(text: str, plural: str | None = None, /, **values: object) -> str:
    """Return a text as it is, see `Translate`."""
    return (text if plural is None or values["count"] == 1 else plural).format_map(values)


def suit_name(suit: str, t: Translate = english) -> str:
    """Return a suit in words, as in "spades"."""
    return {"S": t("spades"), "H": t("hearts"), "D": t("diamonds"), "C": t("clubs")}[suit]


def card_text(card: str) -> str:
    """Return a card as people write it, as in 10♠; Wizards are WI and Jesters JE."""
    if card in ("WI", "JE"):
        return card
    return f"{card[0].replace('T', '10')}{SUIT_SYMBOLS[card[1]]}"


def drop_selectors(text: str) -> str:
    """Return a text without the invisible characters by which a suit is drawn as an emoji or as text."""
    return text.translate(_SELECTORS)


def count_cards(count: int, t: Translate = english) -> str:
    """Return a number of cards in words."""
    return t("{count} card", "{count} cards", count=count)


def hand_text(hand: Sequence[str]) -> str:
    """Return cards as people write them, in a row."""
    return " ".join(map(card_text, hand))


def seat_text(seat: int, t: Translate = english) -> str:
    """Return a seat in words, counted from 1."""
    return t("seat {number}", number=seat + 1)


def label_seats(count: int, players: Sequence[str | None] | None, t: Translate = english) -> list[str]:
    """Return seats in words, each with the name of its player if that is known."""
    names = players or [None] * count
    return [seat_text(seat, t) + (f" ({name})" if name else "") for seat, name in enumerate(names)]


def choice_text(action: str, t: Translate = english) -> str:
    """Return the choice in an action: a card as in 10♠, the number of a bid, the name of a suit."""
    verb, what = action.split()
    if verb == "play":
        return card_text(what)
    return suit_name(what, t) if verb == "trump" else what


def action_text(action: str, t: Translate = english) -> str:
    """Return an action in words: a card, "bid 3", "bid hidden" for a hidden one, "hearts as trump"."""
    if action == "bid":
        return t("bid hidden")
    if action.startswith("play"):
        return choice_text(action, t)
    if action.startswith("bid"):
        return t("bid {number}", number=choice_text(action, t))
    return t("{suit} as trump", suit=choice_text(action, t))


def bid_text(bid: int | None, t: Translate = english) -> str:
    """Return a bid in words; None is a bid that has not been made."""
    return t("no bid") if bid is None else t("bid {number}", number=bid)


def rules_text(rules: Rules, t: Translate = english) -> str:
    """Return the options of a game, in words; a restriction that has none is shown by its name."""
    restrictions = {
        "free": t("free bids"),
        "no_even": t("bids must not add up to the tricks"),
        "leader": t("leader's rule"),
        "canadian": t("Canadian rule"),
    }
    reveals = {"open": t("open bids"), "simultaneous": t("simultaneous bids"), "secret": t("secret bids")}
    edition = [t("Magic Edition")] if rules.magic_edition else []
    restriction = restrictions.get(rules.bid_restriction, rules.bid_restriction)
    return ", ".join([restriction, reveals[rules.bid_reveal], *edition])


def join_names(names: Sequence[str], t: Translate = english) -> str:
    """Return names in a row, as in "a, b and c"."""
    *others, last = names
    return t("{names} and {last}", names=", ".join(others), last=last) if others else last
