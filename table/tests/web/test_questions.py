"""Questions: bounded, dropped when nobody waits for the answer, and answered outside the event loop."""

import asyncio
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.translation import t, use_language
from wizard_table.web import endpoints, judgements, views
from wizard_table.web.addresses import Addresses
from wizard_table.web.agents import Agents, SharedAgent
from wizard_table.web.questions import BusyError, Questions
from wizard_table.web.readiness import Readiness
from wizard_table.web.server import make_app
from wizard_table.web.store import Store
from wizard_table.web.tables import Tables

from table.tests.web.seats import browser, play_to_the_end, sit_down
from wizard_env import Rules
from wizard_env.session import Session


def test_a_question_is_refused_in_the_language_of_its_client() -> None:
    def refuse() -> None:
        raise ValueError(t("the game is over"))

    async def run() -> None:
        questions = Questions("test", at_once=1, most=1)
        use_language("es")
        with pytest.raises(ValueError, match="la partida ha terminado"):
            await questions.ask(refuse)
        questions.close()

    asyncio.run(run())


def test_questions_and_searches_wait_until_everything_is_compiled() -> None:
    """Other agents act at once."""
    names, readiness = ["random", "search:worlds=2"], Readiness(ready=True)
    offered = Agents(names, cache(SharedAgent), readiness)
    assert [described["waits"] for described in offered.describe()] == [False, True]

    async def run() -> None:
        first, second = (Session(Rules(3), [name] * 3, seed=0) for name in names)
        assert await offered.choose(first) in first.game.legal_actions()
        waiting = [asyncio.create_task(offered.choose(second))]
        waiting.append(asyncio.create_task(offered.ask("random", lambda agent: 3)))
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in waiting)
        readiness.compiled = True
        action, answer = await asyncio.gather(*waiting)
        assert (action in second.game.legal_actions(), answer) == (True, 3)
        offered.close()

    asyncio.run(run())


def test_a_question_that_nobody_awaits_is_not_asked() -> None:
    gate = threading.Event()
    asked: list[int] = []

    async def run() -> None:
        questions = Questions("test", at_once=1, most=5)
        first = asyncio.create_task(questions.ask(lambda: gate.wait(60)))
        second = asyncio.create_task(questions.ask(lambda: asked.append(2)))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        gate.set()
        assert await first
        assert await questions.ask(lambda: 3) == 3
        questions.close()

    asyncio.run(run())
    assert asked == []


def test_there_is_a_bound() -> None:
    gate = threading.Event()

    async def run() -> None:
        questions = Questions("test", at_once=1, most=2)
        waiting = [asyncio.create_task(questions.ask(lambda: gate.wait(60))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError, match="too many questions"):
            await questions.ask(lambda: 3)
        gate.set()
        await asyncio.gather(*waiting)
        assert await questions.ask(lambda: 3) == 3
        questions.close()

    asyncio.run(run())


# --- outside the event loop

JUDGE = "search:worlds=2"
COSTLY: list[tuple[Any, str]] = [
    (Session, "take_back"),
    (Session, "of_record"),
    (Addresses, "invite"),
    (Store, "of_match"),
    (Tables, "_restore"),
    (endpoints, "record"),
    (endpoints, "list_results"),
    (views, "advise"),
    (views, "replay"),
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
        path = f"/tables/{opened['table']}"
        view = seat.wait_for_turn()
        seat.say(kind="hint", agent=JUDGE)
        seat.hear("hint")
        seat.act(view, view["legal"][0])
        while not seat.hear()["can_take_back"]:
            pass
        seat.say(kind="take_back")
        while (back := seat.hear())["decisions"] != view["decisions"]:
            pass
        play_to_the_end(seat, np.random.default_rng(0), back)
        line = ask(client, "GET", f"{path}/record").text
        match = ask(client, "POST", f"{path}/share", token=opened["token"]).json()["match"]
        ask(client, "GET", f"{path}/invitation")
        ask(client, "GET", f"/matches/{match}")
        ask(client, "POST", f"{path}/judgement", round_number=1)
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
