"""Costly answers are computed outside the event loop, where nobody else waits for them."""

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web.access.addresses import Addresses
from wizard_table.web.duplicate import endpoints as match_endpoints
from wizard_table.web.judging import judgements
from wizard_table.web.server import make_app
from wizard_table.web.study import review
from wizard_table.web.tables import endpoints as table_endpoints
from wizard_table.web.tables.agents import Agents
from wizard_table.web.tables.setup import Setup
from wizard_table.web.tables.store import Store
from wizard_table.web.tables.table import Table
from wizard_table.web.tables.tables import Tables
from wizard_table.web.tables.transitions import TableState

from table.tests.web.seats import browser, play_to_the_end, sit_down
from wizard_env import Rules
from wizard_env.session import Session

JUDGE = "search:worlds=2"
COSTLY: list[tuple[Any, str]] = [
    (Session, "take_back"),
    (Session, "advise"),
    (Session, "of_record"),
    (Addresses, "invite"),
    (Store, "of_match"),
    (Tables, "_restore"),
    (table_endpoints, "record"),
    (match_endpoints, "list_results"),
    (match_endpoints, "compare_stored"),
    (review, "replay"),
    (judgements, "judge"),
]
"""Functions that take long for long games, or that are asked often."""


def test_the_event_loop_computes_nothing_costly(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A game with hints and taken back moves, its match, its review and its judgement."""
    called: dict[str, bool] = {}

    def watched(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                called.setdefault(name, False)
            else:
                called[name] = True
            return function(*arguments, **options)

        return call

    for owner, name in COSTLY:
        function = getattr(owner, name)
        replaced = watched(function, name)
        monkeypatch.setattr(owner, name, staticmethod(replaced) if name == "of_record" else replaced)
    database = tmp_path / "tables.sqlite"
    with browser(make_app(database, ["random", JUDGE])) as client:
        seat, opened = sit_down(client, [None, "random", "random"], hand_sizes=[1, 2])
        path, token = f"/tables/{opened['table']}", {"token": opened["token"]}
        view = seat.wait_for_turn()
        seat.say(kind="hint", agent=JUDGE)
        seat.hear("hint")
        seat.act(view, view["legal"][0])
        while not seat.hear()["can_take_back"]:
            pass
        seat.say(kind="take_back")
        seat.acted = -1
        play_to_the_end(seat, np.random.default_rng(0))
        line = ask(client, "GET", f"{path}/record").text
        ask(client, "POST", f"{path}/share", **token)
        match = ask(client, "POST", f"{path}/match", **token).json()["match"]
        ask(client, "GET", f"{path}/invitation")
        ask(client, "GET", f"/matches/{match}")
        ask(client, "POST", f"{path}/comparison", **token)
        asked = {"round_number": 1, "agent": JUDGE}
        ask(client, "POST", f"{path}/judgement", **asked)
        ask(client, "POST", "/records/judgement", record=line, **asked)
        for kind in ("moment", "decision"):
            ask(client, "POST", f"/records/{kind}", record=line, decisions=1)
        ask(client, "POST", "/records/assessment", record=line, decisions=1, agent=JUDGE)
    with browser(make_app(database, ["random", JUDGE])) as client:
        ask(client, "GET", path)
    assert called == {name: False for _, name in COSTLY}


def ask(client: TestClient, method: str, path: str, **message: Any) -> Any:
    answer = client.request(method, path, json=message if method == "POST" else None)
    assert answer.status_code == 200, answer.text
    return answer


def test_judgements_that_nobody_awaits_are_dropped() -> None:
    """A judgement is dropped only when every client that asked for it has left."""
    dropped: list[str] = []

    class Waiting(Agents):
        def check_judge(self, name: str) -> None:
            pass

        async def ask(self, name: str, question: Any, client: str, costly: bool = False) -> Any:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                dropped.append(client)
                raise

    async def run() -> None:
        kept = judgements.Judgements(Waiting([], lambda name: None))  # type: ignore[arg-type,return-value]
        table = finished_table()
        first, second = (asyncio.create_task(kept.of(table, 1, JUDGE, name)) for name in ("a", "b"))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.sleep(0.01)
        assert dropped == []
        second.cancel()
        await asyncio.sleep(0.01)
        assert dropped == ["a"]
        assert kept.kept_of(table) == []

    asyncio.run(run())


def finished_table() -> Table:
    session = Session(Rules(3, hand_sizes=(1,)), [None] * 3, 7)
    while session.game.seat is not None:
        session.act(session.game.seat, session.game.legal_actions()[0])
    setup = Setup(session.game.rules, (None, None, None), 7)
    return Table("table", TableState(setup, session))
