"""Counting and finding bits, each in one instruction where the processor has it."""

from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from wizard_env.compiled.jit import compiled, config, pair

_WORD = ir.IntType(64)


@intrinsic
def _count_bits_compiled(_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _lowest_bit_compiled(_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


@intrinsic
def _deposit_bits(_context: Any, source: Any, places: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        instruction = ir.FunctionType(_WORD, [_WORD, _WORD])
        deposit = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=instruction)
        return builder.call(deposit, arguments)

    return types.int64(types.int64, types.int64), generate


@compiled
def _nth_bit_deposited(bits: int, n: int) -> int:
    return _deposit_bits(1 << n, bits)  # type: ignore[call-arg]


@compiled
def _nth_bit_counted(bits: int, n: int) -> int:
    for _ in range(n):
        bits &= bits - 1
    return bits & -bits


def _count_bits_uncompiled(bits: int) -> int:
    return int(bits).bit_count()


def _lowest_bit_uncompiled(bits: int) -> int:
    return (int(bits) & -int(bits)).bit_length() - 1


_has_deposit = bool(
    not (config.CPU_NAME or config.CPU_FEATURES)  # numba compiles for another processor then
    and llvmlite.binding.get_host_cpu_features().get("bmi2")
)

count_bits: Any = pair(_count_bits_uncompiled, _count_bits_compiled)
"""count_bits(bits) -> int: Count the bits that are on."""
lowest_bit: Any = pair(_lowest_bit_uncompiled, _lowest_bit_compiled)
"""lowest_bit(bits) -> int: Return the index of the lowest bit that is on; at least one must be."""
nth_bit: Any = pair(_nth_bit_counted, _nth_bit_deposited) if _has_deposit else _nth_bit_counted
"""nth_bit(bits, n) -> int: Return the n-th lowest bit that is on, from 0, as a number with that bit alone."""
