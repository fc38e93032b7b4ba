"""The sources of a package, and a hash of them: numba itself notices only edits to a kernel's own file."""

import functools
import hashlib
import importlib.util
import os
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

BASE = __name__.partition(".")[0]
PARTS = tuple(f"{BASE}.{part}" for part in ("agents", "evaluation", "train", "play", "cli"))
"""Packages within this one that have a cache of their own, so that an edit to one leaves the others' code
as it is. Each may build on those before it."""


def part_of(module: str) -> str:
    """Return the package whose cache holds a module's kernels: a part of this package, or a whole package."""
    part = ".".join(module.split(".")[:2])
    return part if part in PARTS else module.partition(".")[0]


def sources_of(package: str) -> list[Path]:
    """List every Python file that the kernels of a package may be built from, in all folders below it."""
    own = PARTS[: PARTS.index(package) + 1] if package in PARTS else (package,)
    return [source for name in dict.fromkeys((BASE, *own)) for _, source in modules_of(name)]


def modules_of(package: str) -> Iterator[tuple[str, Path]]:
    """Yield the modules of one package and their files, without those of the parts within it."""
    spec = _spec_of(package)
    if spec.submodule_search_locations is None:
        yield package, Path(spec.origin or "")
        return
    for folder in map(Path, spec.submodule_search_locations):
        inner = {folder / part.rpartition(".")[2] for part in PARTS if part.startswith(f"{package}.")}
        for root, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if Path(root) / name not in inner)
            for file in sorted(files):
                source = Path(root) / file
                if source.suffix == ".py" and source.stem.isidentifier() and os.access(source, os.R_OK):
                    inside = source.relative_to(folder).with_suffix("").parts
                    yield ".".join((package, *inside)).removesuffix(".__init__"), source


@functools.cache
def hash_of_sources(package: str) -> str:
    """Return 16 hexadecimal digits that change with any source of a package, or "" if it has none to read."""
    sources = sources_of(package)
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16] if sources else ""


def folder_of(package: str) -> Path:
    """Return the folder that holds a package."""
    spec = _spec_of(package)
    folders = spec.submodule_search_locations
    return Path(folders[0] if folders else Path(spec.origin or "").parent).resolve()


def _spec_of(package: str) -> ModuleSpec:
    spec = importlib.util.find_spec(package)
    if spec is None or not (spec.origin or spec.submodule_search_locations):
        raise ModuleNotFoundError(f"no package {package!r} to hash the sources of")
    return spec
