"""A small number for each seat, all in one word: lane i, the bits from 8 * i on, belongs to place i.

What holds for all seats alike is read, turned, compared and written at once.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from wizard_env.jit import COMPILES, compiled
from wizard_env.rules import MAX_PLAYERS

LANES = 8
LANE_BITS = 8
_WORD = ir.IntType(LANES * LANE_BITS)
ONES = sum(1 << LANE_BITS * place for place in range(MAX_PLAYERS))
"""1 in every lane of a seat."""
SIGNS = ONES << LANE_BITS - 1
"""The highest bit of every lane of a seat."""
_LANE = (1 << LANE_BITS) - 1


def _read_lanes_uncompiled(values: Any) -> int:
    return int.from_bytes(values.tobytes(), "little")


@intrinsic
def _read_lanes_compiled(_context: Any, values: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load(builder.bitcast(array.data, _WORD.as_pointer()), align=1)

    return types.int64(values), generate


def _scale_lanes_uncompiled(values: Any, origin: int, unit: int) -> int:
    lanes = 0
    for place in range(MAX_PLAYERS):
        lanes |= min(max((int(values[place]) - origin) // unit, 0), _LANE) << LANE_BITS * place
    return lanes


@intrinsic
def _scale_lanes_compiled(_context: Any, values: Any, origin: Any, unit: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(16), LANES)

        def in_all(number: int) -> Any:
            return ir.Constant(vector, [number] * LANES)

        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        numbers = builder.load(builder.bitcast(array.data, vector.as_pointer()), align=1)
        first = builder.insert_element(
            ir.Constant(vector, ir.Undefined), builder.trunc(arguments[1], vector.element), ir.IntType(32)(0)
        )
        origins = builder.shuffle_vector(
            first, first, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
        )
        numbers = builder.sub(numbers, origins)
        highest = in_all(_LANE * unit.literal_value)
        numbers = builder.select(builder.icmp_signed(">", numbers, in_all(0)), numbers, in_all(0))
        numbers = builder.select(builder.icmp_signed("<", numbers, highest), numbers, highest)
        numbers = builder.udiv(numbers, in_all(unit.literal_value))
        lanes = builder.trunc(numbers, ir.VectorType(ir.IntType(LANE_BITS), LANES))
        return builder.bitcast(lanes, _WORD)

    if not isinstance(unit, types.IntegerLiteral):
        return None
    return types.int64(values, types.int64, unit), generate


def _write_lanes_uncompiled(values: Any, place: int, lanes: int) -> None:
    for lane in range(LANES):
        values[place + lane] = (lanes >> LANE_BITS * lane) & _LANE


@intrinsic
def _write_lanes_compiled(_context: Any, values: Any, place: Any, lanes: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        first = builder.gep(array.data, [arguments[1]])
        builder.store(arguments[2], builder.bitcast(first, _WORD.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(values, types.int64, types.int64), generate


read_lanes: Any = _read_lanes_compiled if COMPILES else _read_lanes_uncompiled
"""read_lanes(values) -> int64: the int8 [6] field of a state's seats as lanes.

Eight bytes are read: two more must follow in the record, and `turn_lanes` takes away what they hold.
"""
scale_lanes: Any = _scale_lanes_compiled if COMPILES else _scale_lanes_uncompiled
"""scale_lanes(values, origin, unit) -> int64: (value - origin) // unit of an int16 [6] field as lanes.

Clipped to 0..255. Sixteen bytes are read, as by `read_lanes`. `unit` is a constant; the differences
must fit into an int16.
"""
write_lanes: Any = _write_lanes_compiled if COMPILES else _write_lanes_uncompiled
"""write_lanes(values, place, lanes): set values[place + i] to lane i, for all eight lanes."""


@compiled
def lane(number: int, place: int) -> int:
    """A number below 128 in the lane of a place, zero in the others."""
    return number << LANE_BITS * place


@compiled
def turn_lanes(lanes: int, observer: int, num_players: int) -> int:
    """Lanes by seat as lanes by place, counted from the observer; zero beyond the table."""
    back = LANE_BITS * observer
    table = LANE_BITS * num_players
    lanes &= (1 << table) - 1
    return (lanes >> back | lanes << table - back) & ((1 << table) - 1)


@compiled
def fill_lanes(ones: int) -> int:
    """255 in every lane that holds 1."""
    return (ones << LANE_BITS) - ones


@compiled
def add_lanes(lanes: int) -> int:
    """The sum of all lanes, if it is below 256."""
    lanes += lanes >> 4 * LANE_BITS
    lanes += lanes >> 2 * LANE_BITS
    return (lanes + (lanes >> LANE_BITS)) & _LANE


@compiled
def excess_lanes(lanes: int, others: int) -> int:
    """max(a - b, 0) in every lane; all numbers must be below 128."""
    differences = (lanes | SIGNS) - others
    positive = (differences & SIGNS) >> LANE_BITS - 1
    return differences & (fill_lanes(positive) & ~SIGNS)


@compiled
def squeeze_lanes(lanes: int) -> int:
    """Numbers below 16 in lanes, moved together: four bits each."""
    lanes = (lanes | lanes >> 4) & 0x00FF00FF00FF
    lanes = (lanes | lanes >> 8) & 0xFFFF0000FFFF
    return (lanes | lanes >> 16) & 0xFFFFFF
