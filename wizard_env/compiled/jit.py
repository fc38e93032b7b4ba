"""The decorators that compile: `compiled` for helpers, `kernel` for functions that Python calls.

With `NUMBA_DISABLE_JIT=1` every function stays plain Python and runs the same lines. `dispatchers.py` makes
numba compile several times as fast; with a version of numba that it was not tried with, or with
`WIZARD_PLAIN_NUMBA=1`, kernels are compiled as in `plain.py`.
"""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.registry import cpu_target

from wizard_env.compiled.patience import runs_plain

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.config  # its settings are made at run time, out of the type checker's sight
COMPILES = not config.DISABLE_JIT
_TRIED = ("0.61", "0.64", "0.66", "0.68")
"""The versions of numba whose internals fit `dispatchers.py`."""

KERNELS: dict[str, Any] = {}
"""The kernels of all modules imported so far, by module and name."""


def _find_backend() -> Any:
    """Return the module that makes helpers and kernels."""
    if numba.__version__.rpartition(".")[0] in _TRIED and not os.environ.get("WIZARD_PLAIN_NUMBA"):
        from wizard_env.compiled import dispatchers

        return dispatchers
    from wizard_env.compiled import plain

    return plain


_backend = _find_backend()


class Pair:
    """A function that Python runs, and the helper or intrinsic that compiled code calls instead."""

    def __init__(self, uncompiled: Callable[..., Any], compiled: Any) -> None:
        functools.update_wrapper(self, uncompiled)
        self._uncompiled = uncompiled
        self._compiled = compiled

    def __call__(self, *arguments: Any) -> Any:
        return self._uncompiled(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Read by numba when compiled code names the function."""
        return cpu_target.typing_context.resolve_value_type(self._compiled)


def pair(function: Function, compiled: Any) -> Function:
    """Pair a function, which Python runs, with one that does the same and that compiled code calls instead.

    compiled: a helper, or an intrinsic of numba's.
    """
    return cast(Function, Pair(function, compiled)) if COMPILES else function


def _helper(function: Function, inlined: bool) -> Any:
    return _backend.make_helper(function, inlined) if COMPILES else None


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
        made = _backend.Kernel(function, kinds)
        KERNELS[f"{function.__module__}.{function.__name__}"] = made
        return cast(Function, made)

    return compile_later


def direct(function: Function) -> Function:
    """Return the machine code of a kernel, which skips the check of types: callers keep to those declared.

    The check takes longer than a step of one game.
    """
    return function if COMPILES and runs_plain(function) else _machine_code(function)


@functools.cache
def _machine_code(function: Function) -> Function:
    return cast(Function, cast(Any, function).prepare()) if COMPILES else function
