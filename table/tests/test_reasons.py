"""Reasons in sentences."""

import pytest
from wizard_table.reasons import explain, sentence
from wizard_table.translation import LANGUAGES, use_language

from wizard_env.evaluation.advice import ActionAdvice, Advice
from wizard_env.evaluation.reasons import Reason, Why

TWO_WIZARDS = "Likely to win: 2\u00a0\u00d7\u00a0Wizard, and 1 of your other cards."
SAID = {
    Reason(Why.KEEPS, "play 7D", ("JE",)): "7♦ keeps your Jester for later.",
    Reason(Why.WINS, "play WI", count=1): "Wizard should win the trick that you still need.",
    Reason(Why.WINS, "play TS", count=2): "10♠ should win one of the 2 tricks that you still need.",
    Reason(Why.LOSES, "play 2C"): "2♣ should lose this trick.",
    Reason(Why.EXCEEDS, "play AS"): "A♠ should win one trick more than you bid.",
    Reason(Why.TOO_MANY, "play JE"): "With Jester you are likely to win too many tricks.",
    Reason(Why.TOO_FEW, "play 2H"): "With 2♥ you are likely to win too few tricks.",
    Reason(Why.NO_WINNER, "bid 0"): "None of your cards is likely to win a trick.",
    Reason(Why.WINNERS, "bid 2", ("AS", "WI")): "Likely to win: A♠ and Wizard.",
    Reason(Why.WINNERS, "bid 3", ("WI", "WI"), 1): TWO_WIZARDS,
    Reason(Why.WINNERS, "trump S", ("KS", "AS")): "Likely to win: K♠ and A♠.",
    Reason(Why.TOO_MANY, "bid 0"): "A bid of 0 is likely to be too low.",
    Reason(Why.TOO_FEW, "bid 4"): "A bid of 4 is likely to be too high.",
}


@pytest.mark.parametrize(("reason", "said"), SAID.items())
def test_every_reason_has_a_sentence(reason: Reason, said: str) -> None:
    assert sentence(reason) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_differ_in_every_language(language: str) -> None:
    """The sentence names the cards and numbers of its reason."""
    use_language(language)
    try:
        found = [sentence(reason) for reason in SAID]
    finally:
        use_language("en")
    assert len({*found}) == len(SAID)
    assert "10♠" in found[2]
    assert "2" in found[2]


def advice(*good: bool) -> Advice:
    """Advice on bids, from 0 on, with reasons for and against the first two."""
    first, second = Reason(Why.NO_WINNER, "bid 0"), Reason(Why.TOO_FEW, "bid 1")
    choices = [
        ActionAdvice(f"bid {bid}", 0, 0, 0, 0, as_good, {0: first, 1: second}.get(bid))
        for bid, as_good in enumerate(good)
    ]
    return Advice(choices, 0)


def test_only_a_choice_without_an_equal_is_the_best() -> None:
    nothing, high = SAID[Reason(Why.NO_WINNER, "bid 0")], "A bid of 1 is likely to be too high."
    assert explain(advice(True, False)) == f"Best: bid 0. {nothing} {high}"
    assert explain(advice(True, True, False)) == f"About equally good: bid 0 and 1. {nothing}"
    assert explain(advice(True, True)) == f"All choices are about equally good. {nothing}"
    assert explain(advice(*[True] * 5, False)) == f"Many choices are about equally good. {nothing}"
