"""Hints in words."""

import re

import pytest
from wizard_table.terminal.hints import narrate_advice
from wizard_table.translation import t

from tests.sessions import fresh, play_on
from wizard_env.agents import load
from wizard_env.agents.assessment import PlayerKind
from wizard_env.evaluation.advice import Advice, RecognisedSeat, advise
from wizard_env.narration import seat_names
from wizard_env.words import card_text, label_seats


@pytest.mark.parametrize("agent", ["champion+search:worlds=2", "heuristic"])
def test_advice_has_a_line_per_action_with_the_chance_of_meeting_the_bid(agent: str) -> None:
    """The percentage is the one that the browser shows, and the line says so."""
    session = play_on(fresh(), 4)
    advice, names = advise(load(agent), session.game), seat_names(session, 0, t)
    lines = list(narrate_advice(advice, names))
    assert len(lines) == len(advice.choices)
    for line, one in zip(lines, advice.choices, strict=True):
        assert line.startswith(card_text(one.action.split()[1]))
        assert re.search(rf"meets the bid: +{one.met:.0%}  ", line)
        assert line.endswith(f"{one.points:+.1f} points")
    assert list(narrate_advice(advice, names, 2)) == lines[:2]


RECOGNISED = [
    RecognisedSeat(0, PlayerKind.RULE_BASED, "high"),
    RecognisedSeat(1, PlayerKind.COPY, None),
    RecognisedSeat(2, PlayerKind.UNKNOWN, "low"),
    RecognisedSeat(3, PlayerKind.LEARNED, None),
]


def test_recognised_players_are_told() -> None:
    names = label_seats(4, None, t)
    assert list(narrate_advice(Advice([], 0, RECOGNISED), names)) == [
        "seat 1 plays like rule_based and bids high",
        "seat 2 plays like the adviser",
        "seat 3 has a style of their own and bids low",
        "seat 4 plays like a trained network",
    ]
