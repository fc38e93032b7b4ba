"""Questions to agents: fair to all clients, bounded, and dropped when nobody waits for the answer."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from wizard_table.translation import t, use_language
from wizard_table.web.tables.questions import BusyError, Questions


def test_clients_take_turns() -> None:
    """A client with one question waits for one of the six that another client asked before."""
    answered: list[str] = []
    gate = threading.Event()

    def question(name: str) -> Callable[[], None]:
        def answer() -> None:
            gate.wait(60)
            answered.append(name)

        return answer

    async def run() -> None:
        questions = Questions("test", at_once=1, most_each=6, most=10)
        asked = [asyncio.create_task(questions.ask("greedy", question(f"greedy {n}"))) for n in range(6)]
        await asyncio.sleep(0)
        asked.append(asyncio.create_task(questions.ask("modest", question("modest"))))
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*asked)
        questions.close()

    asyncio.run(run())
    assert answered.index("modest") <= 2
    assert len(answered) == 7


def test_a_client_has_one_answer_at_a_time() -> None:
    """Another takes the second thread, however many questions the first has asked."""
    gate = threading.Event()

    async def run() -> None:
        questions = Questions("test", at_once=2, at_once_each=1, most_each=6, most=10)
        greedy = [asyncio.create_task(questions.ask("greedy", lambda: gate.wait(60))) for _ in range(5)]
        await asyncio.sleep(0)
        assert await asyncio.wait_for(questions.ask("modest", lambda: 3), 30) == 3
        assert not any(one.done() for one in greedy)
        gate.set()
        assert await asyncio.gather(*greedy) == [True] * 5
        questions.close()

    asyncio.run(run())


def test_a_question_is_refused_in_the_language_of_its_client() -> None:
    def refuse() -> None:
        raise ValueError(t("the game is over"))

    async def run() -> None:
        questions = Questions("test", at_once=1, most_each=1, most=1)
        use_language("es")
        with pytest.raises(ValueError, match="la partida ha terminado"):
            await questions.ask("a", refuse)
        questions.close()

    asyncio.run(run())


def test_there_are_bounds() -> None:
    gate = threading.Event()

    async def run() -> None:
        questions = Questions("test", at_once=1, most_each=2, most=3)

        async def ask(client: str) -> None:
            task = asyncio.create_task(questions.ask(client, lambda: gate.wait(60)))
            waiting.append(task)
            await asyncio.sleep(0)
            if task.done():
                task.result()

        waiting: list[asyncio.Task[bool]] = []
        for client in ("a", "a", "a", "b"):  # the first is being answered
            await ask(client)
        for client in ("a", "c"):
            with pytest.raises(BusyError, match="too many questions"):
                await ask(client)
        gate.set()
        await asyncio.gather(*waiting[:4])
        assert await questions.ask("c", lambda: 3) == 3
        questions.close()

    asyncio.run(run())


def test_a_question_that_nobody_awaits_is_not_asked() -> None:
    gate = threading.Event()
    asked: list[int] = []

    async def run() -> None:
        questions = Questions("test", at_once=1, most_each=5, most=5)
        first = asyncio.create_task(questions.ask("a", lambda: gate.wait(60)))
        second = asyncio.create_task(questions.ask("a", lambda: asked.append(2)))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        gate.set()
        assert await first
        assert await questions.ask("a", lambda: 3) == 3
        questions.close()

    asyncio.run(run())
    assert asked == []


def test_errors_reach_who_asked() -> None:
    def fail() -> None:
        raise RuntimeError("no")

    async def run() -> None:
        questions = Questions("test", at_once=1, most_each=1, most=1)
        with pytest.raises(RuntimeError, match="no"):
            await questions.ask("a", fail)
        assert await questions.ask("a", lambda: 1) == 1
        questions.close()

    asyncio.run(run())
