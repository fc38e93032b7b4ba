"""Reviewing games that were played, decision by decision, with what agents think of each."""

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from wizard_env import ACTIONS, Agent, Game
from wizard_env.play.session import Session
from wizard_env.play.web.table_json import table_json
from wizard_env.records.game_record import replay

KEPT = 16
"""So many games that were read last are not read again."""


def show(record: str, decisions: int) -> dict[str, Any]:
    """The picture of a game after so many decisions, all hands seen, and what was decided next.

    Raises:
        RecordError: this is no record, or tells of a game that the rules do not allow.
        ValueError: the game has fewer decisions.
    """
    game = _read(record)
    session = Session.of_record(game, decisions)
    return table_json(session, None) | {
        "names": [f"seat {seat + 1}" for seat in range(game.rules.num_players)],
        "legal": [ACTIONS[action] for action in session.game.legal_actions()],
        "chosen": ACTIONS[game.history[decisions]] if decisions < len(game.history) else None,
        "first_decisions": _first_decisions(record),
        "num_decisions": len(game.history),
    }


def opinion(record: str, decisions: int, agent: Agent) -> dict[str, Any]:
    """What an agent thinks of a decision, knowing what its seat knew; raises as `show` does."""
    return asdict(Session.of_record(_read(record), decisions).advise(agent))


def judgement(record: str, round_number: int, agent: Agent, name: str) -> dict[str, Any]:
    """Where points were lost in a round; raises as `show` and `analyse` do."""
    from wizard_env.train.analysis import analyse

    return analyse(_read(record), agent, name, only=[round_number]).to_dict()


@lru_cache(KEPT)
def _read(record: str) -> Game:
    return replay(record)


@lru_cache(KEPT)
def _first_decisions(record: str) -> list[int]:
    """For each round how many decisions went before it."""
    first: dict[int, int] = {}
    for number, (twin, action) in enumerate(_read(record).retrace()):
        first.setdefault(twin.round_number, number)
        twin.step(action)
    return list(first.values())
