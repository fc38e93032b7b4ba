"""McpAgent: a model that connects over MCP plays as its answers say."""

import asyncio
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest
from mcp import Client

from tests.commands import COMMAND
from tests.evaluation.small_protocol import use_small_protocol
from tests.llm.stand_in import Speaker, agent_speaker, legal_in
from tests.llm.test_mcp import REFUSED, call, refusal, status
from wizard_env import ACTIONS, Game, Games, Rules, View
from wizard_env.agents import load
from wizard_env.evaluation.duplicate_deals import Entrant
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.evaluation.scorecard import measure
from wizard_env.evaluation.workers import workers
from wizard_env.llm import mcp_agent, questions
from wizard_env.llm.mcp_agent import McpAgent
from wizard_env.llm.questions import Questions
from wizard_env.llm.text import rules_page, view_text
from wizard_env.llm.text_agent import Message

RULES = Rules(num_players=3, hand_sizes=(2, 4))


def first_view(games: int = 4) -> View:
    return Games(RULES, games, seed=3).view()


async def speak_until_over(address: str, speak: Speaker) -> int:
    """Answer questions until the measurement is over; return their number."""
    async with Client(address) as client:
        count = 0
        while (offer := await call(client, "next_question"))["status"] != "over":
            if offer["status"] == "question":
                messages = [{"content": offer["rules"]}, {"content": offer["decision"]}]
                await call(client, "answer", question=offer["question"], action=speak(messages))
                count += 1
        return count


@contextmanager
def speaking(agent: McpAgent, *speakers: Speaker) -> Iterator[list[int]]:
    """Connect models that answer until the end of the block, which closes the agent; then list counts."""
    counts: list[int] = []
    with ThreadPoolExecutor(len(speakers)) as pool:
        clients = [pool.submit(asyncio.run, speak_until_over(agent.address, one)) for one in speakers]
        with agent:
            yield counts
        counts += [client.result(30) for client in clients]


@contextmanager
def acting(agent: McpAgent, view: View) -> Iterator[Callable[[], list[int]]]:
    """Start a thread in which an agent acts; the function that is returned waits for its actions."""
    with agent, ThreadPoolExecutor(1) as pool:
        actions = pool.submit(agent.act, view, np.random.default_rng(1))
        try:
            yield lambda: actions.result(30).tolist()
        finally:
            agent.close()


def test_a_model_that_plays_rule_based_by_the_text_scores_what_it_scores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two clients share the questions."""
    use_small_protocol(monkeypatch, tmp_path)
    agent = McpAgent(0)
    speaker = agent_speaker(load("rule_based"))
    with speaking(agent, speaker, speaker) as counts:
        by_text = measure(agent, "a model", "few")
    direct = measure("rule_based", effort="few")
    assert by_text.lines == direct.lines
    assert by_text.forfeits == {}
    assert sum(counts) > 40
    assert min(counts) > 0


def test_what_a_question_says() -> None:
    """The rules and the view; refused answers come back with the reason, and closed questions are named."""
    game = Game(RULES, seed=1)

    async def scene(address: str) -> None:
        async with Client(address) as client:
            first = await call(client, "next_question")
            assert first["rules"] == rules_page(RULES)
            assert first["decision"].startswith(view_text(game, game.acting_seat))
            assert (first["question"], first["refusal"]) == (1, "")
            for number in (0, 2, -1):
                told = await refusal(client, "answer", question=number, action="bid 1")
                assert f"there is no question {number}" in told
            told = await refusal(client, "answer", question=True, action="bid 1")
            assert "Input should be a valid integer" in told
            await call(client, "answer", question=1, action="bid 9")
            again = await call(client, "next_question")
            assert (again["question"], again["decision"]) == (2, first["decision"])
            assert "a bid from 0 to 2 is needed" in again["refusal"]
            told = await refusal(client, "answer", question=1, action="bid 1")
            assert "question 1 is closed" in told
            await call(client, "answer", question=2, action="I bid 2")

    agent = McpAgent(0)
    with acting(agent, View.of([game])) as actions:
        asyncio.run(scene(agent.address))
        assert [ACTIONS[action] for action in actions()] == ["bid 2"]
    assert not agent.forfeits


def test_questions_are_answered_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is offered once, the oldest first, and again if its client leaves."""
    monkeypatch.setattr(mcp_agent, "POLL_SECONDS", 0.1)

    async def scene(address: str) -> None:
        async with Client(address) as client, Client(address) as other:
            offers = [await call(one, "next_question") for one in (client, other, client)]
            assert [offer["question"] for offer in offers] == [1, 2, 3]
            nothing = await call(other, "next_question")
            assert (nothing["status"], nothing["question"]) == ("wait", None)
            monkeypatch.setattr(questions, "TAKEN_SECONDS", 0.0)
            await call(client, "answer", question=3, action=legal_in(offers[2]["decision"])[0])
            fourth = await call(client, "next_question")
            assert fourth["question"] == 4
            assert (await call(other, "next_question"))["question"] == 4
            for offer in (fourth, *offers[:2]):
                action = legal_in(offer["decision"])[-1]
                await call(other, "answer", question=offer["question"], action=action)

    view = first_view()
    agent = McpAgent(0, at_once=3)
    with acting(agent, view) as actions:
        asyncio.run(scene(agent.address))
        assert all(view.mask[range(4), actions()])


