"""Writing and reading 64 flags at once: bits of a number become bytes of a row, and back."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from wizard_env.jit import COMPILES

FLAGS = 64


def _write_flags_uncompiled(values: Any, place: int, bits: int) -> None:
    for index in range(FLAGS):
        values[place + index] = (bits >> index) & 1


@intrinsic
def _write_flags_compiled(_context: Any, values: Any, place: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        first = builder.gep(array.data, [arguments[1]])
        flags = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), FLAGS))
        row = builder.zext(flags, ir.VectorType(ir.IntType(8), FLAGS))
        builder.store(row, builder.bitcast(first, row.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(values, types.int64, types.int64), generate


write_flags: Any = _write_flags_compiled if COMPILES else _write_flags_uncompiled
"""write_flags(values, place, bits): set values[place + i] to bit i of an int64, for i from 0 to 63.

All 64 bytes are written and must lie within the row: write rows from the front, so that the next
field takes its place from the flags that reach into it. One vector store instead of 64 stores made
observations three times as fast (`wizard bench`).
"""


def _read_flags_uncompiled(values: Any, place: int) -> int:
    return sum(1 << index for index in range(FLAGS) if values[place + index])


@intrinsic
def _read_flags_compiled(_context: Any, values: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        first = builder.gep(array.data, [arguments[1]])
        row_type = ir.VectorType(ir.IntType(8), FLAGS)
        row = builder.load(builder.bitcast(first, row_type.as_pointer()), align=1)
        flags = builder.icmp_unsigned("!=", row, ir.Constant(row_type, [0] * FLAGS))
        return builder.bitcast(flags, ir.IntType(FLAGS))

    return types.int64(values, types.int64), generate


read_flags: Any = _read_flags_compiled if COMPILES else _read_flags_uncompiled
"""read_flags(values, place) -> int64 of which bit i tells whether values[place + i] is not 0."""
