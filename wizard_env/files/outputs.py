"""Files that a person named, to write: checked before the work that they hold, and written through links."""

import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from wizard_env.files.writing import write_atomically

_OPEN_FILES = ("/dev/", "/proc/")
"""Folders with links to the open files of a process."""


def check_file(path: Path) -> None:
    """Raise OSError if a file cannot be written at a path, before the work that it would hold."""
    if _is_stream(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(f"{path} may not be written to")
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: the path of a file is needed")
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is neither a file nor a stream: choose another path")
    folder = path.parent if not path.is_symlink() else _target(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {folder}")
    try:
        with tempfile.TemporaryFile(dir=folder):  # a disk may be read-only, whatever the modes are
            pass
    except OSError:
        raise PermissionError(f"{path}: the folder {folder} may not be written to") from None


def check_distinct(path: Path, others: Iterable[Path]) -> None:
    """Raise ValueError if a file to write is one of the others, also through links; streams may be."""
    if _is_stream(path):
        return
    for other in others:
        same = path.samefile(other) if path.exists() and other.exists() else path.resolve() == other.resolve()
        if same:
            raise ValueError(f"{path} is the file {other}, which is read or written too: choose another path")


def write_output(path: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a path to write a file to, which then replaces the one at `path`.

    A link stays, and the file that it leads to is replaced. Devices and pipes are written to.
    """
    if _is_stream(path):
        write(path)
    else:
        write_atomically(_target(path), write)


def _is_stream(path: Path) -> bool:
    """Return whether a path leads to a device without blocks, to a pipe, or to an open file of a process."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISCHR(mode) or stat.S_ISFIFO(mode):
        return True
    return stat.S_ISREG(mode) and path.is_symlink() and str(path.absolute()).startswith(_OPEN_FILES)


def _target(path: Path) -> Path:
    """Return the path that links lead to."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path
