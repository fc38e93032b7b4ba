"""Checks of what callers pass, with messages that name what was given and what is allowed."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_integer(value: Any) -> bool:
    """Whether `value` is a Python or numpy integer; bool does not count."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def are_bools(values: NDArray[Any]) -> bool:
    """Whether an array that was read from outside holds bools, each byte of them 0 or 1 as numpy trusts."""
    return values.dtype == np.bool_ and not (values.view(np.uint8) > 1).any()


def check_names(owner: str, given: Mapping[str, object], allowed: Iterable[str]) -> None:
    """Raise TypeError for a name that is not allowed, suggesting the nearest one that is."""
    allowed = sorted(allowed)
    for name in given:
        if name not in allowed:
            raise TypeError(f"{owner} has no option {name!r}: {nearest(name, allowed)}")


def nearest(given: object, allowed: list[str]) -> str:
    """For an error message: the name that was probably meant, and all the allowed ones."""
    near = difflib.get_close_matches(str(given), allowed, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}allowed are {', '.join(map(repr, allowed))}"


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise ValueError for a value that is not allowed, suggesting the nearest one that is."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r}: {nearest(value, list(allowed))}")


def check_integer(name: str, value: Any, low: int, high: int) -> int:
    """`value` as an int. Raises TypeError if it is not an integer, ValueError if it is out of range."""
    if not is_integer(value):
        raise TypeError(f"{name}={value!r}: allowed are whole numbers from {low} to {high}")
    if not low <= value <= high:
        raise ValueError(f"{name}={value!r}: allowed are {low} to {high}")
    return int(value)
