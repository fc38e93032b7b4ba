"""Locks on folders: one process at a time writes into a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wizard_env.checks.extras import extra
from wizard_env.files.writing import check_no_file_in_way

with extra("train"):
    from filelock import FileLock, Timeout


@contextmanager
def locked(folder: Path, name: str = "_lock") -> Iterator[None]:
    """Hold the lock on a folder within this block; create the folder if it is missing.

    A lock ends with its process.

    name: of the locked file; readers of data sets skip names that begin with an underscore.

    Raises:
        BlockingIOError: another process holds the lock.
        NotADirectoryError: the path is that of a file.
    """
    check_no_file_in_way(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / name, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise BlockingIOError(f"{folder} is being written by another run: wait for its end") from None
    try:
        yield
    finally:
        lock.release()
