"""Files and folders that nobody else could have written: what others wrote must not run as this user."""

import os
import stat
from pathlib import Path

Writers = frozenset[tuple[str, int]]
"""Those who may write: ("user", number), ("group", number), ("everybody", 0)."""


def this_user() -> Writers:
    """Return this user; nobody on Windows."""
    return frozenset({("user", os.geteuid())}) if os.name == "posix" else frozenset()


def own_writers() -> Writers:
    """Return this user and the administrator; nobody on Windows."""
    return this_user() | {("user", 0)} if os.name == "posix" else frozenset()


def writers_of(status: os.stat_result) -> Writers:
    """Return all who may write to a file or folder, or replace a link; nobody on Windows."""
    if os.name != "posix":
        return frozenset()
    found = {("user", status.st_uid)}
    if not stat.S_ISLNK(status.st_mode):
        found |= {("group", status.st_gid)} if status.st_mode & stat.S_IWGRP else set()
        found |= {("everybody", 0)} if status.st_mode & stat.S_IWOTH else set()
    return frozenset(found)


def check_folder(base: Path, folder: Path, writers: Writers) -> None:
    """Raise PermissionError if others than `writers` may write to a folder, or to one on the way from `base`.

    `base` itself may be open to all, as the system's temporary folder is. Raises FileNotFoundError if the
    folder is missing.
    """
    for part in (folder, *folder.parents):
        if part == base:
            return
        if not writers_of(part.lstat()) | writers_of(part.stat()) <= writers:
            raise PermissionError(f"{part} belongs to others, or others may write to it")


def read_own(path: Path, writers: Writers) -> bytes:
    """Read a regular file. Raises PermissionError if others than `writers` may write to it."""
    with open(path, "rb", opener=_open_regular) as file:
        if not writers_of(os.fstat(file.fileno())) <= writers:
            raise PermissionError(f"{path} belongs to others, or others may write to it")
        return file.read()


def _open_regular(path: str, flags: int) -> int:
    """Open a file, and neither follow a link nor wait for a fifo."""
    file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(f"{path} is no file")
    return file
