"""Observations of the environments: bytes as in OBSERVATION, or floats from 0 to 1."""

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env.checks import check_choice
from wizard_env.observation.fields import HIGHS
from wizard_env.state import aligned_copy, aligned_zeros

ObservationType = Literal["uint8", "float32"]
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
