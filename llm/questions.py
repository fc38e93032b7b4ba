"""The questions of a TextAgent that wait until somebody answers them."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import NamedTuple

from wizard_env.llm.text_agent import Message

TAKEN_SECONDS = 120.0
"""Time after which a question that was taken and not answered is offered again."""
_WITHDRAWN = "the question was withdrawn"


class Question(NamedTuple):
    """A question that waits for its answer."""

    number: int
    conversation: tuple[Message, ...]


class _Pending:
    """A question, the answer that its asker waits for, and the time until which it is taken."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answer: Future[str] = Future()
        self.taken_until = 0.0


class Questions:
    """A queue between threads that ask and clients that answer, in any order."""

    def __init__(self, timeout: float) -> None:
        """Create an empty queue. timeout: seconds that questions may wait while none is answered."""
        self._timeout = timeout
        self._lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        """By number, the oldest first."""
        self._asked = 0
        self._deadline = 0.0
        self._accepts = False
        self._ended = False

    @property
    def ended(self) -> bool:
        """True once no further question will come."""
        return self._ended

    def begin(self) -> None:
        """Accept questions; their time runs from now on. Raises ConnectionError after `end`."""
        with self._lock:
            if self._ended:
                raise ConnectionError("no question is asked any more: the agent is closed")
            self._accepts = True
            self._restart_clock()

    def ask(self, conversation: Sequence[Message]) -> str:
        """Return the answer to a question. Called from any thread; it waits.

        Raises TimeoutError if no question is answered for too long, ConnectionError once they are withdrawn.
        """
        with self._lock:
            if not self._accepts:
                raise ConnectionError(_WITHDRAWN)
            self._asked += 1
            pending = _Pending(Question(self._asked, tuple(conversation)))
            self._pending[self._asked] = pending
        try:
            while True:
                try:
                    return pending.answer.result(self._deadline - time.monotonic())
                except TimeoutError:
                    if time.monotonic() >= self._deadline:  # else another was answered meanwhile
                        raise
        finally:
            with self._lock:
                self._pending.pop(pending.question.number, None)

    def take(self) -> Question | None:
        """Return the oldest question that nobody else has taken; None if there is none."""
        with self._lock:
            now = time.monotonic()
            for pending in self._pending.values():
                if pending.taken_until <= now:
                    pending.taken_until = now + TAKEN_SECONDS
                    return pending.question
        return None

    def answer(self, number: int, answer: str) -> None:
        """Answer a question, taken or not. Raises ValueError if it is not open."""
        with self._lock:
            pending = self._pending.pop(number, None)
            if pending is None:
                if 1 <= number <= self._asked:
                    raise ValueError(f"question {number} is closed: it was answered or withdrawn")
                raise ValueError(f"there is no question {number}")
            self._restart_clock()
            pending.answer.set_result(answer)

    def withdraw(self) -> None:
        """Withdraw all questions, and refuse others until `begin`."""
        with self._lock:
            self._accepts = False
            for pending in self._pending.values():
                pending.answer.set_exception(ConnectionError(_WITHDRAWN))
            self._pending.clear()

    def end(self) -> None:
        """Close the queue: withdraw all questions, and take no more."""
        self._ended = True
        self.withdraw()

    def _restart_clock(self) -> None:
        self._deadline = time.monotonic() + self._timeout
