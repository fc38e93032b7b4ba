"""Questions to agents: answered in threads of their own, a few at once, in an order fair to all clients."""

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from wizard_env.agents.assessment import Assessment, assess, expects_points
from wizard_env.loading import load
from wizard_env.play.language.translation import t
from wizard_env.view import Actions, View

T = TypeVar("T")


class BusyError(ValueError):
    """Too many questions are waiting."""


class SharedAgent:
    """An agent that several tables share; it answers one at a time."""

    def __init__(self, name: str) -> None:
        """Load the agent. Raises as `load` does."""
        self._agent = load(name)
        self._asked = threading.Lock()
        self.expects_points = expects_points(self._agent)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """See `Agent.act`."""
        with self._asked:
            return self._agent.act(view, rng)

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Its assessment of the decisions of a view, see `assess`."""
        with self._asked:
            return assess(self._agent, view, rng)


class Questions:
    """A queue of questions. Clients take turns, so one that asks much delays the others little."""

    def __init__(self, name: str, at_once: int, most_each: int, most: int) -> None:
        """Start without questions.

        Args:
            name: what the threads are called.
            at_once: how many are answered at the same time.
            most_each: how many may wait for one client.
            most: how many may wait for all of them.
        """
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._free = at_once
        self._most_each = most_each
        self._most = most
        self._queues: OrderedDict[str, deque[tuple[asyncio.Future[Any], Callable[[], Any]]]] = OrderedDict()

    async def ask(self, client: str, question: Callable[[], T]) -> T:
        """The answer to a question of a client. If this is cancelled, a question not yet begun is dropped.

        Raises BusyError, and what the question raises.
        """
        queue = self._queues.setdefault(client, deque())
        if len(queue) >= self._most_each or sum(map(len, self._queues.values())) >= self._most:
            if not queue:
                del self._queues[client]
            raise BusyError(t("too many questions are waiting for agents; try again"))
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        item = (answer, question)
        queue.append(item)
        self._start()
        try:
            return await answer
        finally:
            self._drop(client, item)

    def _start(self) -> None:
        """Answer as many questions as there are free threads, one client after the other."""
        while self._free and self._queues:
            client, queue = self._queues.popitem(last=False)
            answer, question = queue.popleft()
            if queue:
                self._queues[client] = queue  # which is now the last
            self._free -= 1
            running = asyncio.get_running_loop().run_in_executor(self._threads, question)
            running.add_done_callback(partial(self._finish, answer))

    def _finish(self, answer: "asyncio.Future[Any]", running: "asyncio.Future[Any]") -> None:
        self._free += 1
        error = None if running.cancelled() else running.exception()
        if running.cancelled():
            answer.cancel()
        elif not answer.done():
            if error is None:
                answer.set_result(running.result())
            else:
                answer.set_exception(error)
        self._start()

    def _drop(self, client: str, item: "tuple[asyncio.Future[Any], Callable[[], Any]]") -> None:
        queue = self._queues.get(client)
        if queue is not None:
            with suppress(ValueError):
                queue.remove(item)
            if not queue:
                del self._queues[client]

    def close(self) -> None:
        """Drop the questions that wait; the threads end with the questions they answer."""
        self._queues.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
