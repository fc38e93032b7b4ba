"""Narration: how a session is told to a seat."""

from tests.sessions import fresh, play_on
from wizard_env.narration import narrate_event, narrate_last_trick, seat_names
from wizard_env.session import Event
from wizard_env.words import card_text


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
