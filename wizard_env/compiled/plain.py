"""Helpers and kernels as any numba compiles them, slower than `dispatchers.py` and with equal results."""

import os
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

import numba
import numpy as np
from numba import types

from wizard_env.compiled import cache
from wizard_env.compiled.patience import runs_plain

_OPTIONS: Any = {"error_model": "numpy"}


class Kernel:
    """A function that Python calls with arguments of the kinds declared, see `jit.kernel`."""

    def __init__(self, function: Callable[..., Any], kinds: tuple[Any, ...]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._kinds = kinds

    @cached_property
    def _dispatcher(self) -> Any:
        """The kernel, compiled for the declared types, or read from what numba keeps in our folder."""
        folder = cache.folder()
        keeps = folder is not None and os.access(folder, os.W_OK)  # elsewhere numba would find stale code
        config: Any = numba.config
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder) if keeps else config.CACHE_DIR
        try:
            made: Any = numba.njit(nogil=True, cache=keeps, **_OPTIONS)(self.py_func)
        finally:
            config.CACHE_DIR = before
        made.compile(tuple(map(type_of, self._kinds)))
        made.disable_compile()
        return made

    def __call__(self, *arguments: Any) -> Any:
        return (self.py_func if runs_plain(self) else self._dispatcher)(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Read by numba where a kernel calls a kernel."""
        return numba.typeof(self._dispatcher)

    def prepare(self) -> Any:
        """Return the kernel, read from disk or compiled by the first call."""
        return self._dispatcher

    def is_loaded(self) -> bool:
        """Return whether this process has the machine code."""
        return "_dispatcher" in self.__dict__

    def is_kept(self) -> bool:
        """Return whether the machine code is at hand; numba does not say what is on disk."""
        return self.is_loaded()


def make_helper(function: Callable[..., Any], inlined: bool) -> Any:
    """Compile a helper; numba decides what it inlines."""
    return numba.njit(**_OPTIONS)(function)


def type_of(kind: Any) -> Any:
    """Return numba's type of an argument of a kind, see `jit.kernel`."""
    if isinstance(kind, tuple):
        named = None if type(kind) is tuple else type(kind)
        return types.BaseTuple.from_types(tuple(map(type_of, kind)), named)
    dimensions = 0
    while isinstance(kind, list):
        (kind,) = kind
        dimensions += 1
    if dimensions:
        return numba.typeof(np.empty((1,) * dimensions, kind))
    return numba.typeof(kind())
