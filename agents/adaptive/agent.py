"""AdaptiveAgent: plays like the champion until rounds are finished, then answers to who sits there."""

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS, network_inputs
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.memory import Memory
from wizard_env.agents.assessment import Assessment
from wizard_env.agents.network import Backend, Network, print_policy, softmax
from wizard_env.agents.pretrained import ADAPTIVE, CHAMPION
from wizard_env.chance.sampling import best_legal, certain
from wizard_env.checks.arguments import check_type
from wizard_env.view import Actions, Encoding, View, printed_actions


class AdaptiveAgent:
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
        self.network = Network(path, backend, beliefs=NUM_INPUTS)
        self._champion = Network(CHAMPION, backend)
        self._memory = Memory(Kinds(self.network))

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        return self._choose(self._logits(view, encoding), encoding, view, rng)

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.float32]]:
        """Return the actions, and the probability of each: float32 [n, NUM_ACTIONS]."""
        encoding = view.encode(canonical_suits=True)
        logits = self._logits(view, encoding)
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

    def printed_policy(self, view: View) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], the probability of each action, in the suits as printed."""
        encoding = view.encode(canonical_suits=True)
        return print_policy(softmax(self._logits(view, encoding), encoding.mask), encoding.order)

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Return its policy and its value; it has no estimates for single actions."""
        encoding = view.encode(canonical_suits=True)
        unknown = np.full((len(view), NUM_ACTIONS), np.nan)
        value = self._compute(view, encoding, "values").astype(np.float64)
        policy = softmax(self._logits(view, encoding), encoding.mask)
        return Assessment(print_policy(policy, encoding.order), unknown, value)

    def _logits(self, view: View, encoding: Encoding) -> NDArray[np.float32]:
        return self._compute(view, encoding, "logits")

    def _compute(self, view: View, encoding: Encoding, output: str) -> NDArray[np.float32]:
        seen = encoding.observation
        beliefs = network_inputs(self.beliefs(view), view.seat, view.known["num_players"])
        recognises = beliefs.any(axis=1)
        if not recognises.any():
            return getattr(self._champion, output)(seen)
        with_beliefs = np.concatenate([seen, beliefs], axis=1)
        if recognises.all():
            return getattr(self.network, output)(with_beliefs)
        outputs = getattr(self.network, output)(with_beliefs)
        outputs[~recognises] = getattr(self._champion, output)(seen[~recognises])
        return outputs
