"""AdaptiveAgent: plays like the champion until rounds are finished, then answers to who sits there."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS, name_belief, network_inputs
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.memory import Memory
from wizard_env.agents.assessment import Assessment, SeatBelief
from wizard_env.agents.network import Backend, Network, print_policy, softmax
from wizard_env.agents.pretrained import ADAPTIVE, CHAMPION
from wizard_env.chance.sampling import best_legal, certain
from wizard_env.checks.arguments import check_type
from wizard_env.view import Actions, Encoding, View, printed_actions

_Output: TypeAlias = Callable[[Network, NDArray[np.uint8]], NDArray[np.float32]]


class AdaptiveAgent(Network):
    """A network that reads beliefs about the other seats; before there is evidence, the champion.

    Its actions are a function of the view alone; what it has worked out about finished rounds is kept to be
    quick.
    """

    def __init__(self, path: str = str(ADAPTIVE), sample: bool = False, backend: Backend = "auto") -> None:
        """Read the networks. Raises ValueError for a network that reads no beliefs.

        path: of the network that reads beliefs; sample, backend: as for `NetworkAgent`.
        """
        check_type("sample", sample, bool)
        self.sample = sample
        super().__init__(path, backend, beliefs=NUM_INPUTS)
        self._champion = Network(CHAMPION, backend)
        self._memory = Memory(Kinds(self))

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        return self._choose(self._compute_by_belief(view, encoding, Network.logits), encoding, view, rng)

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.float32]]:
        """Return the actions, and the probability of each: float32 [n, NUM_ACTIONS]."""
        encoding = view.encode(canonical_suits=True)
        logits = self._compute_by_belief(view, encoding, Network.logits)
        actions = self._choose(logits, encoding, view, rng)
        if not self.sample:
            return actions, certain(actions)
        return actions, print_policy(softmax(logits, encoding.mask), encoding.order)

    def _choose(
        self, logits: NDArray[np.float32], encoding: Encoding, view: View, rng: np.random.Generator
    ) -> Actions:
        if self.sample:
            actions, _ = sample_softmax(logits, encoding.mask, view.noise(rng))
        else:
            actions = best_legal(logits, encoding.mask)
        return printed_actions(actions, encoding.order)

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

    def printed_policy(self, view: View) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], the probability of each action, in the suits as printed."""
        encoding = view.encode(canonical_suits=True)
        return print_policy(
            softmax(self._compute_by_belief(view, encoding, Network.logits), encoding.mask), encoding.order
        )

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Return its policy and its value; it has no estimates for single actions."""
        encoding = view.encode(canonical_suits=True)
        unknown = np.full((len(view), NUM_ACTIONS), np.nan)
        value = self._compute_by_belief(view, encoding, Network.values).astype(np.float64)
        policy = softmax(self._compute_by_belief(view, encoding, Network.logits), encoding.mask)
        return Assessment(print_policy(policy, encoding.order), unknown, value)

    def _compute_by_belief(self, view: View, encoding: Encoding, output: _Output) -> NDArray[np.float32]:
        """Return an output of this network, or of the champion in games where nothing is believed."""
        seen = encoding.observation
        beliefs = network_inputs(self.beliefs(view), view.seat, view.known["num_players"])
        blank = ~beliefs.any(axis=1)
        if blank.all():
            return output(self._champion, seen)
        outputs = output(self, np.concatenate([seen, beliefs], axis=1))
        if blank.any():
            outputs[blank] = output(self._champion, seen[blank])
        return outputs
