"""Writing the files of a run whose workers are elsewhere."""

import logging
import time
from dataclasses import replace
from operator import methodcaller
from pathlib import Path

from wizard_env.files import write_atomically
from wizard_env.train.cluster.mailbox import Checkpoint, Iteration, Message, Start
from wizard_env.train.config.run import Config
from wizard_env.train.run import keep_config
from wizard_env.train.selfplay.curves import DECISIONS, Curves
from wizard_env.train.selfplay.progress import Report

_log = logging.getLogger(__name__)


class Writer:
    """Writes the workers' checkpoints and curves into the run's folder, and reports their progress."""

    def __init__(self, config: Config, folder: Path, report: Report) -> None:
        self._config = config
        self._folder = folder
        self._report = report
        self._start = time.monotonic()
        self._curves: Curves | None = None

    def handle(self, message: Message) -> None:
        match message:
            case Start(decisions):
                if self._curves is None:
                    keep_config(self._config, self._folder)
                    self._start = time.monotonic()
                else:
                    _log.warning("a worker was lost: the run continues from %d decisions", decisions)
                    self._curves.close()
                self._curves = Curves(self._folder, decisions)
            case Iteration(progress, metrics):
                assert self._curves is not None
                self._curves.add({**metrics, DECISIONS: progress.decisions}, progress.decisions)
                if self._report is not None:
                    self._report(replace(progress, seconds=time.monotonic() - self._start))
            case Checkpoint(files):
                for name, content in files.items():
                    write_atomically(self._folder / name, methodcaller("write_bytes", content))

    def close(self) -> None:
        if self._curves is not None:
            self._curves.close()
