"""Hints in words."""

import re

import pytest
from wizard_table.reasons import explain
from wizard_table.terminal.hints import narrate_advice

from tests.sessions import fresh, play_on
from wizard_env.agents import load
from wizard_env.evaluation.advice import advise
from wizard_env.words import card_text


@pytest.mark.parametrize("agent", ["champion+search:worlds=2", "heuristic"])
def test_advice_has_a_line_per_action_with_the_chance_of_meeting_the_bid(agent: str) -> None:
    """The percentage is the one that the browser shows, and the line says so."""
    session = play_on(fresh(), 4)
    advice = advise(load(agent), session.game)
    lines = list(narrate_advice(advice))
    assert lines.pop() == explain(advice)
    for line, one in zip(lines, advice.choices, strict=True):
        assert line.startswith(card_text(one.action.split()[1]))
        assert re.search(rf"meets the bid: +{one.met:.0%}  ", line)
        assert line.endswith(f"{one.points:+.1f} points")
