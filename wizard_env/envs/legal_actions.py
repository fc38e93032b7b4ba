"""Action spaces that draw legal actions, and what becomes of illegal ones."""

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.sampling import sample_legal

IllegalActions = Literal["raise", "nearest"]
ILLEGAL_ACTIONS: tuple[str, ...] = get_args(IllegalActions)


class DrawnAction(np.int64):
    """A legal action drawn at random; if the game has moved on since, the nearest legal one is played."""


class LegalActions(gymnasium.spaces.Discrete):
    """All actions; without a mask, `sample` draws one that is legal in the environment at that moment.

    So `env.step(env.action_space.sample())` works as everywhere in Gymnasium, even with a `reset` in
    between. An action chosen by the caller is never replaced: if it is illegal, IllegalAction is raised.
    """

    def __init__(self, mask: NDArray[np.uint8]) -> None:
        """mask: uint8 [NUM_ACTIONS], which the environment rewrites in place."""
        super().__init__(NUM_ACTIONS)
        self.legal_now = mask

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw among the actions of a mask or by probabilities; by default among the legal ones."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        return DrawnAction(super().sample(self.legal_now.view(np.int8)))


class LegalBatch(gymnasium.spaces.MultiDiscrete):
    """An action for each environment; without masks, `sample` draws actions that are legal at that moment."""

    def __init__(self, masks: NDArray[np.uint8]) -> None:
        """masks: uint8 [n, NUM_ACTIONS], which the environments rewrite in place."""
        super().__init__([NUM_ACTIONS] * len(masks))
        self.legal_now = masks

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw by masks or probabilities, as in Gymnasium; by default among the legal actions.

        Returns int64 [n]; 0 where an episode has ended.
        """
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        return sample_legal(self.legal_now, self.np_random)


def nearest_legal(actions: NDArray[Any], masks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The legal action with the nearest id; an action stays where it is legal, or nothing is.

    Args:
        actions: int [n].
        masks: uint8 [n, NUM_ACTIONS].

    Returns:
        int64 [n].
    """
    away = np.abs(np.arange(NUM_ACTIONS) - actions[:, np.newaxis])
    nearest = np.where(masks, away, np.iinfo(np.int64).max).argmin(axis=1)
    return np.where(masks.any(axis=1), nearest, actions)
