"""Checks of paths to write to, and files that are written as a whole or not at all."""

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_NEW, _PRIVATE = 0o666, 0o600
_NAME_BYTES = 8
"""Random bytes in the name of a temporary file."""
_LONGEST_STEM = 40
"""Characters of a file's name in that of its temporary file, which must not become too long."""


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


def write_atomically(path: Path, write: Callable[[Path], object], mode: int | None = None) -> None:
    """Call `write` with a temporary file beside `path`, then move that to `path`.

    If `write` raises, the file at `path` stays as it was. Several threads and processes may write the same
    file: each time it is one of theirs as a whole. Leftovers of killed processes are removed.

    mode: of the file; by default that of the file before, and what the umask leaves to a new one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode is None and path.is_file():
        mode = stat.S_IMODE(path.stat().st_mode) & 0o777
    _remove_leftovers(path)
    with _temporary_file(path, _NEW if mode is None else _PRIVATE) as temporary:
        write(temporary)
        if mode is not None:
            temporary.chmod(mode)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105 - replaces on every platform


@contextmanager
def _temporary_file(path: Path, mode: int) -> Iterator[Path]:
    """Make an empty file beside `path`, under a name that cannot be guessed, for as long as the block runs.

    It is locked, which tells it from a leftover: the number of a process means nothing in another container.
    """
    while True:
        temporary = path.with_name(f"{_prefix(path)}{secrets.token_hex(_NAME_BYTES)}{path.suffix}")
        file = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        if fcntl is None:  # an open file could not be moved there
            os.close(file)
        try:
            if fcntl is None or _lock_new(file, temporary):
                yield temporary
                return
        finally:
            temporary.unlink(missing_ok=True)
            if fcntl is not None:
                os.close(file)


def _lock_new(file: int, path: Path) -> bool:
    """Lock a new file; return False if another process has taken it for a leftover before that."""
    try:
        return _lock(file, path)
    except OSError:
        return True  # a file system without locks, on which nothing is taken for a leftover


def _lock(file: int, path: Path) -> bool:
    """Lock an open file; return whether that worked at once, and it is still the file at the path.

    Raises OSError if the file system has no locks.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file), path.lstat())
    except (BlockingIOError, FileNotFoundError):
        return False


def _prefix(path: Path) -> str:
    return f".{path.stem[:_LONGEST_STEM]}."


def _remove_leftovers(path: Path) -> None:
    """Remove the temporary files that ended processes left beside `path`."""
    if fcntl is None:
        return
    prefix, suffix = _prefix(path), path.suffix
    name = re.compile(f"{re.escape(prefix)}[0-9a-f]{{{2 * _NAME_BYTES}}}{re.escape(suffix)}")
    for leftover in path.parent.glob(f"{escape(prefix)}*{escape(suffix)}"):
        if not name.fullmatch(leftover.name):
            continue
        with suppress(OSError):  # another user's, or no file, or just removed
            file = os.open(leftover, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if stat.S_ISREG(os.fstat(file).st_mode) and _lock(file, leftover):
                    leftover.unlink()
            finally:
                os.close(file)
