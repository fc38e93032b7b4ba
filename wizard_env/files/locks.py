"""The lock of a folder: one process at a time writes there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wizard_env.extras import extra
from wizard_env.files.writing import check_is_folder

with extra("train"):
    from filelock import FileLock, Timeout

LOCK = "_lock"
"""The file that whoever writes into a folder has locked; readers of data sets skip such names."""


@contextmanager
def locked(folder: Path, name: str = LOCK) -> Iterator[None]:
    """Lock a folder, which is created if it is missing, for as long as the block runs.

    A lock ends with its process. name: the file that is locked.

    Raises:
        BlockingIOError: another has locked it.
        NotADirectoryError: a file has its place.
    """
    check_is_folder(folder)
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
