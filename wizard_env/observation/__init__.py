"""What a seat may know, as bytes: the table of its fields, the encoder, and the order of suits."""

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
