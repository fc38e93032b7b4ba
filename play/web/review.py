"""Reviewing played games decision by decision, with agents' assessments."""

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from wizard_env import ACTIONS, Agent, Game
from wizard_env.play.language.translation import t
from wizard_env.play.session import Session
from wizard_env.play.web.table_json import table_json
from wizard_env.records.game_records import replay

KEPT = 16
"""Games that are kept so that they need not be replayed again; the least recently used is dropped."""


def show(record: str, decisions: int) -> dict[str, Any]:
    """A game after a number of decisions, with all hands open and the decision that came next.

    Raises:
        RecordError: the text is not a record, or its game breaks the rules.
        ValueError: the game has fewer decisions.
    """
    game = read(record)
    session = Session.of_record(game, decisions)
    return table_json(session, None) | {
        "names": _names(record),
        "legal": [ACTIONS[action] for action in session.game.legal_actions()],
        "chosen": ACTIONS[game.history[decisions]] if decisions < len(game.history) else None,
        "first_decisions": _first_decisions(record),
        "num_decisions": len(game.history),
    }


def decision(record: str, decisions: int) -> dict[str, Any]:
    """A game after a number of decisions as the seat that acted next was shown it, and nothing else of it.

    Raises as `show` does, and ValueError if the game was over.
    """
    session = Session.of_record(read(record), decisions)
    if session.seat is None:
        raise ValueError(t("the game is over"))
    return table_json(session, session.seat) | {"names": _names(record)}


def assessment(record: str, decisions: int, agent: Agent) -> dict[str, Any]:
    """An agent's assessment of a decision, based on what its seat knew. Raises as `show` does."""
    return asdict(Session.of_record(read(record), decisions).advise(agent))


def _names(record: str) -> list[str]:
    """Who sat where; numbered seats if the record does not say."""
    game = read(record)
    return list(game.players or (f"seat {seat + 1}" for seat in range(game.rules.num_players)))


@lru_cache(KEPT)
def read(record: str) -> Game:
    """The game of a record. Raises RecordError."""
    return replay(record)


@lru_cache(KEPT)
def _first_decisions(record: str) -> list[int]:
    """For each round, the number of decisions before it."""
    first: dict[int, int] = {}
    for number, (twin, action) in enumerate(read(record).retrace()):
        first.setdefault(twin.round_number, number)
        twin.step(action)
    return list(first.values())
