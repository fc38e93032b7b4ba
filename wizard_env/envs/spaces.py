"""Spaces of the environments: observations, histories, and actions whose samples are legal."""

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.checks import check_choice
from wizard_env.observation.fields import HIGHS, HISTORY
from wizard_env.rules import Rules
from wizard_env.sampling import sample_legal
from wizard_env.state import aligned_copy, aligned_zeros

ObservationType = Literal["uint8", "float32"]
"""Bytes as in OBSERVATION, or floats from 0 to 1."""
_SCALE = np.float32(1) / HIGHS.astype(np.float32)


def observation_space(dtype: ObservationType) -> gymnasium.spaces.Box:
    """Return the space of one observation. Raises ValueError for another type."""
    check_choice("dtype", dtype, get_args(ObservationType))
    if dtype == "uint8":
        return gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8)
    return gymnasium.spaces.Box(0, 1, HIGHS.shape, np.float32)


def fit_to_space(rows: NDArray[np.uint8], space: gymnasium.spaces.Box) -> NDArray[Any]:
    """Copy observations, uint8 [..., OBS_SIZE], into the type of a space; floats are each entry / high."""
    if space.dtype == np.uint8:
        return rows.copy() if rows.ndim == 1 else aligned_copy(rows)
    scaled = aligned_zeros(rows.shape, np.float32)
    np.multiply(rows, _SCALE, out=scaled)
    return scaled


def history_space(rules: Rules) -> gymnasium.spaces.Box:
    """Return the space of the finished rounds of a game: int8 [num_rounds, ROUND_SIZE], as in HISTORY."""
    sizes, rounds = [field.size for field in HISTORY], (len(rules.rounds), 1)
    low, high = (
        np.tile(np.repeat(bounds, sizes).astype(np.int8), rounds)
        for bounds in ([field.low for field in HISTORY], [field.high for field in HISTORY])
    )
    return gymnasium.spaces.Box(low, high, dtype=np.int8)


def with_history(rows: gymnasium.spaces.Box, rules: Rules) -> gymnasium.spaces.Dict:
    """Return the space of observations with the finished rounds beside them."""
    return gymnasium.spaces.Dict({"observation": rows, "history": history_space(rules)})


class LegalActions(gymnasium.spaces.Discrete):
    """All actions of an environment; `sample` draws a legal one."""

    def __init__(self, mask: NDArray[np.uint8]) -> None:
        """mask: uint8 [NUM_ACTIONS], which the environment rewrites in place."""
        super().__init__(NUM_ACTIONS)
        self.legal_now = mask

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action; without a mask or probabilities, one that is legal at this moment."""
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
        """Draw int64 [n]; without masks (a tuple) or probabilities, actions that are legal at this moment.

        They are 0 where an episode has ended.
        """
        if mask is None and probability is None:
            return sample_legal(self.legal_now, self.np_random)
        return super().sample(mask, probability)
