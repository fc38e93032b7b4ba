"""Writing files so that nobody ever reads half of one."""

import os
from collections.abc import Callable
from pathlib import Path


def check_folder(path: Path) -> None:
    """Raise FileNotFoundError if the folder of a file to write is missing: it may be misspelled."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then move it into place.

    If `write` raises, the file at `path` stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        write(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105 - replaces on every platform
    finally:
        temporary.unlink(missing_ok=True)
