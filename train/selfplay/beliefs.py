"""SeatBeliefs: what the seats of self-play believe of each other.

Partners are judged by their finished rounds, as `wizard_env.agents.adaptive` judges them. Seats that learn
are known to be copies after a few rounds: they sample their actions, so their choices would not tell.
"""

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.beliefs import NUM_FEATURES, network_inputs
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.memory import Memory
from wizard_env.agents.assessment import PlayerKind
from wizard_env.rules import MAX_PLAYERS
from wizard_env.view import View

_KNOWN_AFTER = (1, 2, 3, 4)
"""Finished rounds after which a seat that learns is known."""
_SHARES = (0.3, 0.3, 0.25, 0.15)
"""The shares of seats that are known after those."""
_A_COPY = np.eye(NUM_FEATURES, dtype=np.float32)[PlayerKind.COPY.column]


class SeatBeliefs:
    """Beliefs about the seats of n games."""

    def __init__(self, learns: NDArray[np.bool_], kinds: Kinds, rng: np.random.Generator) -> None:
        """learns: bool [n, seats], the seats that learn. kinds: those that partners are compared with."""
        self._learns = learns
        self._memory = Memory(kinds)
        self._known_after = np.zeros(learns.shape, np.int64)
        self.begin(np.arange(len(learns)), rng)

    def begin(self, rows: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Draw when each seat that learns is known, in new games."""
        shape = len(rows), self._learns.shape[1]
        self._known_after[rows] = rng.choice(_KNOWN_AFTER, shape, p=_SHARES)

    def inputs(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return what the acting seats of some games believe: uint8 [k, NUM_INPUTS].

        view: the decisions of the games `rows`, int64 [k].
        """
        states, seats = view.known, self._learns.shape[1]
        beliefs = np.zeros((len(rows), MAX_PLAYERS, NUM_FEATURES), np.float32)
        learns = self._learns[rows]
        beside_partners = (~learns & (np.arange(seats) < states["num_players"][:, np.newaxis])).any(axis=1)
        if beside_partners.any():
            known = np.zeros((int(beside_partners.sum()), MAX_PLAYERS), np.bool_)
            known[:, :seats] = learns[beside_partners]
            beliefs[beside_partners] = self._memory.beliefs(view.select(beside_partners), known)
        are_known = states["round_index"][:, np.newaxis] >= self._known_after[rows]
        beliefs[:, :seats][learns & are_known] = _A_COPY
        return network_inputs(beliefs, states["seat"], states["num_players"])
