"""Patience: while machine code is compiled behind the scenes, kernels run as plain Python."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_patient = 0


@contextmanager
def patience() -> Iterator[None]:
    """Let kernels of this process run as plain Python while the block runs, unless they are loaded."""
    global _patient
    _patient += 1
    try:
        yield
    finally:
        _patient -= 1


def runs_plain(kernel: Any) -> bool:
    """Return whether a kernel has no machine code in this process, and is not compiled when it is called."""
    return _patient > 0 and not kernel.is_loaded()
