"""Answers of language models: find the action in them, and say why it cannot be taken."""

import re
from functools import cache

from wizard_env import ACTIONS, Game
from wizard_env.actions import Refusal
from wizard_env.checks import quoted
from wizard_env.engine import why_illegal
from wizard_env.llm.text import answer_text, legal_text
from wizard_env.words import card_text, drop_selectors, hand_text, seat_text, suit_name

LONGEST_ANSWER = 100_000
"""Characters of an answer that are read, from its end."""

_NAMED = r"(?<!\w)({})(?!\w)([^\w\s]\d)?"
"""A named action, and what follows it in a longer number, as in "bid 1.5" or "bid 1-2"."""
_MARKS = " \t\r\n`'\"*"


class AnswerError(ValueError):
    """An answer without a legal action; its text says why, and which actions are legal.

    kind: "unreadable" if the answer names no action, "illegal" if the rules do not allow the one it names.
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


def read_answer(answer: str, game: Game) -> int:
    """Return the id of the legal action that an answer names.

    The last action named in the answer counts, in upper or lower case: its name, as in "play TS", or its
    words, as in "play 10♠", "trump hearts" or "play Wizard". The choice alone is enough if nothing else is
    said, as in "10♠" or "2". A fraction or a range, as in "bid 1.5", names no action.

    Raises AnswerError if it names none, or none that is legal; ValueError if the game is over.
    """
    legal = legal_text(game)
    action = _find_action(answer[-LONGEST_ANSWER:], game.phase)
    if action is None:
        reason = f"The answer {quoted(answer)} names no action."
        raise AnswerError(f"{reason} {legal}", "unreadable")
    refusal = _why_not(game, action)
    if refusal is not None:
        raise AnswerError(f"{refusal} {legal}", "illegal")
    return action


def _find_action(answer: str, phase: str) -> int | None:
    text, names = drop_selectors(answer).casefold(), _names()
    alone = text.lstrip(_MARKS).rstrip(f"{_MARKS}.")
    if (named := names.get(f"{phase} {alone}")) is not None:
        return named
    found = _pattern().findall(" ".join(text.split()))
    name, longer = found[-1] if found else ("", "")
    return None if longer else names.get(name)


@cache
def _names() -> dict[str, int]:
    """Return the id of each action by its names, in small letters."""
    names = {}
    for action, name in enumerate(ACTIONS):
        verb, what = name.split()
        words = {name, answer_text(name), *(f"{verb} {form}" for form in _forms(verb, what))}
        names.update(dict.fromkeys(map(str.casefold, words), action))
    return names


def _forms(verb: str, what: str) -> list[str]:
    """Return the spellings of the choice in an action."""
    if verb == "trump":
        return [what, suit_name(what)]
    if verb == "bid":
        return [what]
    if what in ("WI", "JE"):
        return [what, "Wizard" if what == "WI" else "Jester"]
    return [what, what.replace("T", "10"), card_text(what), f"{what[0]}{card_text(what)[-1]}"]


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_names(), key=len, reverse=True)
    return re.compile(_NAMED.format("|".join(map(re.escape, names))))


def _why_not(game: Game, action: int) -> str | None:
    """Return the reason why the seat that acts may not take an action; None if it may."""
    refusal = why_illegal(game.state[0], action)
    if refusal is None:
        return None
    hand = game.hands[game.acting_seat]
    led = [card for card in hand if card[1] == game.led_suit]
    reason = {
        Refusal.NOT_A_TRUMP: "the trump must be named",
        Refusal.NOT_A_BID: f"a bid from 0 to {game.hand_size} is needed",
        Refusal.FORBIDDEN_BID: "the last bidder may not bid that: with it, the bids add up to "
        f"{game.total_with(action)}",
        Refusal.NOT_A_CARD: "a card must be played",
        Refusal.NOT_HELD: f"its hand is {hand_text(hand)}",
        Refusal.MUST_FOLLOW: f"it must follow suit with {hand_text(led)}, or play a Wizard or a Jester",
    }[refusal]
    choice = answer_text(ACTIONS[action])
    return f"{seat_text(game.acting_seat)} may not answer “{choice}”: {reason}."
