"""The experiments that ship with the package, one TOML file each."""

from importlib.resources import files
from pathlib import Path

_FOLDER = Path(str(files(__name__)))


def names() -> list[str]:
    """Return the shipped configs."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def find(name: str) -> Path:
    """Return the path of a config: `name` itself if it is a file, else the shipped config of that name.

    Raises FileNotFoundError with the names of the shipped configs.
    """
    given = Path(name)
    if given.is_file():
        return given
    shipped = _FOLDER / f"{given.stem}.toml"
    if shipped.is_file() and name in (given.stem, shipped.name):
        return shipped
    known = ", ".join(names())
    raise FileNotFoundError(f"no config {name!r}: neither a file nor one of those shipped: {known}")
