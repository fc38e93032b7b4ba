"""How the package compiles: `compiled` for helpers, `kernel` for what Python calls.

With `NUMBA_DISABLE_JIT=1` every function stays plain Python and runs the same lines. A kernel's machine code
is kept on disk (see `compiled/cache.py`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

from wizard_env.compiled.cache import cache_folder, part_of
from wizard_env.compiled.dispatchers import Helper, Kernel, Twin

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.config  # its settings are made at run time, out of the type checker's sight

COMPILES = not config.DISABLE_JIT

KERNELS: dict[str, Kernel] = {}
"""The kernels of all modules imported so far, by module and name."""


def twin(function: Function, compiled: Any) -> Function:
    """A function that Python runs as it is, and that compiled code takes for another, which must do the same.

    compiled: a helper, or an intrinsic of numba's.
    """
    return cast(Function, Twin(function, compiled)) if COMPILES else function


def _helper(function: Function, inlined: bool) -> Any:
    return Helper(function, inlined) if COMPILES else None


def compiled(function: Function) -> Function:
    """Compile a helper that compiled functions call, inlined into each; Python runs it uncompiled."""
    return twin(function, _helper(function, inlined=True))


def outlined(function: Function) -> Function:
    """`compiled`, but not inlined: for what is large and called from many places, or happens rarely."""
    return twin(function, _helper(function, inlined=False))


def wrapping(function: Function) -> Function:
    """`compiled`, for unsigned arithmetic that is meant to wrap around."""
    return twin(np.errstate(over="ignore")(function), _helper(function, inlined=True))


def _unsigned(index: int) -> int:
    return np.uint64(index)  # type: ignore[return-value]


def _as_it_is(index: int) -> int:
    return index


at = twin(_as_it_is, _helper(_unsigned, inlined=True))
"""at(index): marks an index as never negative, which spares compiled code the check for one."""


def kernel(*kinds: Any) -> Callable[[Function], Function]:
    """Compile a function that Python calls, for arguments of these kinds alone, and keep its machine code.

    Args:
        kinds: one for each argument. A type such as int, bool or np.uint64 stands for a number, a tuple for a
            tuple of the kinds in it, and a list of a dtype for a C-contiguous array that may be written to,
            with a list for each dimension: [[np.uint8]] is a matrix.
    """

    def compile_later(function: Function) -> Function:
        if not COMPILES:
            return function
        # A file may be reached through a link (see tools/build_backend.py); numba's cache goes by the name.
        code = function.__code__
        function.__code__ = code.replace(co_filename=str(Path(code.co_filename).resolve()))
        made = Kernel(function, kinds)
        previous = config.CACHE_DIR
        config.CACHE_DIR = cache_folder(part_of(function.__module__))
        try:
            made.enable_caching()
        finally:
            config.CACHE_DIR = previous
        KERNELS[f"{function.__module__}.{function.__name__}"] = made
        return cast(Function, made)

    return compile_later


def direct(function: Function) -> Function:
    """The machine code of a kernel, which skips the check of types. Callers must keep to those declared.

    That check takes longer than a step of one game.
    """
    return cast(Function, cast(Any, function).prepare()) if COMPILES else function
