"""Sessions that tests play."""

from typing import Any

from wizard_env import Rules
from wizard_env.session import Session

RULES = Rules(3, hand_sizes=(2, 4))
SHORT_RULES = Rules(3, hand_sizes=(1, 2))


def fresh(rules: Rules = RULES, seats: Any = (None, "heuristic", "random"), seed: int = 4) -> Session:
    """A session before its first action."""
    return Session(rules, seats, seed)


def session_of(rules: Rules = SHORT_RULES) -> Session:
    """A session for the terminal, with a person in seat 0."""
    return fresh(rules, seed=7)


def play_on(session: Session, actions: int = 10**6) -> Session:
    """Play up to a number of actions; people take their lowest legal action."""
    while session.game.seat is not None and len(session.events) < actions:
        if session.waits_for_an_agent:
            session.advance()
        else:
            session.act(session.game.acting_seat, session.game.legal_actions()[0])
    return session
