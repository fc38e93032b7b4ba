"""Writing files so that nobody ever reads half of one."""

import os
from collections.abc import Callable
from glob import escape
from pathlib import Path


def check_folder(path: Path) -> None:
    """Raise FileNotFoundError if the folder of a file to write is missing: it may be misspelled."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then move it into place.

    If `write` raises, the file at `path` stays as it was. Temporary files of processes that were killed
    while they wrote it are removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        write(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105 - replaces on every platform
    finally:
        temporary.unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Remove the temporary files beside `path` that processes which have ended left behind."""
    for temporary in path.parent.glob(f".{escape(path.stem)}.*{escape(path.suffix)}"):
        number = temporary.name.removeprefix(f".{path.stem}.").removesuffix(path.suffix)
        if number.isascii() and number.isdigit() and _has_ended(int(number)):
            temporary.unlink(missing_ok=True)


def _has_ended(process: int) -> bool:
    """Whether there is no process of that number; where this cannot be asked for, there may be one."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    return False
