"""Questions that take long to answer: threads answer a few at a time, in the order in which they come."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from wizard_table.translation import t

T = TypeVar("T")


class BusyError(ValueError):
    """Too many questions are waiting."""


class Questions:
    """A queue of questions, and the threads that answer them."""

    def __init__(self, name: str, at_once: int, most: int) -> None:
        """Answer `at_once` questions at a time; `most` may be asked and not answered yet."""
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._most = most
        self._asked = 0

    async def ask(self, question: Callable[[], T]) -> T:
        """Answer a question; cancelling drops it. Raises BusyError, and what the question raises."""
        if self._asked >= self._most:
            raise BusyError(t("too many questions are waiting; try again"))
        self._asked += 1
        try:
            in_context = copy_context().run  # so that it is answered in the client's language
            return await asyncio.get_running_loop().run_in_executor(self._threads, in_context, question)
        finally:
            self._asked -= 1

    def close(self) -> None:
        """Drop the questions that wait; the threads end with the questions they answer."""
        self._threads.shutdown(wait=False, cancel_futures=True)
