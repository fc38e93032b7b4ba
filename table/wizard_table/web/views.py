"""The JSON that browsers draw a table from, for games in progress and for games under review."""

from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from wizard_env import ACTIONS, Agent, Game, Round
from wizard_env.evaluation.advice import advise
from wizard_env.records.game_records import replay
from wizard_env.render.scene import Scene
from wizard_env.session import Session
from wizard_table.reasons import explain, sentence
from wizard_table.translation import t

_LATEST_EVENTS = 6
"""The latest events that are sent: screen readers read them out."""
_KEPT = 16
"""Games of records that are kept, so that they need not be replayed again."""
NOBODY = -1
"""Stands for a person without a seat, who sees what is public."""


def view_of(session: Session, seat: int | None) -> dict[str, Any]:
    """Return everything that a seat may know, ready for JSON.

    NOBODY knows what is public: no hand, and no bid that is still hidden from one of the seats. None shows
    everything. Both are without legal actions.
    """
    scene = _public_scene(session) if seat == NOBODY else session.game.scene(seat)
    trick, game, latest = session.last_trick, session.game, session.events[-_LATEST_EVENTS:]
    acts = seat is not None and seat != NOBODY and scene.seats[seat].acts
    return {
        "you": None if seat == NOBODY else seat,
        "scene": vars(scene)
        | {
            "rules": scene.rules.to_dict(),
            "pad": [(number, _without_cards(scored)) for number, scored in scene.pad],
            "seats": [vars(one) | {"win_probability": round(one.win_probability, 3)} for one in scene.seats],
            "leader": None if game.seat is None else int(game.state["leader"][0]),
        },
        "legal": [ACTIONS[action] for action in game.legal_actions()] if acts else [],
        "last_trick": None if trick is None else asdict(trick),
        "decisions": len(session.events),
        "events": [vars(event) | {"action": event.action_for(scene)} for event in latest],
    }


def before_the_game(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view while seats are open: nobody acts, no card is shown, and the phase is "waiting"."""
    unseen = {"hand": None, "cards_held": 0, "deals": False, "acts": False}
    scene = view["scene"]
    hidden = {"phase": "waiting", "dealer": None, "leader": None, "upcard": None, "trump": None}
    return view | {
        "legal": [],
        "scene": scene | hidden | {"seats": [seat | unseen for seat in scene["seats"]]},
    }


def _without_cards(scored: Round) -> dict[str, Any]:
    """Return a row of the score pad. The page shows no cards of earlier rounds, and messages stay short."""
    return {name: value for name, value in scored._asdict().items() if name not in ("upcard", "plays")}


def _public_scene(session: Session) -> Scene:
    """Return what everyone at a table may see: each seat as its left neighbour sees it."""
    players = session.game.rules.num_players
    seen = [session.game.scene((seat + 1) % players) for seat in range(players)]
    return replace(seen[0], observer=None, seats=tuple(seen[seat].seats[seat] for seat in range(players)))


def show_advice(agent: Agent, game: Game) -> dict[str, Any]:
    """Return an agent's advice to the acting seat, see `messages` and `advise`, with reasons in words.

    Raises ValueError if the game is over.
    """
    advice = advise(agent, game)
    choices = [
        {name: value for name, value in vars(one).items() if name != "reason"}
        | {"why": sentence(one.reason) if one.reason else ""}
        for one in advice.choices
    ]
    return {"choices": choices, "value": advice.value, "why": explain(advice)}


# --- records


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
