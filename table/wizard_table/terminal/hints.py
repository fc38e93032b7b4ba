"""Hints in words."""

from collections.abc import Iterator

from wizard_env.evaluation.advice import Advice
from wizard_env.words import action_text
from wizard_table.reasons import explain
from wizard_table.translation import points_text, t


def narrate_advice(advice: Advice) -> Iterator[str]:
    """Yield a line for each action, the best first, and one with the reasons."""
    names = [action_text(one.action, t) for one in advice.choices]
    width = max(map(len, names))
    for one, name in zip(advice.choices, names, strict=True):
        chance = t("meets the bid: {percent}", percent=f"{one.met:>4.0%}")
        points = t("{points} points", points=f"{points_text(one.points, 1):>5}")
        yield f"{name:<{width}}  {chance}  {points}"
    yield explain(advice)
