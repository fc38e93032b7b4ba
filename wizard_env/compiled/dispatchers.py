"""Changes to numba that compile helpers and kernels in seconds instead of minutes.

By default numba optimises each helper and turns it into machine code, then does so again, with everything
that the helper calls, in each of its callers. It makes another form of it for every combination of integer
types, and two more functions by which Python and C could call it. And "not inlined" is only a default, which
a caller that is inlined itself overrides for all that it calls. Here a helper gets none of that: it is
linked into kernels, and each kernel is optimised once. And each kernel's machine code is kept in a file.
"""

import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numba
from numba import types
from numba.core import serialize
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from wizard_env.checks import shortened
from wizard_env.compiled import cache
from wizard_env.compiled.patience import runs_plain
from wizard_env.compiled.plain import type_of
from wizard_env.files import write_atomically

_DIGEST_SIZE = hashlib.sha256().digest_size
_OPTIONS = {"nopython": True, "boundscheck": None, "error_model": "numpy", "no_cfunc_wrapper": True}


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


def make_helper(function: Callable[..., Any], inlined: bool) -> Any:
    """Compile a helper, inlined into all its callers or into none."""
    return Helper(function, inlined)


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind


class Kernel(CPUDispatcher):
    """A function that Python calls with arguments of the kinds declared, see `jit.kernel`."""

    def __init__(self, function: Callable[..., Any], kinds: tuple[Any, ...]) -> None:
        super().__init__(function, targetoptions=_OPTIONS | {"nogil": True})
        self._cache = _KernelCache(function)
        self._kinds = kinds

    @cached_property
    def _declared(self) -> tuple[Any, ...]:
        """The numba types of the arguments."""
        return tuple(map(type_of, self._kinds))

    def prepare(self) -> Any:
        """Return the machine code for the declared types, read from disk or compiled by the first call."""
        with global_compiler_lock:
            if not self.overloads:
                self.compile(self._declared)
                self.disable_compile()
        return cast(Any, self.overloads[self._declared]).entry_point

    def is_loaded(self) -> bool:
        """Return whether this process has the machine code."""
        return bool(self.overloads)

    def is_kept(self) -> bool:
        """Return whether the machine code is at hand, here or on disk."""
        return self.is_loaded() or self._cache.load_overload(self._declared, self.targetctx) is not None

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """Called by numba where a kernel calls a kernel."""
        self.prepare()
        return super().get_call_template(arguments, keywords)

    def _compile_for_args(self, *arguments: Any, **keywords: Any) -> Any:
        """Called by numba for the first call from Python. Raises TypeError for arguments of other types."""
        if runs_plain(self):
            return self.py_func
        entry = self.prepare()
        for argument, wanted in zip(arguments, self._declared, strict=True):
            if self.typingctx.can_convert(self.typeof_pyval(argument), wanted) is None:
                cast(Any, self)._explain_matching_error(*arguments)
        return entry


class _KernelCache:
    """The machine code of one kernel on disk, as numba's dispatchers ask for it.

    A file that cannot be read or written is never fatal: the kernel is compiled anew, and stays in memory.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._name = f"{kernel.__module__}.{kernel.__qualname__}"

    @property
    def cache_path(self) -> str:
        """Shown by numba."""
        return str(cache.folder())

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the machine code from disk; None if none is there that can be used."""
        context.refresh()
        key = self._key(signature, context.codegen())
        path = self._path(key)
        try:
            return None if path is None else _rebuild(path.read_bytes(), key, context)
        except FileNotFoundError:
            cache.announce()
        except Exception as error:  # damage shows itself in any way
            cache.warn_once("%s cannot be used, and its kernel is compiled anew: %s", path, shortened(error))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write machine code to disk."""
        key = self._key(signature, result.codegen)
        path = self._path(key)
        if path is None or result.library.has_dynamic_globals:  # addresses that change with the process
            return
        body: bytes = serialize.dumps((key, result._reduce()))
        content = hashlib.sha256(body).digest() + body
        try:
            write_atomically(path, lambda temporary: temporary.write_bytes(content))
        except OSError as error:
            cache.warn_once("machine code cannot be kept in %s: %s", path.parent, error.strerror)

    def flush(self) -> None:
        """Do nothing; numba calls this before it compiles everything anew, and that replaces the files."""

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """Return all that the machine code depends on besides the sources."""
        return self._name, signature, codegen.magic_tuple(), numba.__version__, sys.implementation.cache_tag

    def _path(self, key: tuple[Any, ...]) -> Path | None:
        """Return the file's path, under a name that tells kernels, processors and versions from each other.

        None if there is no folder, or its name would not change with the kernel's sources.
        """
        folder = cache.folder() if self._name.startswith(f"{cache.PACKAGE}.") else None
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return None if folder is None else folder / f"{self._name}-{digest}.nbc"


def _rebuild(content: bytes, key: tuple[Any, ...], context: Any) -> Any:
    """Load machine code. Nothing of it is looked at before its digest: damaged code could end the process."""
    body = memoryview(content)[_DIGEST_SIZE:]
    if hashlib.sha256(body).digest() != content[:_DIGEST_SIZE]:
        raise ValueError("it is damaged")
    found, reduced = pickle.loads(body)
    if found != key:
        raise ValueError("it holds another kernel")
    return cast(Any, CompileResult)._rebuild(context, *reduced)
