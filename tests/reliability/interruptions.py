"""Interruptions, as by a handler of a signal that raises: at a chosen moment, or after some time."""

import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any


class Interruption(BaseException):
    """Raised where a handler could raise."""


def interrupt(action: Callable[[], Any], number: int) -> bool:
    """Interrupt an action at the moment of this number; return False if it ends before.

    Python runs handlers where its functions begin, and where those in C have ended.
    """
    left = number

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal left
        if event not in ("call", "c_return") or frame.f_code is interrupt.__code__:
            return
        left -= 1
        if left < 0:
            raise Interruption

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    except Interruption:
        assert left < 0
    finally:
        sys.setprofile(before)
    return left < 0


def interrupt_after(action: Callable[[], Any], seconds: float) -> None:
    """Interrupt an action by a signal after some time, unless it ends before."""
    before = signal.signal(signal.SIGALRM, raise_interruption)
    try:
        with suppress(Interruption):
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                action()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


def raise_interruption(*_: object) -> None:
    """Interrupt, as the handler of a signal."""
    raise Interruption
