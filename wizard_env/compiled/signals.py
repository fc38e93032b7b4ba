"""Holding signals back while something runs that an exception in its middle would break."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def signals_held() -> Iterator[None]:
    """Hold back the handlers of signals until the block has ended. They only ever run in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    found: dict[int, Any] = {number: signal.getsignal(number) for number in signal.valid_signals()}
    handlers = {number: handler for number, handler in found.items() if callable(handler)}
    came: list[int] = []
    is_holding = True

    def note(number: int, frame: Any) -> None:
        if is_holding:
            came.append(number)
        else:  # an exception of another handler kept this one from being set again
            handlers[number](number, frame)

    try:
        for number in handlers:
            signal.signal(number, note)
        yield
    finally:
        is_holding = False
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
