"""AdaptiveAgent: plays like the champion until rounds are finished, then answers to who sits there."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.beliefs import NUM_INPUTS, name_belief
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.memory import Memory
from wizard_env.agents.assessment import SeatBelief
from wizard_env.agents.network import Backend, Network, PolicyAgent
from wizard_env.agents.pretrained import ADAPTIVE
from wizard_env.view import Encoding, View

_Output: TypeAlias = Callable[[Network, NDArray[np.uint8]], NDArray[np.float32]]


class AdaptiveAgent(PolicyAgent):
    """A network that reads beliefs about the other seats; before there is evidence, the champion.

    Its actions are a function of the view alone; what it has worked out about finished rounds is kept to be
    quick.
    """

    def __init__(self, path: str = str(ADAPTIVE), sample: bool = False, backend: Backend = "auto") -> None:
        """Read the networks. Raises ValueError for a network that reads no beliefs.

        path: of the network that reads beliefs; sample, backend: as for `NetworkAgent`.
        """
        super().__init__(path, sample, backend, beliefs=NUM_INPUTS)
        kinds = Kinds(self)
        self._champion = kinds.champion
        self._memory = Memory(kinds)

    def beliefs(self, view: View) -> NDArray[np.float32]:
        """Return its beliefs about the seats of each game: float32 [n, MAX_PLAYERS, NUM_FEATURES]."""
        return self._memory.beliefs(view)

    def recognise_players(self, view: View) -> list[list[SeatBelief | None]]:
        """Return its beliefs in words, see `Believer.recognise_players`."""
        beliefs, players = self.beliefs(view), view.known["num_players"]
        return [
            [None if seat == acting else name_belief(features) for seat, features in enumerate(game[:seats])]
            for game, acting, seats in zip(beliefs, view.seat.tolist(), players.tolist(), strict=True)
        ]

    def _decide(self, view: View, encoding: Encoding) -> NDArray[np.float32]:
        return self._compute_by_belief(view, encoding, Network.logits)

    def _estimate(self, view: View, encoding: Encoding) -> NDArray[np.float32]:
        return self._compute_by_belief(view, encoding, Network.values)

    def _compute_by_belief(self, view: View, encoding: Encoding, output: _Output) -> NDArray[np.float32]:
        """Return an output of this network, or of the champion in games where nothing is believed."""
        seen, beliefs = encoding.observation, self._memory.inputs(view)
        blank = ~beliefs.any(axis=1)
        if blank.all():
            return output(self._champion, seen)
        outputs = output(self, np.concatenate([seen, beliefs], axis=1))
        if blank.any():
            outputs[blank] = output(self._champion, seen[blank])
        return outputs
