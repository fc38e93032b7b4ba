"""Child processes: they end with their parent, even if it is killed, and have none of its threads."""

import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import wait

_inherits_torch = False


def end_with_parent() -> None:
    """End this process, which multiprocessing has started, as soon as its parent has ended.

    A pool ends its processes when it is closed. A parent that is killed closes nothing.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def limit_torch_after_fork() -> None:
    """Keep torch to one thread in a process that was forked with torch in it, and do nothing in others.

    OpenMP would wait for the threads of the parent, which this process does not have, for ever.
    """
    if _inherits_torch and sys.modules["torch"].get_num_threads() > 1:
        sys.modules["torch"].set_num_threads(1)


def _note_torch() -> None:
    global _inherits_torch
    _inherits_torch = "torch" in sys.modules


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_torch)


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
