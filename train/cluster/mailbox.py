"""What workers tell the process that started them, which shows the progress and writes the files."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from wizard_env.train.selfplay.progress import Progress

LOSSES = 3
"""How often in a row workers may be lost before an iteration ends; then the run is given up."""


class Began(NamedTuple):
    """The workers have begun, or begun again after one was lost."""

    decisions: int
    """Of the checkpoint that they begin from."""


class Iterated(NamedTuple):
    """An iteration has ended."""

    progress: Progress
    metrics: dict[str, float]


class Saved(NamedTuple):
    """A checkpoint, with the agent that belongs to it."""

    files: dict[str, bytes]
    """By name, the checkpoint last."""


News = Began | Iterated | Saved


class Mailbox:
    """An actor on the machine of the process that started the run; workers need no folder in common.

    Worker 0 speaks for all, except when a worker fails.
    """

    def __init__(self, checkpoint: bytes | None) -> None:
        """checkpoint: to begin from, or None."""
        self._checkpoint = checkpoint
        self._news: list[News] = []
        self._error: Exception | None = None
        self._over = False
        self._losses = -1

    def checkpoint(self) -> bytes | None:
        """The last checkpoint, for workers that begin."""
        return self._checkpoint

    def begin(self, decisions: int) -> None:
        """Worker 0 is ready to learn on from a number of decisions."""
        self._losses += 1
        if self._losses > LOSSES:
            self.fail(
                RuntimeError(f"workers were lost {self._losses} times in a row at {decisions} decisions")
            )
        self._news.append(Began(decisions))

    def iterate(self, progress: Progress, metrics: dict[str, float]) -> None:
        """Report an iteration."""
        self._losses = 0
        self._news.append(Iterated(progress, metrics))

    def save(self, files: dict[str, bytes]) -> None:
        """Keep a checkpoint: the last of the files, by name."""
        *_, self._checkpoint = files.values()
        self._news.append(Saved(files))

    def fail(self, error: Exception) -> None:
        """End the run with an error that would come again."""
        self._error = self._error or error
        self._over = True

    def stop(self) -> None:
        """End the run after the iteration."""
        self._over = True

    def over(self) -> bool:
        """Whether the run is to end."""
        return self._over

    def collect(self) -> tuple[list[News], Exception | None]:
        """The news since the last call, and the error that ended the run."""
        news, self._news = self._news, []
        return news, self._error


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder, and into the folders in it that their names tell."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read(folder: Path, last: str) -> dict[str, bytes]:
    """The files of a folder and of those in it, by name as in "past/000001/agent"; `last` comes last."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: files[name].read_bytes() for name in sorted(files, key=lambda name: (name == last, name))}
