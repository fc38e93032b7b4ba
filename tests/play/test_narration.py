"""Narration: how a session is told to a seat."""

import re

import pytest

from tests.play.sessions import fresh, play_on
from wizard_env.agents import load
from wizard_env.agents.assessment import PlayerKind
from wizard_env.play.language.terms import card_text
from wizard_env.play.language.translation import use_language
from wizard_env.play.narration import (
    label_seats,
    narrate_advice,
    narrate_event,
    narrate_last_trick,
    seat_names,
)
from wizard_env.play.session import Advice, Event, RecognisedSeat


def test_events_and_tricks_are_told_with_names() -> None:
    session = fresh()
    assert seat_names(session, 0) == ["you", "seat 2 (heuristic)", "seat 3 (random)"]
    assert seat_names(session, None)[0] == "seat 1"
    assert narrate_last_trick(session, 0) == "no trick has been played yet"
    ended = Event(3, 1, "play TS", winner=0, points=(20, -10, 30))
    assert list(narrate_event(session, ended, 0)) == [
        "seat 2 (heuristic): 10♠",
        "  the trick goes to: you",
        "  round 3 is over: you +20, seat 2 (heuristic) -10, seat 3 (random) +30",
    ]
    play_on(session)
    trick = session.rounds[-1].tricks[-1]
    line = narrate_last_trick(session, None)
    assert [card_text(card) in line for card in trick.cards] == [True] * 3
    assert line.endswith(f"won by {seat_names(session, None)[trick.winner or 0]}")


@pytest.mark.parametrize("agent", ["champion+search:worlds=2", "heuristic"])
def test_advice_has_a_line_per_action_with_the_chance_of_meeting_the_bid(agent: str) -> None:
    """The percentage is the one that the browser shows, and the line says so."""
    session = play_on(fresh(), 4)
    advice, names = session.advise(load(agent)), seat_names(session, 0)
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
TOLD = {
    "en": [
        "seat 1 plays like rule_based and bids high",
        "seat 2 plays like the adviser",
        "seat 3 has a style of their own and bids low",
        "seat 4 plays like a trained network",
    ],
    "ca": [
        "seient 1 juga com «rule_based» i fa prediccions altes",
        "seient 2 juga com el conseller",
        "seient 3 té un estil propi i fa prediccions baixes",
        "seient 4 juga com una xarxa entrenada",
    ],
    "es": [
        "asiento 1 juega como «rule_based» y apuesta alto",
        "asiento 2 juega como el consejero",
        "asiento 3 tiene un estilo propio y apuesta bajo",
        "asiento 4 juega como una red entrenada",
    ],
    "pt": [
        "lugar 1 joga como «rule_based» e aposta alto",
        "lugar 2 joga como o conselheiro",
        "lugar 3 tem um estilo próprio e aposta baixo",
        "lugar 4 joga como uma rede treinada",
    ],
}


@pytest.mark.parametrize("language", TOLD)
def test_recognised_players_are_told_in_every_language(language: str) -> None:
    use_language(language)
    names = label_seats(4, None)
    assert list(narrate_advice(Advice([], 0, RECOGNISED), names)) == TOLD[language]
