"""AdaptiveAgent: plays like the champion until rounds are finished, then answers to who sits there."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.beliefs import (
    HIGH,
    INEXACT,
    KNOWN_KINDS,
    LOW,
    MAY_COPY,
    NUM_FEATURES,
    NUM_INPUTS,
    name_belief,
)
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.memory import Memory
from wizard_env.agents.assessment import PlayerKind, SeatBelief
from wizard_env.agents.network import BELIEF_HIGH, FILE_NAME, Backend, Network, PolicyAgent, find_agent
from wizard_env.agents.pretrained import ADAPTIVE
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.rules import MAX_PLAYERS
from wizard_env.sampling import best_legal
from wizard_env.view import Encoding, View, printed_actions

_Output: TypeAlias = Callable[[Network, NDArray[np.uint8]], NDArray[np.float32]]

_ORDER = sorted(KNOWN_KINDS, key=lambda kind: kind == PlayerKind.CHAMPION)
"""The response to champions is last: it answers wherever nobody is seen to play by simple rules."""
_CERTAIN = 0.99
"""The probability of a kind from which a response to it answers."""
_LIKE_CHAMPIONS = 0.95
"""The probability of a copy, as a share of that of a champion, below which the trust ends."""
_INEXACT = 0.1
"""The most that a seat may differ from its kind for a response to answer."""
_SIMPLE = 0.5
"""The probability of simple rules up to which a seat may as well be a champion."""


class AdaptiveAgent(PolicyAgent):
    """A network that reads beliefs about the other seats, and networks that each know one kind of table.

    The champion answers before there is evidence. A response answers where all other seats are of its kind,
    and that to champions wherever nobody is likely to play by simple rules. It lies beside the network, in a
    file named after the kind, such as `copy.safetensors`; the package's response to champions is the champion
    itself. The network answers in all other games. Actions are a function of the view alone; what was worked
    out about finished rounds is kept to be quick.
    """

    trusts_copies = True
    """False if it answers copies like champions. A search does: in its worlds nobody helps the table."""

    def __init__(self, path: str = str(ADAPTIVE), sample: bool = False, backend: Backend = "auto") -> None:
        """Read the networks. Raises ValueError for a network that reads no beliefs.

        path: of the network that reads beliefs; sample, backend: as for `NetworkAgent`.
        """
        super().__init__(path, sample, backend, beliefs=NUM_INPUTS)
        self._kinds = Kinds(self)
        self._champion = self._kinds.champion
        self._memory = Memory(self._kinds)
        network = find_agent(self.path)
        files = {kind: response_file(network, kind) for kind in _ORDER}
        self._responses = {
            kind: Network(file, self.backend) for kind, file in files.items() if file.is_file()
        }
        if network == ADAPTIVE / FILE_NAME:  # an own network answers champions itself: it may have learned to
            self._responses[PlayerKind.CHAMPION] = self._champion

    def logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], see `Network.logits`; beliefs follow each observation."""
        return self._answer(observations, Network.logits)

    def values(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Estimate the points of each round: float32 [n], see `Network.values`.

        A network that learned to win has no value of points; the champion's stands in for it.
        """
        return self._answer(observations, self._value)

    def _value(self, network: Network, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        if network.value is None:
            return self._champion.values(observations[:, :OBS_SIZE])
        return Network.values(network, observations)

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
        inputs = self._inputs(view, encoding)
        logits = self.logits(inputs)
        actions = printed_actions(best_legal(logits, encoding.mask), encoding.order)
        self._kinds.remember(view, inputs[:, OBS_SIZE:], actions)
        return logits

    def _estimate(self, view: View, encoding: Encoding) -> NDArray[np.float32]:
        return self.values(self._inputs(view, encoding))

    def _inputs(self, view: View, encoding: Encoding) -> NDArray[np.uint8]:
        return np.concatenate([encoding.observation, self._memory.inputs(view)], axis=1)

    def _answer(self, inputs: NDArray[np.uint8], output: _Output) -> NDArray[np.float32]:
        """Return an output of the network that answers in each row."""
        seen, beliefs = inputs[:, :OBS_SIZE], inputs[:, OBS_SIZE:]
        nothing_believed = ~beliefs.any(axis=1)
        answers, left = [(self._champion, nothing_believed)], ~nothing_believed
        all_alike = _all_alike(beliefs)
        for kind, response in self._responses.items():
            if kind == PlayerKind.COPY and not self.trusts_copies:
                continue
            alike = left & all_alike[:, kind.column]
            answers.append((response, alike))
            left &= ~alike
        parts = [(rows, output(network, seen[rows])) for network, rows in answers if rows.any()]
        if left.any() or not parts:
            parts.append((left, output(self, inputs[left])))
        outputs = np.empty((len(inputs), *parts[0][1].shape[1:]), np.float32)
        for rows, values in parts:
            outputs[rows] = values
        return outputs


def _all_alike(beliefs: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether all seats about which anything is believed are of a kind: bool [n, kinds].

    beliefs: uint8 [n, NUM_INPUTS].
    """
    seats = beliefs.reshape(-1, MAX_PLAYERS - 1, NUM_FEATURES)
    copies, champions = seats[..., PlayerKind.COPY.column], seats[..., PlayerKind.CHAMPION.column]
    belong = seats[..., : len(KNOWN_KINDS)] >= _CERTAIN * BELIEF_HIGH
    belong[..., PlayerKind.COPY.column] = (copies >= _LIKE_CHAMPIONS * champions) & (
        copies >= MAY_COPY * BELIEF_HIGH
    )
    belong &= (seats[..., [INEXACT, HIGH, LOW]] <= _INEXACT * BELIEF_HIGH).all(axis=-1, keepdims=True)
    simple = seats[..., [PlayerKind.RULE_BASED.column, PlayerKind.HEURISTIC.column]].sum(axis=-1)
    belong[..., PlayerKind.CHAMPION.column] = simple <= _SIMPLE * BELIEF_HIGH
    return np.logical_and.reduce(belong | ~seats.any(axis=-1, keepdims=True), axis=1)


def response_file(network: Path, kind: PlayerKind) -> Path:
    """Return where the response to a kind lies. network: the file of the network that reads beliefs."""
    return network.with_name(f"{kind}.safetensors")
