"""The JSON that browsers draw a table from, for games in progress and for games under review."""

from dataclasses import asdict
from typing import Any

from wizard_env import ACTIONS
from wizard_env.play.session import Session

SHOWN_EVENTS = 40
"""The latest events that are sent."""


def table_json(session: Session, seat: int | None) -> dict[str, Any]:
    """Everything that a seat may know, ready for JSON. None shows everything, without legal actions."""
    scene, trick = session.look(seat), session.last_trick
    acts = seat is not None and scene.seats[seat].acts
    return {
        "you": seat,
        "scene": asdict(scene)
        | {"rules": scene.rules.to_dict(), "pad": [(n, scored._asdict()) for n, scored in scene.pad]},
        "legal": [ACTIONS[action] for action in session.game.legal_actions()] if acts else [],
        "last_trick": None if trick is None else asdict(trick),
        "decisions": len(session.events),
        "events": [
            asdict(event) | {"action": event.action_for(seat, session.game.rules)}
            for event in session.events[-SHOWN_EVENTS:]
        ],
    }
