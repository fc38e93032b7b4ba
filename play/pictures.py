"""Pictures: what a browser is shown of a table, of one that is played or of one that was."""

from dataclasses import asdict
from typing import Any

from play.table import Table
from wizard_env import ACTIONS

SHOWN_EVENTS = 40
"""So many of the last events a picture tells."""


def picture(table: Table, seat: int | None) -> dict[str, Any]:
    """All that a seat may know, as JSON has it; None shows everything, and acts for nobody."""
    scene, trick = table.look(seat), table.last_trick
    acts = seat is not None and scene.seats[seat].acts
    return {
        "you": seat,
        "scene": asdict(scene)
        | {"rules": scene.rules.to_dict(), "pad": [(n, scored._asdict()) for n, scored in scene.pad]},
        "legal": [ACTIONS[action] for action in table.game.legal_actions()] if acts else [],
        "last_trick": None if trick is None else asdict(trick),
        "decisions": len(table.events),
        "events": [
            asdict(event) | {"action": event.action_for(seat, table.game.rules)}
            for event in table.events[-SHOWN_EVENTS:]
        ],
    }
