"""RandomAgent: any legal action."""

import numpy as np
from numpy.typing import NDArray

from wizard_env.sampling import sample_legal
from wizard_env.view import Actions, View


class RandomAgent:
    """Chooses uniformly among the legal actions."""

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        return sample_legal(view.mask, view.noise(rng))

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.float32]]:
        """Return the actions, and the probability of each: float32 [n, NUM_ACTIONS]."""
        shares = view.mask / view.mask.sum(axis=1, keepdims=True, dtype=np.float32)
        return self.act(view, rng), shares.astype(np.float32)
