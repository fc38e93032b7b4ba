"""The folder of machine code: the user's own, and named after a hash of the sources that it is made from.

numba by itself notices only edits to a kernel's own file, and not to its helpers. Machine code lies in
pickles, which run as this user: so the folder must be his, unless `WIZARD_CACHE` names one to be trusted.
"""

import functools
import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import platformdirs

log = logging.getLogger(__name__)
notices = logging.getLogger(f"{__name__}.notices")
"""For what is no fault: kernels that will be compiled."""

PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parents[1]
_WITHOUT_KERNELS = ("cli", "configs", "evaluation", "llm")
_KEPT = 20
"""Folders of other sources that are kept, those used last: of other versions, and other checkouts."""


def kernel_sources() -> Iterator[tuple[str, Path]]:
    """Yield each module that machine code may depend on, and its file."""
    for root, folders, files in os.walk(_ROOT, followlinks=True):  # parts of a checkout are links
        left_out = _WITHOUT_KERNELS if Path(root) == _ROOT else ()
        folders[:] = sorted(set(folders).difference(left_out))
        for source in sorted(Path(root, file) for file in files if file.endswith(".py")):
            parts = source.relative_to(_ROOT).with_suffix("").parts
            yield ".".join((PACKAGE, *parts)).removesuffix(".__init__"), source


@functools.cache
def folder() -> Path | None:
    """Return the folder for machine code, made if missing; None, and say so in the log, if it cannot be.

    The environment variable `WIZARD_CACHE` names another one than the user's own.
    """
    try:
        found = _find_folder()
    except OSError as error:
        log.warning("machine code is not kept, and every process compiles anew: %s", error)
        return None
    with suppress(OSError):  # it may be read-only
        os.utime(found)
        others = sorted(found.parent.glob("kernels-*"), key=lambda other: -other.stat().st_mtime)
        for stale in others[_KEPT:]:
            shutil.rmtree(stale, ignore_errors=True)
    return found


def _find_folder() -> Path:
    digest = hashlib.sha256()
    for module, source in kernel_sources():
        digest.update(module.encode() + source.read_bytes())
    named = os.environ.get("WIZARD_CACHE")
    base = Path(named) if named else platformdirs.user_cache_path(PACKAGE)
    if not base.is_absolute() and not named:
        raise FileNotFoundError("this user has no home")
    base.mkdir(0o777 if named else 0o700, parents=True, exist_ok=True)
    status = base.stat()
    if not named and hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        raise PermissionError(f"others may write to {base}")
    found = base / f"kernels-{digest.hexdigest()[:16]}"
    found.mkdir(exist_ok=True)
    return found


@functools.cache
def announce() -> None:
    """Say once that kernels will be compiled."""
    notices.warning(
        "compiling kernels for this machine, each once, when it is first called "
        "(`python -m wizard_env.compiled` compiles all of them ahead)"
    )


@functools.cache
def warn_once(message: str, *details: object) -> None:
    """Write a line to the log, unless it was written before."""
    log.warning(message, *details)
