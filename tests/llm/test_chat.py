"""ChatAgent: a model behind an address plays as its answers say, and pays for each question once."""

import gzip
import json
import logging
import signal
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.llm import stand_in
from tests.llm.stand_in import (
    END,
    HEAD,
    PACKED,
    TOKENS_IN,
    TOKENS_OUT,
    Speaker,
    agent_speaker,
    completion,
    legal_in,
    random_speaker,
    sending,
    serving,
)
from wizard_env import ACTIONS, Game, Games, Rules, View
from wizard_env.agents import load
from wizard_env.evaluation.duplicate_deals import Entrant
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.files import append_line
from wizard_env.llm import chat
from wizard_env.llm.chat import LONGEST_REPLY, AnswerFile, ChatAgent
from wizard_env.llm.text import rules_page, view_text
from wizard_env.llm.text_agent import Message

RULES = Rules(num_players=3, hand_sizes=(2, 4))


def first_view(games: int = 4) -> View:
    return Games(RULES, games, seed=3).view()


def ask(speak: Speaker, view: View, **options: object) -> tuple[ChatAgent, list[int]]:
    """Return an agent and its actions; it has no time for repeated requests."""
    with serving(speak) as url:
        return ask_at(url, view, **options)


def ask_at(url: str, view: View | None = None, **options: object) -> tuple[ChatAgent, list[int]]:
    agent = ChatAgent("stand-in", url, **{"retries": 0, "timeout": 20.0, **options})  # type: ignore[arg-type]
    return agent, agent.act(view or first_view(1), np.random.default_rng(1)).tolist()


def test_a_model_that_plays_rule_based_by_the_text_scores_what_it_scores() -> None:
    """And it needs no more than the text: every decision of whole games is the same."""
    with serving(agent_speaker(load("rule_based"))) as url:
        agent = ChatAgent("stand-in", url)
        by_text = evaluate([Entrant("rule_based", agent), "heuristic", "random"], RULES, 3, seed=5)
    direct = evaluate(["rule_based", "heuristic", "random"], RULES, 3, seed=5)
    assert [one.points for one in by_text.standings] == [one.points for one in direct.standings]
    assert agent.usage.questions >= 50
    assert not agent.forfeits


