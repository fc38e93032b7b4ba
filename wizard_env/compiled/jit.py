"""How the package compiles: `compiled` for helpers, `kernel` for what Python calls.

A kernel's machine code is kept on disk under a hash of every source file that it may be built from,
because numba's own cache notices only edits to the kernel's own file. With `NUMBA_DISABLE_JIT=1`
every function stays plain Python and runs the same lines.
"""

import functools
import getpass
import hashlib
import importlib.util
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.registry import cpu_target

Function = TypeVar("Function", bound=Callable[..., Any])

log = logging.getLogger("wizard_env")

config: Any = numba.config  # its settings are made at run time, out of the type checker's sight

COMPILES = not config.DISABLE_JIT


class Twin:
    """A function that Python and compiled code run differently."""

    def __init__(self, uncompiled: Callable[..., Any], compiled: Any) -> None:
        functools.update_wrapper(self, uncompiled)
        self._uncompiled = uncompiled
        self._compiled = compiled

    def __call__(self, *arguments: Any) -> Any:
        return self._uncompiled(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this function for, where compiled code names it."""
        return cpu_target.typing_context.resolve_value_type(self._compiled)


def twin(uncompiled: Function, compiled: Any) -> Function:
    return cast(Function, Twin(uncompiled, compiled)) if COMPILES else uncompiled


_HELPER = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Function) -> Function:
    """Compile a helper that only compiled functions call; it is inlined into each caller."""
    return twin(function, numba.njit(forceinline=True, **_HELPER)(function))


def outlined(function: Function) -> Function:
    """`compiled`, for what happens so rarely that callers are faster without it inlined."""
    return twin(function, numba.njit(forceinline=False, **_HELPER)(function))


def _unsigned(index: int) -> int:
    return np.uint64(index)  # type: ignore[return-value]


def _as_it_is(index: int) -> int:
    return index


at = twin(_as_it_is, numba.njit(forceinline=True, **_HELPER)(_unsigned))
"""at(index): marks an index as never negative, which spares compiled code the check for one."""


def wrapping(function: Function) -> Function:
    """`compiled`, for unsigned arithmetic that is meant to wrap around."""
    return twin(np.errstate(over="ignore")(function), numba.njit(forceinline=True, **_HELPER)(function))


def kernel(function: Function) -> Function:
    """Compile a function that Python calls with arrays, and keep its machine code on disk."""
    if not COMPILES:
        return function
    # A file may be reached through a link (see tools/build_backend.py); numba's cache goes by the name.
    code = function.__code__
    function.__code__ = code.replace(co_filename=str(Path(code.co_filename).resolve()))
    previous = config.CACHE_DIR
    config.CACHE_DIR = _cache_folder(_part_of(function.__module__))
    try:
        return cast(Function, numba.njit(nogil=True, error_model="numpy", cache=True)(function))
    finally:
        config.CACHE_DIR = previous


def direct(function: Function, *arguments: Any) -> Function:
    """A kernel compiled for the types of these arguments, which then skips the check of types.

    That check takes longer than a step of one game. Callers must keep to those types.
    """
    if not COMPILES:
        return function
    dispatcher = cast(Any, function)
    types = tuple(cast(Any, numba).typeof(argument) for argument in arguments)
    dispatcher.compile(types)
    return cast(Function, dispatcher.overloads[types].entry_point)


_BASE = __name__.partition(".")[0]
_PARTS = tuple(f"{_BASE}.{part}" for part in ("agents", "train", "play"))
"""Packages within this one that have a cache of their own, so that an edit to one leaves the others' code
as it is. Each may build on those before it."""


def _part_of(module: str) -> str:
    """The package whose cache holds the kernels of a module: a part of this package, or a whole package."""
    part = ".".join(module.split(".")[:2])
    return part if part in _PARTS else module.partition(".")[0]


def sources_of(package: str) -> list[Path]:
    """Every Python file that the kernels of a package may be built from, in all folders below it."""
    own = _PARTS[: _PARTS.index(package) + 1] if package in _PARTS else (package,)
    return [source for name in dict.fromkeys((_BASE, *own)) for source in _files_of(name)]


def _files_of(package: str) -> Iterator[Path]:
    """The files of one package, without those of the parts within it."""
    spec = _spec_of(package)
    if spec.submodule_search_locations is None:
        yield Path(spec.origin or "")
        return
    for folder in spec.submodule_search_locations:
        inner = {Path(folder) / part.rpartition(".")[2] for part in _PARTS if part.startswith(f"{package}.")}
        for root, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if Path(root) / name not in inner)
            yield from (Path(root) / file for file in sorted(files) if file.endswith(".py"))


@functools.cache
def _cache_folder(package: str) -> str:
    """The folder for the machine code of one package, named after a hash of its sources."""
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
            "compiling the kernels of %s for this machine, once: the first steps take some seconds",
            package,
        )
    return str(folder)


def _homes(package: str) -> Iterator[Path]:
    """Where machine code may be kept, the best place first."""
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
