"""Advice in sentences: the best choice, and the reasons for it."""

from collections.abc import Iterable

from wizard_env.evaluation.advice import Advice
from wizard_env.evaluation.reasons import Reason, Why
from wizard_env.words import action_text, card_text, join_names
from wizard_table.translation import t

_TIMES = "{}\u00a0\u00d7\u00a0"
_FEW = 4
"""Choices that are named if they are equally good."""


def explain(advice: Advice) -> str:
    """Return the best choice, or those that are equally good, and the reasons, in a row of sentences."""
    return " ".join([_verdict(advice), *map(sentence, advice.reasons)])


def _verdict(advice: Advice) -> str:
    good = [one.action for one in advice.choices if one.as_good]
    if len(good) == 1:
        return t("Best: {choice}.", choice=_choice(good[0]))
    if len(good) == len(advice.choices):
        return t("All choices are about equally good.")
    if len(good) > _FEW:
        return t("Many choices are about equally good.")
    if all(action.startswith("bid") for action in good):
        bids = sorted(int(action.split()[1]) for action in good)
        choices = t("bid {number}", number=join_names(list(map(str, bids)), t))
    else:
        choices = join_names(list(map(_choice, good)), t)
    return t("About equally good: {choices}.", choices=choices)


def _choice(action: str) -> str:
    verb, what = action.split()
    return _name(what) if verb == "play" else action_text(action, t)


def sentence(reason: Reason) -> str:
    """Return a reason as a sentence."""
    verb, what = reason.action.split()
    if verb == "bid":
        return _sentence_on_bid(reason, what)
    if verb == "trump":
        return t("Likely to win: {cards}.", cards=_list_cards(reason.cards))
    card = _name(what)
    if reason.why == Why.WINS:
        return t(
            "{card} should win the trick that you still need.",
            "{card} should win one of the {count} tricks that you still need.",
            card=card,
            count=reason.count,
        )
    if reason.why == Why.KEEPS:
        return t("{card} keeps your {other} for later.", card=card, other=_name(reason.cards[0]))
    return {
        Why.LOSES: t("{card} should lose this trick.", card=card),
        Why.EXCEEDS: t("{card} should win one trick more than you bid.", card=card),
        Why.TOO_MANY: t("With {card} you are likely to win too many tricks.", card=card),
        Why.TOO_FEW: t("With {card} you are likely to win too few tricks.", card=card),
    }[reason.why]


def _sentence_on_bid(reason: Reason, bid: str) -> str:
    if reason.why == Why.WINNERS:
        cards = _list_cards(reason.cards)
        if reason.count == 0:
            return t("Likely to win: {cards}.", cards=cards)
        return t("Likely to win: {cards}, and {count} of your other cards.", cards=cards, count=reason.count)
    return {
        Why.NO_WINNER: t("None of your cards is likely to win a trick."),
        Why.TOO_MANY: t("A bid of {bid} is likely to be too low.", bid=bid),
        Why.TOO_FEW: t("A bid of {bid} is likely to be too high.", bid=bid),
    }[reason.why]


def _list_cards(cards: Iterable[str]) -> str:
    """Return cards as a list in words; a card held more than once has its number before it."""
    cards = list(cards)
    counted = {card: cards.count(card) for card in cards}
    names = [_TIMES.format(count) * (count > 1) + _name(card) for card, count in counted.items()]
    return join_names(names, t)


def _name(card: str) -> str:
    return {"WI": t("Wizard"), "JE": t("Jester")}.get(card) or card_text(card)
