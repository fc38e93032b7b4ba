"""Damage to files, drawn at random: what disks, editors and strangers do to them."""

from collections.abc import Callable

import numpy as np

_NUMBERS = (b"1" * 5000, b"-1", b"1e999", b"NaN", b"18446744073709551616", b"9" * 25)
_NESTED = (b"[" * 100_000, b'{"a":' * 20_000, b"a." * 3_000 + b"a = 1", b"[[[[", b'"')


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The content, altered in one of several ways."""
    ways: tuple[Callable[[bytes, np.random.Generator], bytes], ...] = (
        _flip, _flip, _cut_off, _cut_out, _double, _insert, _replace_number, _nest,
    )  # fmt: skip
    return ways[rng.integers(len(ways))](content, rng)


def _place(content: bytes, rng: np.random.Generator) -> int:
    return int(rng.integers(len(content) + 1))


def _flip(content: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes become others."""
    altered = bytearray(content or b" ")
    for _ in range(rng.integers(1, 4)):
        altered[rng.integers(len(altered))] = rng.integers(256)
    return bytes(altered)


def _cut_off(content: bytes, rng: np.random.Generator) -> bytes:
    return content[: _place(content, rng)]


def _cut_out(content: bytes, rng: np.random.Generator) -> bytes:
    start = _place(content, rng)
    return content[:start] + content[start + int(rng.integers(1, 50)) :]


def _double(content: bytes, rng: np.random.Generator) -> bytes:
    start = _place(content, rng)
    stop = start + int(rng.integers(1, 200))
    return content[:stop] + content[start:stop] + content[stop:]


def _insert(content: bytes, rng: np.random.Generator) -> bytes:
    start = _place(content, rng)
    return content[:start] + rng.bytes(int(rng.integers(1, 20))) + content[start:]


def _replace_number(content: bytes, rng: np.random.Generator) -> bytes:
    """A digit becomes a number that does not fit."""
    digits = [place for place, byte in enumerate(content[:100_000]) if byte in b"0123456789"]
    if not digits:
        return _flip(content, rng)
    place = digits[rng.integers(len(digits))]
    return content[:place] + _NUMBERS[rng.integers(len(_NUMBERS))] + content[place + 1 :]


def _nest(content: bytes, rng: np.random.Generator) -> bytes:
    start = _place(content, rng)
    return content[:start] + _NESTED[rng.integers(len(_NESTED))] + content[start:]
