"""The models of the seats that an adaptive player has recognised."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.beliefs import HIGH, INEXACT, LOW
from wizard_env.agents.assessment import PlayerKind
from wizard_env.agents.search.seat_model import HEURISTIC, RULE_BASED, SeatModel, Softmax

_SHARP = Softmax(0.005, temperature=0.0)
"""For a kind that has explained every choice so far."""
_EXACT = {
    PlayerKind.RULE_BASED: RULE_BASED._replace(bids=_SHARP, plays=_SHARP),
    PlayerKind.HEURISTIC: HEURISTIC._replace(bids=_SHARP, plays=_SHARP),
}
_RECOGNISED = 0.5
"""The belief above which a seat is played by that kind."""


def guess_seats(beliefs: NDArray[np.float32], seat: NDArray[np.integer], model: SeatModel) -> NDArray[Any]:
    """Return a model of every seat: rule_based or heuristic where it is recognised, else a network.

    A recognised seat errs in the share of choices that its kind does not explain, or that another kind would
    make. Where its bids are above or below those of its kind, they tell less.

    Args:
        beliefs: float32 [n, MAX_PLAYERS, NUM_FEATURES], see `wizard_env.agents.adaptive.beliefs`.
        seat: int [n], the acting seats, whose own model is the network.
        model: the network.

    Returns:
        [n, MAX_PLAYERS] records of dtype GUESS.
    """
    guesses = model.guesses(len(beliefs))
    others = np.arange(beliefs.shape[1]) != seat[:, np.newaxis]
    for kind, exact in _EXACT.items():
        recognised = others & (beliefs[..., kind.column] > _RECOGNISED)
        told = beliefs[recognised]
        guesses[recognised] = exact.guesses(1)[0, 0]
        doubt = _SHARP.epsilon + 1 - told[:, kind.column] + told[:, INEXACT]
        guesses["play_epsilon"][recognised] = np.minimum(doubt, 1)
        guesses["bid_epsilon"][recognised] = np.minimum(doubt + told[:, HIGH] + told[:, LOW], 1)
    return guesses
