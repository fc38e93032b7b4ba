"""Answers of language models: find the action in them, and say why it cannot be taken."""

import re
from functools import lru_cache

from wizard_env import ACTIONS, Game
from wizard_env.actions import Refusal
from wizard_env.checks.arguments import quoted
from wizard_env.engine import why_illegal
from wizard_env.play.language.terms import card_text, seat_text, suit_name
from wizard_env.play.language.translation import language_in_use, t
from wizard_env.play.llm.text import answer_text, legal_text
from wizard_env.play.narration import hand_text

LONGEST_ANSWER = 100_000
"""Characters of an answer that are read, from its end."""

_WORD = r"(?<!\w){}(?!\w)"


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
    said, as in "10♠" or "2".

    Raises AnswerError if it names none, or none that is legal; ValueError if the game is over.
    """
    legal = legal_text(game)
    action = _find_action(answer[-LONGEST_ANSWER:], game.phase, language_in_use())
    if action is None:
        reason = t("The answer {answer} names no action.", answer=quoted(answer))
        raise AnswerError(f"{reason} {legal}", "unreadable")
    refusal = _why_not(game, action)
    if refusal is not None:
        raise AnswerError(f"{refusal} {legal}", "illegal")
    return action


def _find_action(answer: str, phase: str, language: str) -> int | None:
    alone = answer.strip(" \t\r\n.`'\"*").casefold()
    names = _names(language)
    if (named := names.get(f"{phase} {alone}")) is not None:
        return named
    found = _pattern(language).findall(" ".join(answer.split()))
    return names[found[-1].casefold()] if found else None


@lru_cache
def _names(language: str) -> dict[str, int]:
    """Return the id of each action by its names, in small letters; `language` is the one in use."""
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
        return [what, t("Wizard") if what == "WI" else t("Jester")]
    return [what, what.replace("T", "10"), card_text(what), f"{what[0]}{card_text(what)[-1]}"]


@lru_cache
def _pattern(language: str) -> re.Pattern[str]:
    names = sorted(_names(language), key=len, reverse=True)
    return re.compile(_WORD.format(f"(?:{'|'.join(map(re.escape, names))})"), re.IGNORECASE)


def _why_not(game: Game, action: int) -> str | None:
    """Return the reason why the seat that acts may not take an action; None if it may."""
    refusal = why_illegal(game.state[0], action)
    if refusal is None:
        return None
    hand = game.hands[game.acting_seat]
    led = [card for card in hand if card[1] == game.led_suit]
    reason = {
        Refusal.NOT_A_TRUMP: t("the trump must be named"),
        Refusal.NOT_A_BID: t("a bid from 0 to {most} is needed", most=game.hand_size),
        Refusal.FORBIDDEN_BID: t("the bids would add up to the number of tricks"),
        Refusal.NOT_A_CARD: t("a card must be played"),
        Refusal.NOT_HELD: t("its hand is {cards}", cards=hand_text(hand)),
        Refusal.MUST_FOLLOW: t(
            "it must follow suit with {cards}, or play a Wizard or a Jester", cards=hand_text(led)
        ),
    }[refusal]
    choice = answer_text(ACTIONS[action])
    return t(
        "{seat} may not answer “{action}”: {reason}.",
        seat=seat_text(game.acting_seat),
        action=choice,
        reason=reason,
    )
