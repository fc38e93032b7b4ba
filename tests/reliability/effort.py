"""Effort of the tests of reliability: a little in the ordinary suite, all of it with `make soak`."""

import os

import numpy as np

SOAK = "WIZARD_SOAK" in os.environ
SEED = int(os.environ.get("WIZARD_SEED", np.random.SeedSequence().entropy % 2**32 if SOAK else 0))  # type: ignore[operator]
"""Seed of everything random. `make soak` takes a new one every time, and every failure prints it."""


def times(few: int, many: int) -> int:
    """`few` in the ordinary suite, `many` with `make soak`."""
    return many if SOAK else few


def generator(*key: object) -> np.random.Generator:
    """Random numbers for one test; `key` tells its parts from each other."""
    print(f"WIZARD_SEED={SEED}")  # noqa: T201 - pytest shows it with a failure
    return np.random.default_rng([SEED, *repr(key).encode()])
