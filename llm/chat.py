"""ChatAgent: a language model behind an OpenAI-compatible address plays a seat; its answers are kept."""

import asyncio
import json
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, aclosing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError, omit

from wizard_env.checks import check_integer, check_number, check_seconds, quoted, shortened
from wizard_env.files import append_line, check_file, compact_json, digest, locked
from wizard_env.llm.text_agent import Message, TextAgent

LONGEST_REPLY = 10_000_000
"""Bytes of a reply, unpacked."""
_MOST_TOKENS = 10_000_000
_LOCK_SECONDS = 60.0
"""Time to wait for another process that writes to the file of answers, each time for one line."""
_KEY, _URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
_NO_KEY = "none"
"""Sent where no key is set: local servers need none."""
_MALFORMED = (AttributeError, TypeError, ValueError, LookupError, OverflowError, RecursionError)
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
    removed. Several agents, also of several processes, may write to one file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or begin it. Raises ValueError if it holds something else, or OSError."""
        check_file(path)
        self._path = path
        self._answers: dict[str, str] = {}
        with self._locked(), path.open("ab+") as file:
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
        with self._locked():
            append_line(self._path, compact_json(content | numbers).encode() + b"\n")
        self._answers[key] = answer

    def _locked(self) -> AbstractContextManager[None]:
        return locked(self._path.parent, f".{self._path.name}.lock", _LOCK_SECONDS)


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
            timeout: seconds allowed for each answer, from the request to its last byte.
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
        self._asked: set[Future[Reply]] = set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.usage = Usage()

    def costs(self) -> dict[str, float]:
        return asdict(self.usage)

    def answer(self, conversation: Sequence[Message]) -> str:
        """Return the model's answer, or the one in the file.

        Raises ConnectionError if the server refuses, or fails after all retries.
        """
        if self._file is not None and (known := self._file.find(self._model, conversation)) is not None:
            return known
        asked = asyncio.run_coroutine_threadsafe(self._ask(conversation), self._loop)
        self._asked.add(asked)
        try:
            reply = asked.result()
        finally:
            self._asked.discard(asked)
        with self._lock:
            self._count(reply)
            if self._file is not None:
                self._file.add(self._model, conversation, **reply._asdict())
        return reply.answer

    def abandon(self) -> None:
        """Close the connections of all questions under way."""
        for asked in list(self._asked):
            asked.cancel()

    async def _ask(self, conversation: Sequence[Message]) -> Reply:
        messages: Any = [message._asdict() for message in conversation]
        limit = omit if self._max_tokens is None else self._max_tokens
        try:
            found = await self._client.chat.completions.create(
                model=self._model, messages=messages, max_completion_tokens=limit
            )
            return _read_reply(found)
        except (OpenAIError, *_MALFORMED) as error:
            reason = "" if isinstance(error, OpenAIError) else "the reply is no chat completion: "
            where = f"model {self._model!r} at {self._client.base_url}"
            cause = f" {error.__cause__}" if error.__cause__ else ""
            raise ConnectionError(f"{where}: {reason}{shortened(f'{error}{cause}')}") from error

    def _count(self, reply: Reply) -> None:
        price_in, price_out = self._prices
        self.usage.questions += 1
        self.usage.tokens_in += reply.tokens_in
        self.usage.tokens_out += reply.tokens_out
        self.usage.cost += (reply.tokens_in * price_in + reply.tokens_out * price_out) / 1e6


class _BoundedClient(DefaultAsyncHttpxClient):  # type: ignore[misc]
    """Bounds the time and the size of whole replies; by itself a client bounds the wait for the next byte."""

    def __init__(self, seconds: float) -> None:
        super().__init__(timeout=None, follow_redirects=False)  # it would read the page of a redirect whole
        self._seconds = seconds

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Return a reply that has been read. Raises OpenAIError, which is final, if it is too long."""
        try:
            async with asyncio.timeout(self._seconds):
                return await _read_whole(await super().send(request, **options | {"stream": True}))
        except TimeoutError:
            raise httpx2.ReadTimeout(f"There was no whole reply in {self._seconds:g} seconds.") from None


async def _read_whole(response: httpx2.Response) -> httpx2.Response:
    body = bytearray()
    async with aclosing(response.aiter_bytes()) as parts:
        async for part in parts:
            body += part
            if len(body) > LONGEST_REPLY:
                raise OpenAIError(f"The reply is longer than {LONGEST_REPLY:,} bytes.")
    headers = response.headers.copy()
    headers.pop("Content-Encoding", None)  # the body is unpacked
    return httpx2.Response(
        response.status_code, headers=headers, content=bytes(body), request=response.request
    )


def _connect(url: str | None, timeout: float, retries: int) -> AsyncOpenAI:
    """Return the client of a server. Raises ValueError if a key is needed, or the address is none."""
    key = os.environ.get(_KEY)
    if url is None:
        url = os.environ.get(_URL)
    elif not url.startswith(("http://", "https://")):
        raise ValueError(f"url={quoted(url)}: an address is needed, as in http://localhost:8000/v1")
    if key is None and url is None:
        raise ValueError(f"no key of the model's server is set: set {_KEY}, or name your own server by url=")
    return AsyncOpenAI(
        base_url=url,
        api_key=key or _NO_KEY,
        timeout=None,
        max_retries=retries,
        http_client=_BoundedClient(timeout),
    )


def _read_reply(found: Any) -> Reply:
    """Return the answer in a server's reply, which the client does not check. Raises one of _MALFORMED."""
    text = found.choices[0].message.content or ""
    tokens = [
        check_integer(name, int(getattr(found.usage, name, None) or 0), 0, _MOST_TOKENS)
        for name in ("prompt_tokens", "completion_tokens")
    ]
    readable = text.encode(errors="replace").decode()  # half of a pair of surrogates cannot be sent back
    return Reply(readable, *tokens)


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
