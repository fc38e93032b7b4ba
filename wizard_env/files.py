"""Files: written as a whole or not at all, locked, and checked before they are read or written."""

import hashlib
import json
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

from wizard_env.checks import shortened
from wizard_env.extras import extra

_NEW, _PRIVATE = 0o666, 0o600
_LONGEST_STEM = 40
"""Characters of a file's name in that of its temporary file, which must not become too long."""
_DAY = 86_400
_MAX_JSON = 1 << 20
_TENSORS_SIZE = 8
"""Bytes at the beginning of a file of tensors that hold the length of its header."""
_held: dict[Path, os.stat_result] = {}
"""The locked files of this process."""
_OPEN_FILES = ("/dev/", "/proc/")
"""Folders with links to the open files of a process."""


# --- writing


def check_folder_with_parent(path: Path) -> None:
    """Raise OSError if the path of a folder to write into is that of a file, or its parent is missing."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    check_no_file_in_way(path)


def check_no_file_in_way(path: Path) -> None:
    """Raise NotADirectoryError if the path of a folder to write into leads to a file or through one."""
    for part in (path, *path.parents):
        if part.exists() and not part.is_dir():
            raise NotADirectoryError(f"{path}: {part} is a file, not a folder")


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a temporary file beside `path`, then move that to `path`.

    If `write` raises, the file at `path` stays as it was. Several threads and processes may write the same
    file: each time it is one of theirs as a whole. Leftovers of killed processes are removed after a day.
    The file keeps the mode of the one before; a new one has what the umask leaves.

    Raises FileNotFoundError as `check_still_held` does.
    """
    check_still_held(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(path.stat().st_mode) & 0o777 if path.is_file() else None
    prefix = f".{path.stem[:_LONGEST_STEM]}.unfinished-"
    _remove_leftovers(path, prefix)
    temporary = path.with_name(f"{prefix}{secrets.token_hex(8)}{path.suffix}")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, _NEW if mode is None else _PRIVATE))
    try:
        write(temporary)
        if mode is not None:
            temporary.chmod(mode)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105 - replaces on every platform
    finally:
        temporary.unlink(missing_ok=True)


def _remove_leftovers(path: Path, prefix: str) -> None:
    """Remove the temporary files that killed processes left beside `path`."""
    for leftover in path.parent.glob(f"{escape(prefix)}*{escape(path.suffix)}"):
        with suppress(OSError):  # another process has just removed it
            if leftover.stat().st_mtime < time.time() - _DAY:
                leftover.unlink()


def append_line(path: Path, line: bytes) -> None:
    """Write a line at the end of a file; if that fails, as on a full disk, the file stays as it was."""
    with path.open("ab", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[file.write(line) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(size)
            raise


@contextmanager
def locked(folder: Path, name: str = "_lock", wait: float = 0.0) -> Iterator[None]:
    """Hold the lock on a folder within this block; create the folder if it is missing.

    A lock ends with its process.

    name: of the locked file; readers of data sets skip names that begin with an underscore.
    wait: seconds to wait for another holder.

    Raises:
        BlockingIOError: another process holds the lock.
        NotADirectoryError: the path is that of a file.
    """
    with extra("train"):
        from filelock import FileLock, Timeout

    check_no_file_in_way(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / name, timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        raise BlockingIOError(f"{folder} is being written by another run: wait for its end") from None
    _held[folder / name] = (folder / name).stat()
    try:
        yield
    finally:
        del _held[folder / name]
        lock.release()


def check_still_held(path: Path) -> None:
    """Raise FileNotFoundError if a path is in a folder that this process locked, and it was moved since.

    Another process may have locked a new folder of that name.
    """
    for lock, held in _held.items():
        if lock.parent in path.parents and not (lock.exists() and os.path.samestat(lock.stat(), held)):
            raise FileNotFoundError(f"{lock.parent} was moved or replaced while this process wrote there")


# --- files that a person named, to write: checked before the work that they hold, and written through links


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


# --- reading, and contents


def check_kept(path: Path, max_bytes: int | None = None) -> None:
    """Raise OSError if a pipe or a device is in the place of a file: to read it could take for ever.

    max_bytes: the largest file that is allowed; a larger one raises ValueError.
    """
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is not a file: remove it, or choose another folder")
    if max_bytes is not None and path.stat().st_size > max_bytes:
        raise ValueError(f"{path}: it is larger than {max_bytes} bytes")


def read_object(path: Path) -> dict[str, Any]:
    """Read the JSON object in a file. Raises ValueError if it is too large or holds something else."""
    check_kept(path, _MAX_JSON)
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {shortened(error)}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path}: a JSON object is needed, as in {{...}}")
    return found


def compact_json(content: Any, sort_keys: bool = False) -> str:
    """Return JSON without spaces, on one line. With sorted keys, equal contents give equal texts."""
    return json.dumps(content, separators=(",", ":"), sort_keys=sort_keys)


def digest(text: str) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_tensors(path: Path, content: bytes) -> None:
    """Write what `save` of safetensors returned, with the metadata in alphabetical order.

    safetensors orders metadata differently from one call to the next; so equal contents give equal bytes.
    """
    end = _TENSORS_SIZE + int.from_bytes(content[:_TENSORS_SIZE], "little")
    header = json.loads(content[_TENSORS_SIZE:end])
    metadata = dict(sorted(header.pop("__metadata__", {}).items()))
    if metadata:
        header = {"__metadata__": metadata} | header
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _TENSORS_SIZE)  # so that the tensors stay aligned
    with path.open("wb") as file:
        file.write(len(text).to_bytes(_TENSORS_SIZE, "little"))
        file.write(text)
        file.write(memoryview(content)[end:])
