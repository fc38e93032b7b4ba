"""A byte for each seat, against the same sums over lists."""

from hypothesis import given
from hypothesis import strategies as st

from wizard_env.compiled.packing import BYTE_BITS
from wizard_env.observation.encoder import (
    excess_bytes,
    fill_bytes,
    pack_nibbles,
    rotate_bytes,
    sum_bytes,
)
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS

numbers = st.lists(st.integers(0, 20), min_size=MAX_PLAYERS, max_size=MAX_PLAYERS)


def pack(values: list[int]) -> int:
    return sum(value << BYTE_BITS * place for place, value in enumerate(values))


def unpack(word: int) -> list[int]:
    return [(word >> BYTE_BITS * place) & 255 for place in range(MAX_PLAYERS)]


@given(numbers, st.integers(MIN_PLAYERS, MAX_PLAYERS), st.integers(0, MAX_PLAYERS - 1))
def test_turning(values: list[int], num_players: int, observer: int) -> None:
    """Place p holds what belongs to the p-th seat from the observer; then there is nothing."""
    observer %= num_players
    turned = [values[(observer + place) % num_players] for place in range(num_players)]
    assert unpack(rotate_bytes(pack(values), observer, num_players)) == turned + [0] * (
        MAX_PLAYERS - num_players
    )


@given(numbers, numbers)
def test_sums_and_differences(values: list[int], others: list[int]) -> None:
    assert sum_bytes(pack(values)) == sum(values)
    above = [max(a - b, 0) for a, b in zip(values, others, strict=True)]
    assert unpack(excess_bytes(pack(values), pack(others))) == above


@given(st.lists(st.integers(0, 15), min_size=MAX_PLAYERS, max_size=MAX_PLAYERS))
def test_squeezing(values: list[int]) -> None:
    """Four bits a number, one after the other."""
    assert pack_nibbles(pack(values)) == sum(value << 4 * place for place, value in enumerate(values))


@given(st.lists(st.integers(0, 1), min_size=MAX_PLAYERS, max_size=MAX_PLAYERS))
def test_filling(values: list[int]) -> None:
    assert unpack(fill_bytes(pack(values))) == [255 * value for value in values]