def test_the_questions_and_their_cost() -> None:
    """The rules and the view; a decision with one legal action is not asked for."""
    heard: list[list[dict[str, str]]] = []

    def speak(messages: list[dict[str, str]]) -> str:
        heard.append(messages)
        return "bid 1"

    game = Game(RULES, seed=1)
    agent, actions = ask(speak, View.of([game]), price_in=2.0, price_out=10.0)
    ((system, user),) = heard
    assert [ACTIONS[action] for action in actions] == ["bid 1"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert system["content"] == rules_page(RULES)
    assert user["content"].startswith(view_text(game, game.acting_seat))
    assert (agent.usage.tokens_in, agent.usage.tokens_out) == (TOKENS_IN, TOKENS_OUT)
    assert agent.usage.cost == pytest.approx((2 * TOKENS_IN + 10 * TOKENS_OUT) / 1e6)
    while len(game.legal_actions()) > 1:
        game.step(game.legal_actions()[0])
    agent, actions = ask(speak, View.of([game]))
    assert actions == game.legal_actions()
    assert agent.usage.questions == 0


def test_an_illegal_answer_is_sent_back_with_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[list[dict[str, str]]] = []

    def speak(messages: list[dict[str, str]]) -> str:
        heard.append(messages)
        return ["bid 9", "?", "bid 2"][len(messages) // 2 - 1]

    view = first_view(1)
    agent, actions = ask(speak, view)
    assert ACTIONS[actions[0]] == "bid 2"
    assert [message["role"] for message in heard[-1]] == ["system", *["user", "assistant"] * 2, "user"]
    assert "a bid from 0 to 2 is needed" in heard[-1][3]["content"]
    assert not agent.forfeits
    with caplog.at_level(logging.WARNING):
        agent, actions = ask(speak, view, tries=2)
    assert view.mask[0, actions[0]]
    assert agent.forfeits == {"unreadable": 1}
    assert "a decision is forfeited after 2 answers: The answer '?' names no action" in caplog.text


def test_a_question_in_the_file_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    view = first_view()
    agent, actions = ask(random_speaker(1), view, answers=str(path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert agent.usage.questions == len(lines) == 4
    assert {"model", "question", "answer", "tokens_in", "tokens_out"} < set(lines[0])
    with path.open("a") as file:
        file.write('{"key": "cut')  # the process was killed while it wrote

    def fail(messages: list[dict[str, str]]) -> str:
        raise AssertionError("it was asked again")

    again, repeated = ask(fail, view, answers=str(path))
    assert repeated == actions
    assert again.usage.questions == 0
    assert len(path.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    "line", ["[]", "{}", '{"key": 1, "answer": "bid 1"}', "bid 1", '{"key":"k","answer":null}']
)
def test_a_file_with_something_else_is_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(line + "\n")
    with pytest.raises(ValueError, match=r"notes\.txt, line 1: not an answer of a model"):
        ChatAgent("stand-in", "http://localhost/v1", answers=str(path))
    assert path.read_text() == line + "\n"


def test_two_processes_share_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that another is writing is not taken for one that was cut off."""
    path, halfway = tmp_path / "answers.jsonl", threading.Event()

    def write_slowly(path: Path, line: bytes) -> None:
        append_line(path, line[:20])
        halfway.set()
        time.sleep(0.1)
        append_line(path, line[20:])

    monkeypatch.setattr(chat, "append_line", write_slowly)
    questions = [[Message("user", text)] for text in ("first", "second")]
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(AnswerFile(path).add, "model", questions[0], "bid 1")
        assert halfway.wait(5)
        AnswerFile(path).add("model", questions[1], "bid 2")
        writing.result()
    found = AnswerFile(path)
    assert [found.find("model", question) for question in questions] == ["bid 1", "bid 2"]


def test_a_server_that_fails_ends_the_measurement() -> None:
    """Random actions in the place of its answers would measure nothing."""

    def fail(messages: list[dict[str, str]]) -> str:
        raise RuntimeError("out of memory")

    with pytest.raises(ConnectionError, match=r"model 'stand-in' at http://127\.0\.0\.1:.*out of memory"):
        ask(fail, first_view())
    with pytest.raises(ConnectionError, match="model 'stand-in'"):
        ChatAgent("stand-in", "http://127.0.0.1:9/v1", retries=0).act(first_view(), np.random.default_rng(0))


MALFORMED: tuple[Any, ...] = (
    [],
    "hi",
    None,
    {"choices": None},
    {"choices": 3},
    {"choices": {}},
    {"choices": [{}]},
    {"choices": [{"message": {"content": ["a"]}}]},
    {**completion("bid 1"), "usage": {"prompt_tokens": "x", "completion_tokens": {}}},
    {**completion("bid 1"), "usage": {"prompt_tokens": 1e300}},
    {**completion("bid 1"), "usage": {"prompt_tokens": float("inf")}},
)


@pytest.mark.parametrize("reply", MALFORMED, ids=range(len(MALFORMED)))
def test_a_reply_that_is_no_completion_ends_the_measurement(
    reply: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stand_in, "completion", lambda text: reply)
    with pytest.raises(ConnectionError, match="model 'stand-in' at http"):
        ask(random_speaker(0), first_view(1))


PAGE = b"<html>Please log in</html>"


@pytest.mark.parametrize("page", [END + PAGE, PACKED + END + gzip.compress(PAGE)], ids=["plain", "packed"])
def test_a_page_in_the_place_of_a_reply_ends_the_measurement(page: bytes) -> None:
    no_completion = r"model 'stand-in' at http.*: the reply is no chat completion"
    with sending(HEAD + page) as server, pytest.raises(ConnectionError, match=no_completion):
        ask_at(server.url)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": None}])
def test_tokens_that_are_not_counted_are_0(usage: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_in, "completion", lambda text: completion(text) | {"usage": usage})
    agent, actions = ask(lambda messages: "bid 1", first_view(1))
    assert ACTIONS[actions[0]] == "bid 1"
    assert (agent.usage.questions, agent.usage.tokens_in, agent.usage.tokens_out) == (1, 0, 0)


@pytest.mark.parametrize("answer", ["\ud83d", "", " \n", None, "bid 9 " + "x" * 100_000])
def test_an_answer_without_an_action_is_sent_back(answer: Any) -> None:
    """As text of Unicode, never empty, which servers refuse, and not longer than models allow."""
    heard: list[str] = []

    def speak(messages: list[dict[str, str]]) -> Any:
        heard.extend(message["content"] for message in messages)
        assert all(message["content"].strip() for message in messages)
        return answer

    agent, _ = ask(speak, first_view(1))
    assert sum(agent.forfeits.values()) == 1
    assert max(map(len, heard)) < 5_000


@pytest.mark.parametrize("first", [b"HTTP/1.1 200 ", HEAD + END])
def test_the_time_is_that_of_the_whole_reply(first: bytes) -> None:
    """A byte now and then does not extend it, and the connection is closed at its end."""
    with sending(first, b" ", pause=0.02) as server:
        with pytest.raises(ConnectionError, match=r"There was no whole reply in 0\.2 seconds"):
            ask_at(server.url, timeout=0.2)
        assert server.left.wait(5)


REDIRECT = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\n\r\n"


@pytest.mark.parametrize("first", [HEAD + END, REDIRECT])
def test_an_endless_reply_is_not_kept(first: bytes) -> None:
    with sending(first, b" " * 100_000) as server:
        assert_not_kept(server.url)
        assert server.left.wait(5)


def test_a_packed_reply_is_not_unpacked_whole() -> None:
    with sending(HEAD + PACKED + END + gzip.compress(bytes(10 * LONGEST_REPLY))) as server:
        assert_not_kept(server.url)


def assert_not_kept(url: str) -> None:
    """Check that a reply is refused without asking again, and most of it is never in memory."""
    tracemalloc.start()
    try:
        with pytest.raises(ConnectionError, match=r"The reply is longer than 10,000,000 bytes"):
            ask_at(url, retries=3)
        assert tracemalloc.get_traced_memory()[1] < 4 * LONGEST_REPLY
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("slow", [True, False])
def test_ctrl_c_closes_the_connection(slow: bool) -> None:
    """At once, also while it waits to repeat a request."""
    with sending(b"HTTP/1.1 500 Busy\r\n\r\n", b" " if slow else b"", pause=0.02) as server:

        def interrupt() -> None:
            server.asked.acquire()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # type: ignore[arg-type]

        stopping = threading.Thread(target=interrupt)
        stopping.start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            ask_at(server.url, retries=100, timeout=60.0)
        stopping.join()
        assert time.monotonic() - begun < 5
        assert not slow or server.left.wait(5)


def test_a_failure_that_passes_is_waited_for() -> None:
    failures = iter([RuntimeError("busy")])

    def speak(messages: list[dict[str, str]]) -> str:
        for failure in failures:
            raise failure
        return legal_in(messages[-1]["content"])[0]

    agent, _ = ask(speak, first_view(1), retries=1)
    assert agent.usage.questions == 1


def test_the_key_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="set OPENAI_API_KEY, or name your own server by url="):
        load("llm:model=stand-in")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    load("llm:model=stand-in")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("url", "localhost:8000", "url='localhost:8000': an address is needed"),
        ("tries", 0, "tries=0: allowed are 1 to 10"),
        ("timeout", 0.0, "timeout=0.0"),
        ("max_tokens", 0, "max_tokens=0"),
    ],
)
def test_values_that_are_not_allowed(option: str, value: object, message: str) -> None:
    options = {"url": "http://localhost/v1", option: value}
    with pytest.raises(ValueError, match=message):
        ChatAgent("stand-in", **options)  # type: ignore[arg-type]


def test_instructions_follow_the_rules(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Think aloud.")
    heard = []

    def speak(messages: list[dict[str, str]]) -> str:
        heard.append(messages[0]["content"])
        return "bid 1"

    _, actions = ask(speak, first_view(1), prompt=str(prompt))
    assert ACTIONS[actions[0]] == "bid 1"
    assert heard[0].startswith("Wizard, 3 players")
    assert heard[0].endswith("\nThink aloud.")
