"""Questions that take long to answer: in threads, a few at a time, in an order fair to all clients."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, NamedTuple, TypeVar

from wizard_table.translation import t

T = TypeVar("T")


class BusyError(ValueError):
    """Too many questions are waiting."""


class _Question(NamedTuple):
    """A question that waits."""

    compute: Callable[[], Any]
    answer: asyncio.Future[Any]


class Questions:
    """A queue of questions. Clients take turns, so one that asks much delays the others little."""

    def __init__(
        self, name: str, *, at_once: int, most_each: int, most: int, at_once_each: int | None = None
    ) -> None:
        """Answer `at_once` questions at a time, `at_once_each` of a client unless that is None.

        `most_each` of a client and `most` in all may wait.
        """
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._free = at_once
        self._most_at_once = at_once if at_once_each is None else at_once_each
        self._answered: Counter[str] = Counter()
        """The questions of each client that are being answered."""
        self._most_each = most_each
        self._most = most
        self._queues: OrderedDict[str, deque[_Question]] = OrderedDict()

    async def ask(self, client: str, question: Callable[[], T]) -> T:
        """Answer a question; cancelling drops it. Raises BusyError, and what the question raises."""
        queue = self._queues.setdefault(client, deque())
        if len(queue) >= self._most_each or sum(map(len, self._queues.values())) >= self._most:
            if not queue:
                del self._queues[client]
            raise BusyError(t("too many questions are waiting; try again"))
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiting = _Question(partial(copy_context().run, question), answer)  # in the client's language
        queue.append(waiting)
        self._start()
        try:
            return await answer
        finally:
            self._drop(client, waiting)

    def _start(self) -> None:
        """Give every free thread a question, from one client after the other."""
        while self._free and (client := self._next_client()) is not None:
            queue = self._queues.pop(client)
            question = queue.popleft()
            if queue:
                self._queues[client] = queue  # which is now the last
            self._free -= 1
            self._answered[client] += 1
            running = asyncio.get_running_loop().run_in_executor(self._threads, question.compute)
            running.add_done_callback(partial(self._finish, client, question.answer))

    def _next_client(self) -> str | None:
        """Return the first client whose next question may be answered now."""
        return next((one for one in self._queues if self._answered[one] < self._most_at_once), None)

    def _finish(self, client: str, answer: "asyncio.Future[Any]", running: "asyncio.Future[Any]") -> None:
        self._free += 1
        self._answered[client] -= 1
        if not self._answered[client]:
            del self._answered[client]
        if running.cancelled():
            answer.cancel()
        elif answer.done():
            running.exception()  # read, or asyncio would log it
        elif error := running.exception():
            answer.set_exception(error)
        else:
            answer.set_result(running.result())
        self._start()

    def _drop(self, client: str, question: _Question) -> None:
        queue = self._queues.get(client)
        if queue is not None:
            with suppress(ValueError):
                queue.remove(question)
            if not queue:
                del self._queues[client]

    def close(self) -> None:
        """Drop the questions that wait; the threads end with the questions they answer."""
        self._queues.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
