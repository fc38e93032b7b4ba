"""RandomAgent: any legal action."""

import numpy as np

from wizard_env.sampling import sample_legal
from wizard_env.view import Actions, View


class RandomAgent:
    """Chooses uniformly among the legal actions."""

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        return sample_legal(view.mask, view.noise(rng))
