"""The cache of machine code: a folder for each package, named after a hash of all its sources.

numba's own cache notices only edits to a kernel's own file, and a kernel is built from many.
"""

import functools
import getpass
import hashlib
import importlib.util
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numba

log = logging.getLogger(__name__)

config: Any = numba.config  # its settings are made at run time, out of the type checker's sight

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
                if file.endswith(".py"):
                    inside = (Path(root) / file).relative_to(folder).with_suffix("").parts
                    yield ".".join((package, *inside)).removesuffix(".__init__"), Path(root) / file


@functools.cache
def cache_folder(package: str) -> str:
    """Return the folder for the machine code of one package, named after a hash of its sources."""
    digest = hashlib.sha256()
    for source in sources_of(package):
        digest.update(source.read_bytes())
    name = f"kernels-{digest.hexdigest()[:16]}"
    home = next(home for home in _homes(package) if _is_writable(home))
    if home.name == "__pycache__":
        for stale in home.glob("kernels-*"):
            if stale.name != name:
                shutil.rmtree(stale, ignore_errors=True)
    folder = home / name
    if not folder.exists():
        log.warning(
            "compiling the kernels of %s for this machine, each once, when it is first called "
            "(`python -m wizard_env.compiled` compiles all of them ahead)",
            package,
        )
    return str(folder)


def _homes(package: str) -> Iterator[Path]:
    """Yield the folders that may hold machine code, the best first."""
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR) / package
    yield _package_folder(package) / "__pycache__"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    yield Path(cache) / "wizard_env" / package
    yield Path(tempfile.gettempdir()) / f"wizard_env-{getpass.getuser()}" / package
    yield Path(tempfile.mkdtemp(prefix="wizard_env-"))


def _package_folder(package: str) -> Path:
    spec = _spec_of(package)
    folders = spec.submodule_search_locations
    return Path(folders[0] if folders else Path(spec.origin or "").parent).resolve()


def _spec_of(package: str) -> ModuleSpec:
    spec = importlib.util.find_spec(package)
    if spec is None or not (spec.origin or spec.submodule_search_locations):
        raise ModuleNotFoundError(f"no package {package!r} to hash the sources of")
    return spec


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
