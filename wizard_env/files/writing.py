"""Checks of paths to write to, and files that are written as a whole or not at all."""

import os
from collections.abc import Callable
from glob import escape
from pathlib import Path


def check_folder_with_parent(path: Path) -> None:
    """Raise OSError if the path of a folder to write into is that of a file, or its parent is missing."""
    _check_parent(path)
    check_no_file_in_way(path)


def check_no_file_in_way(path: Path) -> None:
    """Raise NotADirectoryError if the path of a folder to write into leads to a file or through one."""
    for part in (path, *path.parents):
        if part.exists() and not part.is_dir():
            raise NotADirectoryError(f"{path}: {part} is a file, not a folder")


def _check_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a temporary file beside `path`, then move that to `path`.

    If `write` raises, the file at `path` stays as it was. Leftovers of killed processes are removed.
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
    """Remove the temporary files that ended processes left beside `path`."""
    for temporary in path.parent.glob(f".{escape(path.stem)}.*{escape(path.suffix)}"):
        number = temporary.name.removeprefix(f".{path.stem}.").removesuffix(path.suffix)
        if number.isascii() and number.isdigit() and _has_ended(int(number)):
            temporary.unlink(missing_ok=True)


def _has_ended(process: int) -> bool:
    """Return whether no process has that number; False where the system does not say."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    return False
