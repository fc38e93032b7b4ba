"""Checks of arguments, with messages that name what was given and what is allowed."""

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LONGEST_NAME = 100
"""Characters of a name that are compared with those allowed, because comparing long names is slow."""
_LONGEST_PLAYER = 1000
_JOINERS = "\u200c\u200d"
"""Invisible characters that belong to words and emoji."""
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_GIB = 2**30


def is_integer(value: Any) -> bool:
    """Return whether `value` is a Python or numpy integer; bool does not count."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def are_bools(values: NDArray[Any]) -> bool:
    """Return whether an array holds bools, with bytes of 0 or 1 as numpy trusts them to be."""
    return values.dtype == np.bool_ and not (values.view(np.uint8) > 1).any()


def shortened(text: object, longest: int = 500) -> str:
    """Return the beginning of a text, for an error message. longest: in characters."""
    whole = str(text)
    return whole if len(whole) <= longest else f"{whole[:longest]}..."


def quoted(value: object) -> str:
    """Return a value as Python writes it, cut short, for an error message."""
    try:
        return shortened(repr(value))
    except (RecursionError, ValueError):  # it is nested too deeply, or has too many digits
        return f"a value of type {type(value).__name__}, too large to show"


def check_names(owner: str, given: Mapping[str, object], allowed: Iterable[str]) -> None:
    """Raise TypeError for a name that is not allowed, suggesting the nearest one that is."""
    allowed = sorted(allowed)
    for name in given:
        if name not in allowed:
            raise TypeError(f"{owner} has no option {quoted(name)}: {nearest(name, allowed)}")


def nearest(given: object, allowed: list[str]) -> str:
    """Return a hint for an error message: the name that was probably meant, and all allowed names."""
    name = given if isinstance(given, str) else quoted(given)
    near = difflib.get_close_matches(name[:_LONGEST_NAME], allowed, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}allowed are {', '.join(map(repr, allowed))}"


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise ValueError for a value that is not allowed, suggesting the nearest one that is."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={quoted(value)}: {nearest(value, list(allowed))}")


def check_integer(name: str, value: Any, low: int, high: int) -> int:
    """Return `value` as an int. Raises TypeError if it is no integer, ValueError if it is out of range."""
    if not is_integer(value):
        raise TypeError(f"{name}={quoted(value)}: allowed are whole numbers from {low} to {high}")
    if not low <= value <= high:
        raise ValueError(f"{name}={quoted(value)}: allowed are {low} to {high}")
    return int(value)


def check_integers(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return `values` as an array of integers, none of them taken for another number.

    numpy by itself cuts .9 to 0, counts True as 1, and makes floats of [1, 2**63].

    Raises ValueError for anything else. name: in the plural.
    """
    array = np.asarray(values)
    if isinstance(values, list | tuple):
        array = _unlist(values, array)
    if array.dtype.kind in "iu":
        return array
    if not array.size:  # an empty list has the type of floats
        return array.astype(np.int64)
    wrong = next((one for one in array.flat if not is_integer(one)), array.flat[0])
    kind = type(wrong).__name__
    raise ValueError(f"{name} hold {quoted(wrong)}, of type {kind}: whole numbers of 64 bits are needed")


def _unlist(values: ArrayLike, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array that numpy made of a list, or the numbers themselves where it changed them."""
    given = np.asarray(values, object)
    if array.dtype.kind in "iu" and not any(isinstance(one, bool | np.bool_) for one in given.flat):
        return array
    fit = all(is_integer(one) and 0 <= one < 2**64 for one in given.flat)
    return given.astype(np.uint64) if fit and array.size else given


def check_words(name: str, words: Any, count: int) -> NDArray[np.uint64]:
    """Return uint64 [count]: seeds, or random words. Raises as `check_integers` does. name: in the plural."""
    numbers = check_integers(name, words)
    if numbers.shape != (count,):
        raise ValueError(f"{name} of shape {numbers.shape}: ({count},) is needed")
    if numbers.dtype != np.uint64 and numbers.min(initial=0) < 0:
        raise ValueError(f"{name} hold {numbers.min()}: allowed are 0 to {2**64 - 1}")
    return np.ascontiguousarray(numbers, np.uint64)


def check_seed(seed: Any) -> int:
    """Return the seed of a deal, of 64 bits. Raises as `check_integer` does."""
    return check_integer("seed", seed, 0, 2**64 - 1)


def check_player_names(names: Any, count: int) -> tuple[str, ...]:
    """Return the names of players, by seat. Raises ValueError unless they are `count` `printable` names."""
    if not isinstance(names, list | tuple):
        raise ValueError(f"players is {quoted(names)}: a list of names is needed")
    if len(names) != count:
        raise ValueError(f"{len(names)} players are named: {count} are needed")
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"players is {quoted(name)}: a value of type str is needed")
        if not name.strip():
            raise ValueError("players: a player has no name")
        if printable(name) != name:
            allowed = f"{_LONGEST_PLAYER} printable characters at most are allowed"
            raise ValueError(f"players: {quoted(name)}: {allowed}")
    return tuple(names)


def printable(name: object) -> str:
    """Return a name that is safe to show in a terminal: cut short, with unprintable characters spelled out.

    A control character in a file from outside could overwrite what a terminal shows.
    """
    return _spelled_out(str(name))[:_LONGEST_PLAYER]


def visible(text: object) -> str:
    """Return a text that is safe to show in a terminal, in which line feeds stay."""
    return "\n".join(_spelled_out(line) for line in str(text).split("\n"))


def _spelled_out(text: str) -> str:
    return "".join(one if one.isprintable() or one in _JOINERS else ascii(one)[1:-1] for one in text)


def check_number(name: str, value: Any, low: float, high: float, kind: str = "a number") -> float:
    """Return `value` as a float. Raises TypeError if it is no number, ValueError if it is out of range."""
    needed = f"{name}={quoted(value)}: {kind} from {low} to {high} is needed"
    if not is_integer(value) and not isinstance(value, float | np.floating):
        raise TypeError(needed)
    if not low <= value <= high:
        raise ValueError(needed)
    return float(value)


def check_seconds(name: str, value: Any) -> float:
    """Return a time to wait, from a millisecond to a day. Raises as `check_number` does."""
    return check_number(name, value, 0.001, 86_400, "a number of seconds")


def check_type(name: str, value: Any, *kinds: type) -> None:
    """Raise TypeError for a value of another type."""
    if not isinstance(value, kinds):
        needed = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{name}={quoted(value)}: a value of type {needed} is needed")


def check_memory(size: str, needed: int) -> None:
    """Raise ValueError if a size, as "name=value", needs more bytes of memory than this machine has."""
    had = _memory()
    if had is not None and needed > had:
        raise ValueError(
            f"{size} needs {-(-needed // _GIB):,} GiB of memory: there are {had / _GIB:,.1f} GiB"
        )


def _memory() -> int | None:
    """Return the bytes of memory that this process may use; None if the system does not say."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    try:
        return min(physical, int(_CGROUP_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):  # there is no such file, or no limit
        return physical
