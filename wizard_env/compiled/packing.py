"""Moving 64 flags, or eight small numbers, between a word and a row of memory in one instruction."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from wizard_env.compiled.jit import pair

WORD_BITS = 64
WORD_BYTES = 8
BYTE_BITS = 8
BYTE = (1 << BYTE_BITS) - 1

_WORD = ir.IntType(WORD_BITS)


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return data if index is None else builder.gep(data, [index])


def _unpack_bits_uncompiled(values: Any, index: int, bits: int) -> None:
    for bit in range(WORD_BITS):
        values[index + bit] = (bits >> bit) & 1


@intrinsic
def _unpack_bits_compiled(_context: Any, values: Any, index: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = _address(context, builder, signature.args[0], *arguments[:2])
        flags = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), WORD_BITS))
        row = builder.zext(flags, ir.VectorType(ir.IntType(BYTE_BITS), WORD_BITS))
        builder.store(row, builder.bitcast(first, row.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(values, types.int64, types.int64), generate


unpack_bits: Any = pair(_unpack_bits_uncompiled, _unpack_bits_compiled)
"""unpack_bits(values, index, bits): Set values[index + i] to bit i of an int64, for i from 0 to 63.

All 64 bytes are written and must lie within the row. Write rows from the front, so that the next field
overwrites the flags that reach into it. One vector store in index of 64 stores made observations three
times as fast (`wizard bench`).
"""


def _pack_bits_uncompiled(values: Any, index: int) -> int:
    return sum(1 << bit for bit in range(WORD_BITS) if values[index + bit])


@intrinsic
def _pack_bits_compiled(_context: Any, values: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = _address(context, builder, signature.args[0], *arguments)
        row_type = ir.VectorType(first.type.pointee, WORD_BITS)
        row = builder.load(builder.bitcast(first, row_type.as_pointer()), align=1)
        compare = builder.icmp_unsigned if values.dtype == types.uint8 else builder.fcmp_unordered
        return builder.bitcast(compare("!=", row, ir.Constant(row_type, [0] * WORD_BITS)), _WORD)

    return types.int64(values, types.int64), generate


pack_bits: Any = pair(_pack_bits_uncompiled, _pack_bits_compiled)
"""pack_bits(values, index) -> int64: Set bit i where values[index + i], uint8 or float32, is not 0."""


def _load_bytes_uncompiled(values: Any) -> int:
    return int.from_bytes(values.tobytes(), "little")


@intrinsic
def _load_bytes_compiled(_context: Any, values: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = _address(context, builder, signature.args[0], arguments[0], None)
        return builder.load(builder.bitcast(first, _WORD.as_pointer()), align=1)

    return types.int64(values), generate


load_bytes: Any = pair(_load_bytes_uncompiled, _load_bytes_compiled)
"""load_bytes(values) -> int64: Load an int8 array as one word, entry i in byte i.

Eight bytes are read, however short the array: more memory must follow it, and the caller masks that out.
"""


def _load_scaled_uncompiled(values: Any, origin: int, unit: int) -> int:
    word = 0
    for index, value in enumerate(values):
        word |= min(max((int(value) - origin) // unit, 0), BYTE) << BYTE_BITS * index
    return word


@intrinsic
def _load_scaled_compiled(_context: Any, values: Any, origin: Any, unit: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(16), WORD_BYTES)

        def in_all(number: int) -> Any:
            return ir.Constant(vector, [number] * WORD_BYTES)

        first = _address(context, builder, signature.args[0], arguments[0], None)
        numbers = builder.load(builder.bitcast(first, vector.as_pointer()), align=1)
        single = builder.insert_element(
            ir.Constant(vector, ir.Undefined), builder.trunc(arguments[1], vector.element), ir.IntType(32)(0)
        )
        origins = builder.shuffle_vector(
            single, single, ir.Constant(ir.VectorType(ir.IntType(32), WORD_BYTES), None)
        )
        numbers = builder.sub(numbers, origins)
        highest = in_all(BYTE * unit.literal_value)
        numbers = builder.select(builder.icmp_signed(">", numbers, in_all(0)), numbers, in_all(0))
        numbers = builder.select(builder.icmp_signed("<", numbers, highest), numbers, highest)
        numbers = builder.udiv(numbers, in_all(unit.literal_value))
        packed = builder.trunc(numbers, ir.VectorType(ir.IntType(BYTE_BITS), WORD_BYTES))
        return builder.bitcast(packed, _WORD)

    if not isinstance(unit, types.IntegerLiteral):
        return None
    return types.int64(values, types.int64, unit), generate


load_scaled: Any = pair(_load_scaled_uncompiled, _load_scaled_compiled)
"""load_scaled(values, origin, unit) -> int64: Load (value - origin) // unit of an int16 array as one word.

Clipped to 0..255. Sixteen bytes are read, as by `load_bytes`. `unit` is a constant, and the differences
must fit into an int16.
"""


def _store_bytes_uncompiled(values: Any, index: int, word: int) -> None:
    for byte in range(WORD_BYTES):
        values[index + byte] = (word >> BYTE_BITS * byte) & BYTE


@intrinsic
def _store_bytes_compiled(_context: Any, values: Any, index: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], builder.bitcast(first, _WORD.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(values, types.int64, types.int64), generate


store_bytes: Any = pair(_store_bytes_uncompiled, _store_bytes_compiled)
"""store_bytes(values, index, word): Set values[index + i] to byte i, for all eight bytes."""
