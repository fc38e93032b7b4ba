"""Checks of files to read that are kept in the folders of runs, leagues and data sets."""

from pathlib import Path


def check_kept(path: Path, max_bytes: int | None = None) -> None:
    """Raise OSError if a pipe or a device is in the place of a file: to read it could take for ever.

    max_bytes: the largest file that is allowed; a larger one raises ValueError.
    """
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is not a file: remove it, or choose another folder")
    if max_bytes is not None and path.stat().st_size > max_bytes:
        raise ValueError(f"{path}: it is larger than {max_bytes} bytes")
