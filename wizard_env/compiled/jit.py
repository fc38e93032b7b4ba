"""The decorators that compile: `compiled` for helpers, `kernel` for functions that Python calls.

With `NUMBA_DISABLE_JIT=1` every function stays plain Python and runs the same lines. A kernel's machine code
is kept on disk (see `compiled/cache.py`).
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from wizard_env.compiled.cache import KernelCache
from wizard_env.compiled.cache import config as config
from wizard_env.compiled.dispatchers import Helper, Kernel, Pair

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILES = not config.DISABLE_JIT

KERNELS: dict[str, Kernel] = {}
"""The kernels of all modules imported so far, by module and name."""


def pair(function: Function, compiled: Any) -> Function:
    """Pair a function, which Python runs, with one that does the same and that compiled code calls instead.

    compiled: a helper, or an intrinsic of numba's.
    """
    return cast(Function, Pair(function, compiled)) if COMPILES else function


def _helper(function: Function, inlined: bool) -> Any:
    return Helper(function, inlined) if COMPILES else None


def compiled(function: Function) -> Function:
    """Compile a helper that compiled functions call, inlined into each; Python runs it uncompiled."""
    return pair(function, _helper(function, inlined=True))


def outlined(function: Function) -> Function:
    """`compiled`, but not inlined: for what is large and called from many places, or happens rarely."""
    return pair(function, _helper(function, inlined=False))


def wrapping(function: Function) -> Function:
    """`compiled`, for unsigned arithmetic that is meant to wrap around."""
    return pair(np.errstate(over="ignore")(function), _helper(function, inlined=True))


def _make_unsigned(index: int) -> int:
    return np.uint64(index)  # type: ignore[return-value]


def _keep(index: int) -> int:
    return index


at = pair(_keep, _helper(_make_unsigned, inlined=True))
"""at(index): Mark an index as never negative, which spares compiled code the check."""


def kernel(*kinds: Any) -> Callable[[Function], Function]:
    """Compile a function that Python calls, for arguments of these kinds alone, and keep its machine code.

    Args:
        kinds: one for each argument. A type such as int, bool or np.uint64 stands for a number; a tuple or a
            NamedTuple for one of the kinds in it; a list of a dtype for a C-contiguous array that may be
            written to, with a list for each dimension: [[np.uint8]] is a matrix.
    """

    def compile_later(function: Function) -> Function:
        if not COMPILES:
            return function
        made = Kernel(function, kinds, KernelCache(function))
        KERNELS[f"{function.__module__}.{function.__name__}"] = made
        return cast(Function, made)

    return compile_later


@functools.cache
def direct(function: Function) -> Function:
    """Return the machine code of a kernel, which skips the check of types: callers keep to those declared.

    The check takes longer than a step of one game.
    """
    return cast(Function, cast(Any, function).prepare()) if COMPILES else function
