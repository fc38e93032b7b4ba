"""The cache of machine code: a file for each kernel, in a folder named after a hash of its package's sources.

The files are pickles, so they are read only from folders that nobody else could have written to. A file that
cannot be read, or written, is never fatal: the kernel is compiled anew, and stays in memory.
"""

import errno
import functools
import hashlib
import logging
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

import numba
from numba.core import serialize
from numba.core.compiler import CompileResult

from wizard_env.checks import shortened
from wizard_env.compiled.owners import Writers, check_folder, own_writers, read_own, this_user, writers_of
from wizard_env.compiled.sources import folder_of, hash_of_sources, part_of
from wizard_env.files import write_atomically

log = logging.getLogger(__name__)
notices = logging.getLogger(f"{__name__}.notices")
"""For what is no fault: kernels that will be compiled."""

config: Any = numba.config  # its settings are made at run time, out of the type checker's sight

_NO_RIGHTS = (errno.EACCES, errno.EPERM, errno.EROFS)
_DIGEST = hashlib.sha256().digest_size


class _Home(NamedTuple):
    """A folder that may hold the machine code of a package."""

    base: Path
    """A folder that may be open to all; those below it, down to `folder`, may not."""
    folder: Path
    writers: Writers
    """All who may write to the folder."""

    def check(self) -> None:
        """Raise OSError if the folder is missing, or if others may write to it."""
        check_folder(self.base, self.folder, self.writers)

    def make(self) -> None:
        """Create the folder if it is missing. Raises OSError if that fails, or if others may write to it."""
        self.base.mkdir(parents=True, exist_ok=True)
        below = self.folder.relative_to(self.base).parts
        for depth in range(len(below)):
            self.base.joinpath(*below[: depth + 1]).mkdir(0o755, exist_ok=True)
        self.check()


