"""PlainTerminal: a game in lines of text, through pipes."""

import io

from tests.play.sessions import session_of
from wizard_env import ACTIONS, Rules
from wizard_env.agents import load
from wizard_env.play.session import Session
from wizard_env.play.terminal.lines import PlainTerminal


def play_plainly(session: Session, answers: str) -> str:
    shown = io.StringIO()
    PlainTerminal(session, 0, load("champion"), io.StringIO(answers), shown).run()
    return shown.getvalue()


def test_a_game_is_played_through_a_pipe() -> None:
    """The answers include every action there is: illegal ones are explained, and the question is repeated."""
    session = session_of()
    everything = "\n".join(action.split()[1] for action in ACTIONS)
    shown = play_plainly(session, f"{everything}\n" * 12)
    assert session.game.phase == "over"
    assert "Game over" in shown
    assert "may not" in shown
    assert shown.count("is over: you") == 2


def test_commands_at_the_prompt() -> None:
    shown = play_plainly(session_of(), "hint\nlast\nhelp\nback\nnonsense\nquit\n")
    for line in (
        "bid 0",
        "no trick has been played yet",
        "Type a card",
        "made no decision",
        "unknown action 'nonsense'",
    ):
        assert line in shown


def test_other_hands_and_hidden_bids_are_not_shown() -> None:
    session = session_of(Rules(3, hand_sizes=(5,), bid_reveal="secret"))
    shown = play_plainly(session, "0\n")
    held = [card for hand in session.game.hands[1:] for card in hand if card not in session.game.hands[0]]
    played = [card for trick in session.rounds[0].tricks for card in trick.cards]
    parts = shown.replace(",", " ").split()
    assert not {card for card in held if card not in ("WI", "JE")} & set(parts) - set(played)
    assert "seat 1 (heuristic): bid\n" in shown


def test_the_end_of_the_input_ends_the_session() -> None:
    session = session_of()
    play_plainly(session, "")
    assert session.game.phase == "bid"
