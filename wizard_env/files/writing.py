"""Writing files so that nobody ever reads half of one."""

import os
from collections.abc import Callable, Iterable
from glob import escape
from pathlib import Path


def check_folder(path: Path) -> None:
    """Raise FileNotFoundError if the folder of a file to write is missing: it may be misspelled."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")


def check_file(path: Path) -> None:
    """Raise OSError for the path of a file to write, if it cannot be written: so it fails before the work."""
    check_folder(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: the path of a file is needed")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{path}: the folder {path.parent} may not be written to")


def check_distinct(path: Path, others: Iterable[Path]) -> None:
    """Raise ValueError for a file to write that is one of the others, also through links."""
    for other in others:
        same = path.samefile(other) if path.exists() and other.exists() else path.resolve() == other.resolve()
        if same:
            raise ValueError(f"{path} is the file {other}, which is read or written too: choose another path")


def check_is_folder(path: Path) -> None:
    """Raise NotADirectoryError for the path of a folder to write into, if a file has its place."""
    for place in (path, *path.parents):
        if place.exists() and not place.is_dir():
            raise NotADirectoryError(f"{path}: {place} is a file, not a folder")


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
