"""Action spaces whose samples are legal."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.sampling import sample_legal


class LegalActions(gymnasium.spaces.Discrete):
    """All actions of an environment; `sample` draws a legal one."""

    def __init__(self, mask: NDArray[np.uint8]) -> None:
        """mask: uint8 [NUM_ACTIONS], which the environment rewrites in place."""
        super().__init__(NUM_ACTIONS)
        self.legal_now = mask

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action, as in `env.action_space.sample(mask=info["action_mask"])`.

        Without a mask or probabilities, draw one that is legal at this moment.
        """
        if mask is None and probability is None:
            mask = self.legal_now.view(np.int8)
        return super().sample(mask, probability)


class LegalBatch(gymnasium.spaces.MultiDiscrete):
    """An action for each environment of a batch; `sample` draws legal ones."""

    def __init__(self, masks: NDArray[np.uint8]) -> None:
        """masks: uint8 [n, NUM_ACTIONS], which the environments rewrite in place."""
        super().__init__([NUM_ACTIONS] * len(masks))
        self.legal_now = masks

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw int64 [n], as in `envs.action_space.sample(mask=tuple(infos["action_mask"]))`.

        Without masks or probabilities, draw actions that are legal at this moment; 0 where an episode has
        ended.
        """
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        return sample_legal(self.legal_now, self.np_random)
