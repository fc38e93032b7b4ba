"""Review of played games, decision by decision."""

from functools import lru_cache
from typing import Any

from wizard_env import ACTIONS, Game
from wizard_env.records.game_records import replay
from wizard_env.session import Session
from wizard_table.translation import t
from wizard_table.web.tables.views import view_of

_KEPT = 16
"""Games that are kept so that they need not be replayed again; the least recently used is dropped."""


def show_moment(record: str, decisions: int) -> dict[str, Any]:
    """Show a game after a number of decisions, with open hands and the decision that came next.

    Raises RecordError for a record that is none or breaks the rules, ValueError if it has fewer decisions.
    """
    game, session = read(record), session_at(record, decisions)
    return view_of(session, None) | {
        "names": _names(game),
        "legal": [ACTIONS[action] for action in session.game.legal_actions()],
        "chosen": ACTIONS[game.history[decisions]] if decisions < len(game.history) else None,
        "first_decisions": _first_decisions(record),
        "num_decisions": len(game.history),
    }


def show_decision(record: str, decisions: int) -> dict[str, Any]:
    """Show a past moment to the seat that acted next. Raises as `show_moment`, and if the game was over."""
    session = session_at(record, decisions)
    if session.game.seat is None:
        raise ValueError(t("the game is over"))
    return view_of(session, session.game.seat) | {"names": _names(read(record))}


def session_at(record: str, decisions: int) -> Session:
    """Return a game as it was after a number of decisions. Raises as `show_moment` does."""
    return Session.of_record(read(record), decisions)


@lru_cache(_KEPT)
def read(record: str) -> Game:
    """Return the game of a record. Raises RecordError."""
    return replay(record)


def _names(game: Game) -> list[str]:
    """Return the players' names; numbered seats if the record has none."""
    return list(game.players or (f"seat {seat + 1}" for seat in range(game.rules.num_players)))


@lru_cache(_KEPT)
def _first_decisions(record: str) -> list[int]:
    """Return, for each round, the number of decisions before it."""
    first: dict[int, int] = {}
    for number, (moved, action) in enumerate(read(record).retrace()):
        first.setdefault(moved.round_number, number)
        moved.step(action)
    return list(first.values())
