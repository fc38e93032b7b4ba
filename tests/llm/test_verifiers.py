"""Games by the runner of `verifiers`, with stand-ins for the model; `make test-verifiers` runs them."""

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig

from tests.docs.pages import ROOT, examples, run
from tests.llm.players import RULES, answers_of, legal_answers, scores_among, serving
from wizard_env.llm.text import rules_page
from wizard_env.llm.text_game import TextGame
from wizard_env.llm.verifiers import FIRST_SEEDS, load_environment

OPTIONS: dict[str, Any] = {"num_players": 3, "hand_sizes": [2, 3]}
EVAL = FIRST_SEEDS["eval"]


class Model:
    """A stand-in for a model behind an OpenAI-compatible address, which answers the last message."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self._answer = answer
        self.conversations: list[list[dict[str, str]]] = []
        self._waiting = 0
        self.most_at_once = 0
        self.app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> JSONResponse:
        body = await request.json()
        self.conversations.append(body["messages"])
        self._waiting += 1
        self.most_at_once = max(self.most_at_once, self._waiting)
        await asyncio.sleep(0.05)
        self._waiting -= 1
        message = {"role": "assistant", "content": self._answer(body["messages"][-1]["content"])}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        kind = {"id": "0", "object": "chat.completion", "created": 0, "model": body["model"]}
        return JSONResponse({**kind, "choices": [choice], "usage": usage})


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner writes its results into `outputs`."""
    monkeypatch.chdir(tmp_path)


def evaluate(model: Model, games: int, player: dict[str, Any] | None = None, **options: Any) -> list[Any]:
    """Run `verifiers`' evaluation; returns the trace of each game, in the order of the seeds."""
    taskset = {"id": "wizard-verifiers", "split": "eval", **OPTIONS, **options}
    with serving(model.app) as url:
        config = EvalConfig(
            env={"taskset": taskset, "player": player or {}},
            model="stand-in",
            client={"base_url": f"{url}/v1"},
            select={"limit": games},
            push=False,
            rich=None,
        )
        episodes = asyncio.run(run_eval(config))
    assert [episode.errors for episode in episodes] == [[]] * games
    return [trace for episode in episodes for trace in episode.traces]


def test_games_as_an_agent_plays_them() -> None:
    """By text, each game goes as it does where the agent has the seat itself."""
    seeds = range(EVAL, EVAL + 6)
    model = Model(answers_of("rule_based", seeds).__getitem__)
    traces = evaluate(model, 6)
    assert [trace.task.data.seed for trace in traces] == list(seeds)
    for trace in traces:
        seed = trace.task.data.seed
        assert trace.metrics["points"] == scores_among("rule_based", seed)[TextGame(RULES, seed).seat]
        assert trace.reward == trace.metrics["points"]
        assert (trace.metrics["invalid_answers"], trace.metrics["forfeited"]) == (0, 0)
    assert model.most_at_once > 1
    first = model.conversations[0]
    assert [message["role"] for message in first] == ["system", "user"]
    assert first[0]["content"] == rules_page(RULES)


def test_invalid_answers_get_the_reason_back_and_forfeit_the_game() -> None:
    model = Model(lambda message: "I pass")
    (trace,) = evaluate(model, 1, tries=3)
    assert (trace.reward, trace.num_turns) == (-50, 3)
    assert trace.metrics == {"points": -50, "bids_met": 0, "invalid_answers": 3, "forfeited": 1}
    assert "names no action" in model.conversations[-1][-1]["content"]


def test_a_limit_of_turns_forfeits_the_game() -> None:
    (trace,) = evaluate(Model(lambda message: legal_answers(message)[0]), 1, {"max_turns": 2})
    assert trace.stop_condition == "max_turns"
    assert (trace.num_turns, trace.metrics["forfeited"], trace.reward) == (2, 1, -50)


def test_a_failing_model_is_the_failure_of_the_episode() -> None:
    """It is no forfeit: `verifiers` leaves the game out, or plays it again where `retries` says so."""
    config = EvalConfig(
        env={"taskset": {"id": "wizard-verifiers", **OPTIONS}},
        model="stand-in",
        client={"base_url": "http://127.0.0.1:9/v1"},
        select={"limit": 1},
        push=False,
        rich=None,
    )
    (episode,) = asyncio.run(run_eval(config))
    assert not episode.ok
    assert episode.traces[0].errors[-1].type == "ProviderError"


def test_the_seeds_of_the_splits_are_apart() -> None:
    def seeds(split: str) -> set[int]:
        return {task.data.seed for task in islice(load_environment(split=split).taskset, 100)}

    assert len(seeds("train")) == len(seeds("eval")) == 100
    assert not seeds("train") & seeds("eval")
    assert max(seeds("train")) < EVAL


def model_of_the_page() -> Model:
    return Model(lambda message: random.choice(legal_answers(message)))


def test_the_block_of_the_page_runs() -> None:
    page = ROOT / "docs" / "language-models.md"
    (code,) = [code for code, _ in examples(page) if "verifiers" in code]
    names: dict[str, Any] = {"__name__": "__main__"}
    with serving(model_of_the_page().app) as url:
        run(code.replace("http://localhost:8000", url), None, names)
    assert all(episode.ok for episode in names["episodes"])


def test_the_command_finds_the_taskset() -> None:
    """`vf-eval` imports it by its name, in a new process, and takes the options of the page."""
    command = [str(Path(sys.executable).with_name("vf-eval")), "wizard-verifiers", "-n", "2", "--no-push"]
    options = ["--env.taskset.hand-sizes", "1", "2", "--env.taskset.opponents", "random", "--no-rich"]
    with serving(model_of_the_page().app) as url:
        address = ["--client.base-url", f"{url}/v1", "-m", "stand-in", "-o", "results"]
        done = subprocess.run(
            [*command, *options, *address], capture_output=True, text=True, check=False, timeout=200
        )
    assert done.returncode == 0, done.stderr
    (traces,) = Path("results").rglob("traces.jsonl")
    episodes = [json.loads(line) for line in traces.read_text(encoding="utf-8").splitlines()]
    assert [episode["ok"] for episode in episodes] == [True, True]
