"""The job of workers, and their messages to the process that started them, which writes the files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wizard_env import Agent
from wizard_env.train.config.run import Config
from wizard_env.train.selfplay.progress import Progress

_MAX_LOSSES = 3
"""The most losses of workers in a row without an iteration between; then the run is given up."""


class Job(NamedTuple):
    """The job of every worker."""

    config: Config
    device: str
    mailbox: Any
    """The actor `Mailbox`."""
    agents: Mapping[str, Agent]
    """Agents in memory, by name."""
    start: Mapping[str, bytes]
    """The files of the networks to start from, by name."""


class Start(NamedTuple):
    """The start of the workers at a number of decisions; it may follow the loss of a worker."""

    decisions: int


class Iteration(NamedTuple):
    """The end of an iteration."""

    progress: Progress
    metrics: dict[str, float]


class Checkpoint(NamedTuple):
    """The files of a checkpoint and its agent, by name, the checkpoint last."""

    files: dict[str, bytes]


Message = Start | Iteration | Checkpoint


class Mailbox:
    """An actor on the machine of the process that started the run, so that workers need no common folder.

    Worker 0 reports for all, except when a worker fails.
    """

    def __init__(self, checkpoint: bytes | None) -> None:
        self._checkpoint = checkpoint
        self._messages: list[Message] = []
        self._error: Exception | None = None
        self._over = False
        self._losses = -1

    def checkpoint(self) -> bytes | None:
        """Return the last checkpoint."""
        return self._checkpoint

    def report_start(self, decisions: int) -> None:
        self._losses += 1
        if self._losses > _MAX_LOSSES:
            self.fail(
                RuntimeError(f"workers were lost {self._losses} times in a row at {decisions} decisions")
            )
        self._messages.append(Start(decisions))

    def report_iteration(self, progress: Progress, metrics: dict[str, float]) -> None:
        self._losses = 0
        self._messages.append(Iteration(progress, metrics))

    def report_checkpoint(self, files: dict[str, bytes]) -> None:
        """Report files, the checkpoint last."""
        *_, self._checkpoint = files.values()
        self._messages.append(Checkpoint(files))

    def fail(self, error: Exception) -> None:
        """End the run with an error that would come again."""
        self._error = self._error or error
        self._over = True

    def stop(self) -> None:
        """End the run after the iteration."""
        self._over = True

    def is_over(self) -> bool:
        return self._over

    def collect(self) -> tuple[list[Message], Exception | None]:
        """Return the messages since the last call, and the error that ended the run."""
        messages, self._messages = self._messages, []
        return messages, self._error


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder, and into the subfolders in their names."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read_files(folder: Path, last: str) -> dict[str, bytes]:
    """Read the files of a folder and its subfolders, by name as in "past/000001/agent"; `last` is last."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: files[name].read_bytes() for name in sorted(files, key=lambda name: (name == last, name))}
