"""A small number for each seat, all in one word: byte i belongs to seat i, or to place i.

What holds for every seat alike is rotated, compared and summed for all of them at once (SIMD within a
register; Lamport 1975).
"""

from wizard_env.compiled.jit import compiled
from wizard_env.compiled.packing import BYTE, BYTE_BITS
from wizard_env.rules import MAX_PLAYERS

ONES = sum(1 << BYTE_BITS * place for place in range(MAX_PLAYERS))
"""1 in the byte of every seat."""
SIGNS = ONES << BYTE_BITS - 1
"""The highest bit of every seat's byte."""


@compiled
def byte_at(number: int, place: int) -> int:
    """A number below 128 in the byte of a place, zero in the others."""
    return number << BYTE_BITS * place


@compiled
def rotate_bytes(seats: int, observer: int, num_players: int) -> int:
    """Bytes by seat as bytes by place, counted from the observer; zero beyond the table."""
    back = BYTE_BITS * observer
    table = BYTE_BITS * num_players
    seats &= (1 << table) - 1
    return (seats >> back | seats << table - back) & ((1 << table) - 1)


@compiled
def fill_bytes(ones: int) -> int:
    """255 in every byte that holds 1."""
    return (ones << BYTE_BITS) - ones


@compiled
def sum_bytes(seats: int) -> int:
    """The sum of all bytes, if it is below 256."""
    seats += seats >> 4 * BYTE_BITS
    seats += seats >> 2 * BYTE_BITS
    return (seats + (seats >> BYTE_BITS)) & BYTE


@compiled
def excess_bytes(seats: int, others: int) -> int:
    """max(a - b, 0) in every byte; all numbers must be below 128."""
    differences = (seats | SIGNS) - others
    positive = (differences & SIGNS) >> BYTE_BITS - 1
    return differences & (fill_bytes(positive) & ~SIGNS)


@compiled
def pack_nibbles(seats: int) -> int:
    """Numbers below 16 in bytes, moved together: four bits each."""
    seats = (seats | seats >> 4) & 0x00FF00FF00FF
    seats = (seats | seats >> 8) & 0xFFFF0000FFFF
    return (seats | seats >> 16) & 0xFFFFFF
