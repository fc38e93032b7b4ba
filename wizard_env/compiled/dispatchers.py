"""Changes to numba that compile helpers and kernels in seconds instead of minutes.

By default numba optimises each helper and turns it into machine code, then does so again, with everything
that the helper calls, in each of its callers. It makes another form of it for every combination of integer
types, and two more functions by which Python and C could call it. And "not inlined" is only a default, which
a caller that is inlined itself overrides for all that it calls. Here a helper gets none of that: it is
linked into kernels, and each kernel is optimised once.
"""

import os
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, cast

import numba
import numpy as np
from numba import types
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target

from wizard_env.compiled.signals import signals_held

_OPTIONS = {"nopython": True, "boundscheck": None, "error_model": "numpy", "no_cfunc_wrapper": True}


class Pair:
    """A function that Python runs, and the helper or intrinsic that compiled code calls instead."""

    def __init__(self, uncompiled: Callable[..., Any], compiled: Any) -> None:
        update_wrapper(self, uncompiled)
        self._uncompiled = uncompiled
        self._compiled = compiled

    def __call__(self, *arguments: Any) -> Any:
        return self._uncompiled(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Read by numba when compiled code names the function."""
        return cpu_target.typing_context.resolve_value_type(self._compiled)


class _Nowhere:
    """A code generator for code that is never loaded."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: code that never runs needs no environment."""


class _LinkOnlyLibrary(CPUCodeLibrary):
    """The code of a helper: linked into kernels, and neither optimised nor made machine code by itself."""

    codegen = _Nowhere()

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _HelperCompiler(Compiler):
    """numba's compiler, writing a `_LinkOnlyLibrary`."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, library or _LinkOnlyLibrary(target.codegen(), "helper"), *others)


class Helper(CPUDispatcher):
    """A helper in compiled code. It takes every integer, except a uint64, as an int64: one form for all."""

    def __init__(self, function: Callable[..., Any], inlined: bool) -> None:
        options = _OPTIONS | {"forceinline": inlined, "no_cpython_wrapper": True}
        super().__init__(function, targetoptions=options, pipeline_class=_HelperCompiler)

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """Called by numba to find out what a call with these types returns."""
        return super().get_call_template(tuple(map(_widened, arguments)), keywords)


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind


class Kernel(CPUDispatcher):
    """A function that Python calls with arguments of the kinds declared, see `jit.kernel`.

    cache: of numba's kind; it keeps the machine code on disk.
    """

    def __init__(self, function: Callable[..., Any], kinds: tuple[Any, ...], cache: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS | {"nogil": True})
        self._cache = cache
        wanted = function.__code__.co_argcount
        if len(kinds) != wanted:
            raise TypeError(f"{function.__name__} takes {wanted} arguments: {len(kinds)} kinds are declared")
        self._kinds = kinds
        self._declared: tuple[Any, ...] = ()

    @property
    def declared(self) -> tuple[Any, ...]:
        """The numba types of the arguments."""
        self._declared = self._declared or tuple(map(_type_of, self._kinds))
        return self._declared

    def prepare(self) -> Any:
        """Return the machine code for the declared types, read from disk or compiled by the first call."""
        with global_compiler_lock:
            if not self.overloads:
                with signals_held():  # numba never compiles again after some exceptions
                    self.compile(self.declared)
            self.disable_compile()  # in any case: the call before may have been interrupted
        return cast(Any, self.overloads[self.declared]).entry_point

    def is_kept(self) -> bool:
        """Return whether the machine code is at hand, here or on disk."""
        with global_compiler_lock:
            return (
                bool(self.overloads) or self._cache.load_overload(self.declared, self.targetctx) is not None
            )

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """Called by numba where a kernel calls a kernel."""
        self.prepare()
        return super().get_call_template(arguments, keywords)

    def _compile_for_args(self, *arguments: Any, **keywords: Any) -> Any:
        """Called by numba for the first call from Python."""
        entry = self.prepare()
        self._explain_matching_error(*arguments)
        return entry

    def _explain_matching_error(self, *arguments: Any, **keywords: Any) -> None:
        """Called by numba for arguments of other types. Raises TypeError for the first of them."""
        names = self.py_func.__code__.co_varnames
        for name, argument, wanted in zip(names, arguments, self.declared, strict=False):
            given = self.typeof_pyval(argument)
            if self.typingctx.can_convert(given, wanted) is None:
                where = f"{self.py_func.__name__}, argument {name}"
                raise TypeError(f"{where}: {_described(given)} was given, {_described(wanted)} is needed")


def _stop_compiling() -> None:
    """Wait until no thread compiles, and keep it so: in a forked process nobody would release the lock."""
    with signals_held():
        global_compiler_lock.acquire()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_stop_compiling,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )


def _type_of(kind: Any) -> Any:
    if isinstance(kind, tuple):
        named = None if type(kind) is tuple else type(kind)
        return types.BaseTuple.from_types(tuple(map(_type_of, kind)), named)
    dimensions = 0
    while isinstance(kind, list):
        (kind,) = kind
        dimensions += 1
    if dimensions:
        return numba.typeof(np.empty((1,) * dimensions, kind))
    return numba.typeof(kind())


def _described(kind: Any) -> str:
    if not isinstance(kind, types.Array):
        return str(kind)
    contents = "records" if isinstance(kind.dtype, types.Record) else str(kind.dtype)
    remarks = ("" if kind.mutable else " read-only") + ("" if kind.layout == "C" else " non-contiguous")
    return f"a{remarks} {kind.ndim}-dimensional array of {contents}"
