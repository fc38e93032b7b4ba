"""Seeds of environments that nobody has seeded."""

import secrets

import numpy as np
from gymnasium.utils.seeding import np_random

SEED_BITS = 64
"""Seeds of deals have this many bits, in every interface."""


class OwnSeed:
    """Gives an environment without a seed one that a game can have; Gymnasium would draw one of 128 bits.

    `reset(seed=env.np_random_seed)` then begins the same game again.
    """

    _np_random: np.random.Generator | None
    _np_random_seed: int | None

    @property
    def np_random(self) -> np.random.Generator:
        """The generator of the environment, with a random seed if it has none."""
        self._seed_once()
        assert self._np_random is not None
        return self._np_random

    @np_random.setter
    def np_random(self, generator: np.random.Generator) -> None:
        self._np_random, self._np_random_seed = generator, -1

    @property
    def np_random_seed(self) -> int:
        """The seed of the generator, and of the first game; -1, as in Gymnasium, if the generator was set."""
        self._seed_once()
        assert self._np_random_seed is not None
        return self._np_random_seed

    def _seed_once(self) -> None:
        if self._np_random is None:
            self._np_random, seed = np_random(secrets.randbits(SEED_BITS))
            self._np_random_seed = int(seed)

    def _first_seed(self) -> int:
        """Return the seed of the first game of an environment that nobody has seeded."""
        seed = self.np_random_seed
        return seed if seed >= 0 else int(self.np_random.integers(2**SEED_BITS, dtype=np.uint64))