def test_nobody_answers() -> None:
    """Random actions in the place of the answers would measure nothing."""
    with McpAgent(0, at_once=1, timeout=0.3) as agent:
        message = rf"nobody answered a question at {agent.address} for 0\.3 seconds"
        for _ in range(2):
            with pytest.raises(TimeoutError, match=message):
                agent.act(first_view(), np.random.default_rng(0))


def test_an_answer_gives_the_others_more_time() -> None:
    """A slow model that answers one question after another is not absent."""
    waiting = Questions(timeout=1.5)
    waiting.begin()
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(waiting.ask, ()) for _ in range(4)]
        for _ in answers:
            time.sleep(0.5)
            question = waiting.take()
            assert question is not None
            waiting.answer(question.number, "bid 1")
        assert [answer.result() for answer in answers] == ["bid 1"] * 4


def test_a_failure_withdraws_the_other_questions() -> None:
    """They would keep the command from ending, at Ctrl-C for example."""
    games = [Game(RULES, seed=seed) for seed in range(4)]
    failing = view_text(games[0], games[0].acting_seat)

    class FailingAgent(McpAgent):
        def answer(self, conversation: Sequence[Message]) -> str:
            if conversation[1].content.startswith(failing):
                raise RuntimeError("no memory is left")
            return super().answer(conversation)

    with FailingAgent(0) as agent:
        for _ in range(2):
            with pytest.raises(RuntimeError, match="no memory is left"):
                agent.act(View.of(games), np.random.default_rng(0))


def test_close_frees_the_port() -> None:
    agent = McpAgent(0)
    port = int(agent.address.split(":")[2].split("/")[0])
    for word in ("another program uses it", f"port={port}: ", f"as in port={port % 65535 + 1}"):
        with pytest.raises(ValueError, match=word):
            load(f"mcp:port={port}")
    agent.close()
    agent.close()
    with pytest.raises(ConnectionError, match="the agent is closed"):
        agent.act(first_view(), np.random.default_rng(0))
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_several_workers_are_refused() -> None:
    with McpAgent(0) as agent, workers(2) as spread:
        evaluated: list[Entrant | str] = [Entrant("model", agent), "random"]
        with pytest.raises(ValueError, match="model: this agent plays in one process; use one worker"):
            evaluate(evaluated, RULES, 2, spread=spread)


def test_requests_to_other_addresses_are_refused() -> None:
    with McpAgent(0) as agent:
        assert [status(agent.address, *request) for request, _ in REFUSED] == [code for _, code in REFUSED]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("port", 65_536, "port=65536: allowed are 0 to 65535"),
        ("host", "192.0.2.1", "host=192.0.2.1: no address of this computer"),
    ],
)
def test_values_that_are_not_allowed(option: str, value: object, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        McpAgent(**{"port": 0, option: value})  # type: ignore[arg-type]


def test_the_command_names_the_address_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    """While a question waits; a client that wants another hears that the measurement is over."""
    command = [str(COMMAND), "evaluate", "mcp:port=0,at_once=1", "random", "--games", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert "the model has to connect to http://127.0.0.1:" in line

            async def scene(address: str) -> None:
                async with Client(address) as client:
                    assert (await call(client, "next_question"))["status"] == "question"
                    following = asyncio.create_task(call(client, "next_question"))
                    await asyncio.sleep(2)  # until it waits
                    process.send_signal(signal.SIGINT)
                    assert (await following)["status"] == "over"

            asyncio.run(scene(line.split()[-1]))
            assert process.wait(30) != 0
        finally:
            process.kill()
