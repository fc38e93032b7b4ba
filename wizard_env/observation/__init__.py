"""Observations: the table of their fields, and the encoder that writes them as bytes."""

from wizard_env.observation.fields import (
    FULL_HIGHS,
    FULL_SIZE,
    FULL_SLICES,
    FULL_STATE,
    HIGHS,
    OBS_SIZE,
    OBSERVATION,
    SLICES,
    Field,
    unpack,
)

__all__ = [
    "FULL_HIGHS",
    "FULL_SIZE",
    "FULL_SLICES",
    "FULL_STATE",
    "HIGHS",
    "OBSERVATION",
    "OBS_SIZE",
    "SLICES",
    "Field",
    "unpack",
]
