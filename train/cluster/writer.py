"""Writing the files of a run that others compute."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard_env.files.writing import write_atomically
from wizard_env.train.cluster.mailbox import Began, Iterated, News, Saved
from wizard_env.train.selfplay.curves import DECISIONS, Curves
from wizard_env.train.selfplay.progress import Progress

_log = logging.getLogger(__name__)


class Writer:
    """Writes what workers tell into the run's folder, and reports their progress."""

    def __init__(
        self, folder: Path, report: Callable[[Progress], None] | None, begin: Callable[[], None]
    ) -> None:
        """report: called after every iteration. begin: called when the workers have begun."""
        self._folder = folder
        self._begin = begin
        self._report = report
        self._began = time.monotonic()
        self._curves: Curves | None = None

    def take(self, news: News) -> None:
        """Write and report one piece of news."""
        match news:
            case Began(decisions):
                if self._curves is None:
                    self._begin()
                    self._began = time.monotonic()
                else:
                    _log.warning("a worker was lost: the run goes on from %d decisions", decisions)
                    self._curves.close()
                self._curves = Curves(self._folder, decisions)
            case Iterated(progress, metrics):
                assert self._curves is not None
                self._curves.add({**metrics, DECISIONS: progress.decisions}, progress.decisions)
                if self._report is not None:
                    self._report(replace(progress, seconds=time.monotonic() - self._began))
            case Saved(files):
                for name, content in files.items():
                    write_atomically(self._folder / name, partial(_fill, content))

    def close(self) -> None:
        """Close the curves."""
        if self._curves is not None:
            self._curves.close()


def _fill(content: bytes, path: Path) -> None:
    path.write_bytes(content)
