"""The kinds of players that a seat is compared with."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.beliefs import KNOWN_KINDS, Prior
from wizard_env.agents.adaptive.evidence import NOT_ASKED
from wizard_env.agents.assessment import PlayerKind
from wizard_env.agents.heuristic import HeuristicAgent
from wizard_env.agents.network import Network
from wizard_env.agents.pretrained import CHAMPION, PARTNERS
from wizard_env.agents.rule_based import RuleBasedAgent
from wizard_env.sampling import best_legal
from wizard_env.view import Agent, View, printed_actions

LEARNED = ("early_17", "points_12", "relative_11", "spirit_14")
"""The partners (see `wizard_env.agents.pretrained`) that are known; the others stand for unknown networks."""


class Policy(Protocol):
    """A network, wherever it is."""

    def logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], for observations, and beliefs if it reads them."""


class Kinds:
    """Players whose choices can be asked for at any decision.

    champion: the network of that kind.
    kinds: the kind of each player.
    is_quick: bool [players], whether it is no network.
    prior: of the players; kinds are equally likely.
    """

    def __init__(self, copy: Policy) -> None:
        """Read the networks among them. copy: that of the player that believes, which reads beliefs."""
        self._rules: list[Agent] = [RuleBasedAgent(), HeuristicAgent()]
        others = [Network(PARTNERS / f"{name}.safetensors", "numpy") for name in LEARNED]
        self.champion = Network(CHAMPION, "numpy")
        self._networks: list[Policy] = [self.champion, copy, *others]
        self.kinds = KNOWN_KINDS[:-1] + [PlayerKind.LEARNED] * len(others)
        self.is_quick = np.arange(len(self.kinds)) < len(self._rules)
        self.prior = Prior.of(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    def choices(self, view: View, beliefs: NDArray[np.uint8], asked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the action that each kind takes: int64 [n, kinds], NOT_ASKED where it is not asked.

        Args:
            view: n decisions.
            beliefs: uint8 [n, NUM_INPUTS], those that a copy has in each decision, see `network_inputs`.
            asked: bool [n, kinds].
        """
        encoding = view.encode(canonical_suits=True)
        nobody = np.random.default_rng(0)  # none of them draws from it
        chosen = np.full(asked.shape, NOT_ASKED)
        for kind, agent in enumerate(self._rules):
            rows = asked[:, kind].nonzero()[0]
            chosen[rows, kind] = agent.act(view.select(rows), nobody)
        for kind, network in enumerate(self._networks, len(self._rules)):
            rows = asked[:, kind].nonzero()[0]
            seen = encoding.observation[rows]
            if self.kinds[kind] == PlayerKind.COPY:
                seen = np.concatenate([seen, beliefs[rows]], axis=1)
            best = best_legal(network.logits(seen), encoding.mask[rows])
            chosen[rows, kind] = printed_actions(best, encoding.order[rows])
        return chosen
