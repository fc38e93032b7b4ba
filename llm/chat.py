"""ChatAgent: a language model behind an OpenAI-compatible address plays a seat; its answers are kept."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from openai import OpenAI, OpenAIError, omit

from wizard_env.checks import check_integer, check_number, check_seconds, quoted, shortened
from wizard_env.files import compact_json, digest
from wizard_env.llm.text_agent import Message, TextAgent

_MOST_TOKENS = 10_000_000
_KEY, _URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
_NO_KEY = "none"
"""Sent where no key is set: local servers need none."""
_MALFORMED = (AttributeError, TypeError, ValueError, IndexError, RecursionError)
"""Errors of a reply that is not a chat completion."""


class Reply(NamedTuple):
    """An answer of a model, and the tokens that it was charged for."""

    answer: str
    tokens_in: int
    tokens_out: int


@dataclass
class Usage:
    """Questions to a model and their cost; answers from a file do not count."""

    questions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In the unit of the prices."""


class AnswerFile:
    """A file with a line of JSON for each answer: the model, the question, the answer and its tokens.

    `key` is a digest of the model and the whole conversation. A last line that was cut off by a crash is
    removed.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or begin it. Raises ValueError if it holds something else, or OSError."""
        self._path = path
        self._answers: dict[str, str] = {}
        with path.open("ab+") as file:
            file.seek(0)
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    file.truncate(file.tell() - len(line))
                    break
                key, answer = _parse(line, f"{path}, line {number}")
                self._answers[key] = answer

    def find(self, model: str, conversation: Sequence[Message]) -> str | None:
        """Return the answer of a model in a conversation; None if it has not been asked."""
        return self._answers.get(_key(model, conversation))

    def add(self, model: str, conversation: Sequence[Message], answer: str, **numbers: int) -> None:
        """Write an answer down, with numbers that belong to it."""
        key = _key(model, conversation)
        content = {"key": key, "model": model, "question": conversation[-1].content, "answer": answer}
        line = compact_json(content | numbers).encode() + b"\n"
        with self._path.open("ab", buffering=0) as file:
            file.write(line)
        self._answers[key] = answer


class ChatAgent(TextAgent):
    """Asks a language model for each decision, see TextAgent.

    usage: the questions so far, and their cost.
    """

    def __init__(
        self,
        model: str,
        url: str | None = None,
        prompt: str | None = None,
        answers: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        max_tokens: int | None = None,
        price_in: float = 0.0,
        price_out: float = 0.0,
        tries: int = 3,
        at_once: int = 8,
    ) -> None:
        """Choose the model.

        Args:
            model: the model's name at the server.
            url: the address of an OpenAI-compatible server, as in "http://localhost:8000/v1"; by default that
                in OPENAI_BASE_URL, or OpenAI's own. The key is read from OPENAI_API_KEY.
            prompt: a file with instructions, which follow the rules.
            answers: a file to which each question and its answer are added, as a line of JSON. A question
                that it holds is not asked again, so a measurement that was stopped can go on.
            timeout: seconds allowed for each answer.
            retries: how often a request is repeated if the server fails, with growing pauses.
            max_tokens: the most tokens of an answer; by default the server's limit.
            price_in, price_out: the cost of a million tokens of questions, and of answers.
            tries, at_once: see TextAgent.

        Raises ValueError if a value is not allowed or no key is set, OSError if a file cannot be used.
        """
        super().__init__(tries, at_once, "" if prompt is None else Path(prompt).read_text(encoding="utf-8"))
        self._model = model
        self._max_tokens = (
            None if max_tokens is None else check_integer("max_tokens", max_tokens, 1, _MOST_TOKENS)
        )
        self._prices = [
            check_number(name, price, 0, 1e9, "a price of a million tokens")
            for name, price in (("price_in", price_in), ("price_out", price_out))
        ]
        retries = check_integer("retries", retries, 0, 100)
        self._client = _connect(url, check_seconds("timeout", timeout), retries)
        self._file = None if answers is None else AnswerFile(Path(answers))
        self.usage = Usage()

    def costs(self) -> dict[str, float]:
        return asdict(self.usage)

    def answer(self, conversation: Sequence[Message]) -> str:
        """Return the model's answer, or the one in the file.

        Raises ConnectionError if the server refuses, or fails after all retries.
        """
        if self._file is not None and (known := self._file.find(self._model, conversation)) is not None:
            return known
        reply = self._ask(conversation)
        with self._lock:
            self._count(reply)
            if self._file is not None:
                self._file.add(self._model, conversation, **reply._asdict())
        return reply.answer

    def _ask(self, conversation: Sequence[Message]) -> Reply:
        messages: Any = [message._asdict() for message in conversation]
        limit = omit if self._max_tokens is None else self._max_tokens
        try:
            found = self._client.chat.completions.create(
                model=self._model, messages=messages, max_completion_tokens=limit
            )
            return _read_reply(found)
        except (OpenAIError, *_MALFORMED) as error:
            reason = "" if isinstance(error, OpenAIError) else "the reply is no chat completion: "
            where = f"model {self._model!r} at {self._client.base_url}"
            raise ConnectionError(f"{where}: {reason}{shortened(error)}") from error

    def _count(self, reply: Reply) -> None:
        price_in, price_out = self._prices
        self.usage.questions += 1
        self.usage.tokens_in += reply.tokens_in
        self.usage.tokens_out += reply.tokens_out
        self.usage.cost += (reply.tokens_in * price_in + reply.tokens_out * price_out) / 1e6


def _connect(url: str | None, timeout: float, retries: int) -> OpenAI:
    """Return the client of a server. Raises ValueError if a key is needed, or the address is none."""
    key = os.environ.get(_KEY)
    if url is None:
        url = os.environ.get(_URL)
    elif not url.startswith(("http://", "https://")):
        raise ValueError(f"url={quoted(url)}: an address is needed, as in http://localhost:8000/v1")
    if key is None and url is None:
        raise ValueError(f"no key of the model's server is set: set {_KEY}, or name your own server by url=")
    return OpenAI(base_url=url, api_key=key or _NO_KEY, timeout=timeout, max_retries=retries)


def _read_reply(found: Any) -> Reply:
    """Return the answer in a server's reply, which the client does not check. Raises one of _MALFORMED."""
    text, usage = found.choices[0].message.content or "", found.usage
    tokens_in, tokens_out = (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
    readable = text.encode(errors="replace").decode()  # half of a pair of surrogates cannot be sent back
    return Reply(readable, int(tokens_in or 0), int(tokens_out or 0))


def _key(model: str, conversation: Sequence[Message]) -> str:
    return digest(compact_json([model, *conversation]))


def _parse(line: bytes, where: str) -> tuple[str, str]:
    try:
        content = json.loads(line)
        key, answer = content["key"], content["answer"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{where}: not an answer of a model: {shortened(error)}") from None
    if not isinstance(key, str) or not isinstance(answer, str):
        raise ValueError(f"{where}: not an answer of a model: key and answer must be texts")
    return key, answer
