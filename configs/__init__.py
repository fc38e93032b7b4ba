"""Experiments: one TOML file each, shipped with the package."""

from importlib.resources import files
from pathlib import Path


def find(name: str) -> Path:
    """The path of a config: `name` itself if it is a file, else the shipped config of that name.

    Raises FileNotFoundError, naming the configs that are shipped.
    """
    given = Path(name)
    if given.is_file():
        return given
    folder = Path(str(files(__name__)))
    shipped = folder / f"{given.stem}.toml"
    if shipped.is_file() and name in (given.stem, shipped.name):
        return shipped
    names = ", ".join(sorted(path.stem for path in folder.glob("*.toml")))
    raise FileNotFoundError(f"no config {name!r}: neither a file nor one of those shipped: {names}")
