"""Whether a server is ready: its kernels are compiled, and its agents have acted once."""

from typing import Any


class Readiness:
    """How far the preparation of a server is. One thread writes it, others read it."""

    def __init__(self, ready: bool = False) -> None:
        """Start with nothing done."""
        self.ready = ready
        self.done = 0
        self.total = 0
        """Steps of the preparation; 0 until they are counted."""

    def to_json(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"ready": self.ready, "done": self.done, "total": self.total}


READY = Readiness(ready=True)
"""For a server that compiles kernels when they are first called."""
