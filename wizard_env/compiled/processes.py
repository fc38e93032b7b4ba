"""Ending child processes with their parent, even if it is killed."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """End this process, which multiprocessing has started, as soon as its parent has ended.

    A pool ends its processes when it is closed. A parent that is killed closes nothing.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
