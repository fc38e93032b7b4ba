"""Narration: how a session is told to a seat."""

from tests.play.sessions import fresh, play_on
from wizard_env.agents import load
from wizard_env.play.language.terms import card_text
from wizard_env.play.narration import narrate_advice, narrate_event, narrate_last_trick, seat_names
from wizard_env.play.session import Event


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


def test_advice_has_a_line_per_action_and_one_for_the_round() -> None:
    session = play_on(fresh(), 4)
    advice, heuristic = session.advise(load("champion+search:worlds=2")), session.advise(load("heuristic"))
    lines = list(narrate_advice(advice))
    assert len(lines) == len(advice.choices) + 1
    assert lines[0].startswith(card_text(advice.choices[0].action.split()[1]))
    assert list(narrate_advice(advice, 2)) == [*lines[:2], lines[-1]]
    assert len(list(narrate_advice(heuristic))) == len(heuristic.choices)