class KernelCache:
    """The machine code of one kernel on disk, as numba's dispatchers ask for it."""

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = kernel
        self._package = part_of(kernel.__module__)
        self.cache_path = f"kernels-{hash_of_sources(self._package)}"
        """The name of the folder; numba shows it too."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the machine code from disk; None if none is there that can be used."""
        context.refresh()
        key, is_new = self._key(signature, context.codegen()), True
        for home in _homes(self._package, self.cache_path):
            path = home.folder / self._file_name(key)
            try:
                home.check()
                is_new = False
                content = read_own(path, home.writers)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                _warn_once("machine code in %s is not used: %s", home.folder, _reason(error))
                continue
            try:
                return _rebuild(content, key, context)
            except Exception as error:  # damage shows itself in any way
                _warn_once("%s is damaged, and its kernel is compiled anew: %s", path, _reason(error))
        if is_new:
            _announce(self._package)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write machine code to the first folder that takes it."""
        if result.library.has_dynamic_globals:  # addresses that change from process to process
            return
        key = self._key(signature, result.codegen)
        body = _dumps((key, result._reduce()))
        content = hashlib.sha256(body).digest() + body
        for home in _homes(self._package, self.cache_path, create=True):
            try:
                is_new = not home.folder.exists()
                home.make()
                path = home.folder / self._file_name(key)
                write_atomically(path, lambda temporary: temporary.write_bytes(content), mode=0o644)
            except OSError as error:
                if error.errno not in _NO_RIGHTS:
                    _warn_once("machine code cannot be kept in %s: %s", home.folder, _reason(error))
                continue
            if is_new and home.folder.parent.name == "__pycache__":
                _remove_stale(home.folder)
            return
        _warn_once("machine code of %s is not kept: there is no folder to write it to", self._package)

    def flush(self) -> None:
        """Do nothing; numba calls this before it compiles everything anew, and that replaces the files."""

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """Return all that the machine code depends on besides the sources."""
        cells = tuple(cell.cell_contents for cell in self._kernel.__closure__ or ())
        parts = (self._kernel.__code__.co_code, _dumps(cells))
        own = tuple(hashlib.sha256(part).hexdigest() for part in parts)
        return signature, own, codegen.magic_tuple(), numba.__version__, sys.implementation.cache_tag

    def _file_name(self, key: tuple[Any, ...]) -> str:
        """Return a name that tells kernels, kinds of processors and versions from each other."""
        kernel, code = self._kernel.__qualname__.replace("<", "").replace(">", ""), self._kernel.__code__
        digest = hashlib.sha256(repr(key[2:]).encode()).hexdigest()[:16]
        return f"{self._kernel.__module__}.{kernel}-{code.co_firstlineno}-{digest}.nbc"


def _rebuild(content: bytes, key: tuple[Any, ...], context: Any) -> Any:
    """Load machine code. Nothing of it is looked at before its digest: damaged code could end the process."""
    body = memoryview(content)[_DIGEST:]
    if hashlib.sha256(body).digest() != content[:_DIGEST]:
        raise ValueError("its digest is that of another content")
    found, reduced = pickle.loads(body)
    if found != key:
        raise ValueError("it holds another kernel")
    return cast(Any, CompileResult)._rebuild(context, *reduced)


def _homes(package: str, name: str, create: bool = False) -> Iterator[_Home]:
    """Yield the folders that may hold the machine code of a package, the best first.

    Args:
        name: of the folder, within one for the package.
        create: make one in the system's temporary folder, if it comes to that.
    """
    if not hash_of_sources(package):
        return  # nothing would tell old machine code from new
    own = own_writers()
    if config.CACHE_DIR:
        base = Path(config.CACHE_DIR)
        yield _Home(base, base / package / name, own)
        with suppress(OSError):
            base.mkdir(parents=True, exist_ok=True)
            if os.access(base, os.W_OK | os.X_OK):
                return  # it was named to be used alone
    folder, owners = folder_of(package), own
    with suppress(OSError):  # it is gone
        owners |= writers_of(folder.stat())  # they can change the sources
    yield _Home(folder, folder / "__pycache__" / name, owners)
    for base in _caches():
        yield _Home(base, base / "wizard_env" / package / name, own)
    for private in _temporary_folders(create):
        yield _Home(private.parent, private / package / name, own)


def _caches() -> list[Path]:
    """Return the user's folder for caches, if there is one."""
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not caches.is_absolute():
        try:
            caches = Path.home() / ".cache"
        except RuntimeError:  # a user without a home
            return []
    return [caches] if caches.is_absolute() else []


def _temporary_folders(create: bool) -> list[Path]:
    """Return the folders of this user in the system's temporary folder: one, unless others took its name.

    create: make one if there is none.
    """
    name = "-".join(("wizard_env", *(str(number) for _, number in this_user())))
    try:
        shared = Path(tempfile.gettempdir())
        found = [path for path in (shared / name, *sorted(shared.glob(f"{name}-*"))) if _is_own(path)]
        if found or not create:
            return found
        try:
            (shared / name).mkdir(0o700)
        except FileExistsError:
            return [Path(tempfile.mkdtemp(prefix=f"{name}-"))]
        return [shared / name]
    except OSError:  # there is none, or it cannot be written to
        return []


def _is_own(folder: Path) -> bool:
    try:
        check_folder(folder.parent, folder, this_user())
    except OSError:
        return False
    return True


def _remove_stale(folder: Path) -> None:
    """Remove the machine code of older sources of the package."""
    for other in folder.parent.glob("kernels-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{type(error).__name__}: {shortened(error)}"


@functools.cache
def _warn_once(message: str, *details: object) -> None:
    log.warning(message, *details)


@functools.cache
def _announce(package: str) -> None:
    notices.warning(
        "compiling the kernels of %s for this machine, each once, when it is first called "
        "(`python -m wizard_env.compiled` compiles all of them ahead)",
        package,
    )


def _dumps(content: Any) -> bytes:
    """Return a pickle that can hold types of numba's."""
    return bytes(cast(Any, serialize).dumps(content))
