"""The words of the game in the language in use: cards, suits, seats and rules as people read them."""

from collections.abc import Sequence

from babel.lists import format_list
from babel.numbers import format_decimal

from wizard_env import Rules
from wizard_env.play.language.translation import LOCALES, language_in_use, t
from wizard_env.render.ansi import SUIT_SYMBOLS


def suit_name(suit: str) -> str:
    """Return a suit in words, as in "spades"."""
    return {"S": t("spades"), "H": t("hearts"), "D": t("diamonds"), "C": t("clubs")}[suit]


def card_text(card: str) -> str:
    """Return a card as people write it, as in 10♠; Wizards are WI and Jesters JE."""
    if card in ("WI", "JE"):
        return card
    return f"{card[0].replace('T', '10')}{SUIT_SYMBOLS[card[1]]}"


def seat_text(seat: int) -> str:
    """Return a seat in words, counted from 1."""
    return t("seat {number}", number=seat + 1)


def choice_text(action: str) -> str:
    """Return the choice in an action: a card as in 10♠, the number of a bid, the name of a suit."""
    verb, what = action.split()
    if verb == "play":
        return card_text(what)
    return suit_name(what) if verb == "trump" else what


def rules_text(rules: Rules) -> str:
    """Return the options of a game, in words."""
    restrictions = {
        "free": t("free bids"),
        "no_even": t("bids may not add up to the tricks"),
        "leader": t("leader's rule"),
        "canadian": t("Canadian rule"),
    }
    reveals = {"open": t("open bids"), "simultaneous": t("simultaneous bids"), "secret": t("secret bids")}
    edition = [t("Magic Edition")] if rules.magic_edition else []
    return ", ".join([restrictions[rules.bid_restriction], reveals[rules.bid_reveal], *edition])


def join_names(names: Sequence[str]) -> str:
    """Return names in a row, as in "a, b and c"."""
    return format_list(names, locale=LOCALES[language_in_use()])


def place_text(place: int, players: int) -> str:
    """Return a place among the players of a table, as in "2nd of 4"."""
    places = [
        t("1st of {players}", players=players),
        t("2nd of {players}", players=players),
        t("3rd of {players}", players=players),
        t("4th of {players}", players=players),
        t("5th of {players}", players=players),
        t("6th of {players}", players=players),
    ]
    return places[place - 1]


def decimal_text(number: float) -> str:
    """Return a number with at most two digits after its decimal sign, as the language writes it."""
    return format_decimal(number, "0.##", LOCALES[language_in_use()])


def points_text(points: float, digits: int = 0) -> str:
    """Return points with their sign, as in +20, or with digits as in +12.5, as the language writes them."""
    pattern = "0." + "0" * digits if digits else "0"
    return format_decimal(points, f"+{pattern};-{pattern}", LOCALES[language_in_use()])
