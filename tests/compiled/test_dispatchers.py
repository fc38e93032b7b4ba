"""Helpers and kernels have one compiled form each; `outlined` stays outlined."""

from typing import Any

import numba
import numpy as np
import pytest

from wizard_env.compiled.jit import COMPILES, compiled, kernel, outlined, wrapping
from wizard_env.sampling import word_at

GAMMA = np.uint64(0x9E3779B97F4A7C15)


@outlined
def _apart(number: int) -> int:
    return number * 3 + 1


@compiled
def _through(number: int) -> int:
    return _apart(number) + 2


@wrapping
def _around(number: np.uint64) -> np.uint64:
    return number * GAMMA


@kernel([np.int8], [np.uint8], [np.int64])
def _sum_up(small: Any, bytes_: Any, large: Any) -> int:
    return _through(small[0]) + _through(bytes_[0]) + _through(large[0]) + _through(5)


@kernel([[np.float64]], int, (bool, int))
def _pick(matrix: Any, row: int, options: Any) -> float:
    return matrix[row, options[1]] if options[0] else 0.0


def _columns() -> Any:
    return np.arange(6.0).reshape(3, 2).T


def test_a_helper_runs_uncompiled_in_python() -> None:
    """With the same result, and named and documented as the function that it is."""
    assert _through(-4) == -9
    assert (_apart.__name__, word_at.__doc__ is None) == ("_apart", False)
    assert _around(np.uint64(3)) == np.uint64(3 * int(GAMMA) % 2**64)


def test_all_integers_share_one_form() -> None:
    assert COMPILES
    arrays = (np.array([-1], np.int8), np.array([200], np.uint8), np.array([2**40]))
    assert _sum_up(*arrays) == sum(_through(int(array[0])) for array in arrays) + _through(5)


def test_an_outlined_helper_stays_apart() -> None:
    """In a caller that is inlined too: numba would inline it there, and multiply the code."""

    def call(number: int) -> int:
        return _through(number) + _through(number + 1)

    compiled_call: Any = numba.njit(call)
    assert compiled_call(1) == call(1) == 6 + 9
    code = next(iter(compiled_call.inspect_llvm().values()))
    defined = [line for line in code.splitlines() if line.startswith("define")]
    assert any("_apart" in line for line in defined)
    assert not any("_through" in line for line in defined)


def test_a_kernel_takes_what_it_declares() -> None:
    matrix = np.arange(6.0).reshape(2, 3)
    assert _pick(matrix, 1, (True, 2)) == 5
    assert _pick(matrix, True, (True, 2)) == 5


@pytest.mark.parametrize("matrix", [np.zeros((2, 2), np.float32), _columns(), np.zeros(2), 3])
def test_other_types_are_refused(matrix: Any) -> None:
    """Before the first call has compiled it, and after."""
    for _ in range(2):
        with pytest.raises(TypeError, match="No matching definition for argument type"):
            _pick(matrix, 0, (True, 0))
        _pick(np.zeros((1, 1)), 0, (True, 0))
