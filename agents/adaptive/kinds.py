"""The kinds of players that a seat is compared with."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.beliefs import KNOWN_KINDS, Prior
from wizard_env.agents.adaptive.evidence import NOT_ASKED
from wizard_env.agents.adaptive.recent import Recent
from wizard_env.agents.assessment import PlayerKind
from wizard_env.agents.heuristic import HeuristicAgent
from wizard_env.agents.network import Network
from wizard_env.agents.pretrained import CHAMPION, PARTNERS
from wizard_env.agents.rule_based import RuleBasedAgent
from wizard_env.sampling import best_legal
from wizard_env.view import Actions, Agent, View, printed_actions

LEARNED = ("early_17", "points_12", "relative_11", "spirit_14")
"""The partners (see `wizard_env.agents.pretrained`) that are known; the others stand for unknown networks."""

_ANSWERS = 1 << 14
"""Answers of the copy that are kept at least."""


class Policy(Protocol):
    """A network, wherever it is."""

    def logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], for observations, and beliefs if it reads them."""


class Kinds:
    """Players whose choices can be asked for at any decision.

    champion: the network of that kind.
    kinds: the kind of each player.
    is_quick: bool [players], whether it is no network.
    copy: the index of the copy.
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
        self._answers = Recent[int](_ANSWERS)
        self.copy = self.kinds.index(PlayerKind.COPY)
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
        nobody = np.random.default_rng(0)  # none of them draws from it
        chosen = np.full(asked.shape, NOT_ASKED)
        any_asked = np.logical_or.reduce(asked, axis=0)
        for kind, agent in enumerate(self._rules):
            if any_asked[kind]:
                rows = asked[:, kind].nonzero()[0]
                chosen[rows, kind] = agent.act(view.select(rows), nobody)
        if not any_asked[len(self._rules) :].any():
            return chosen
        encoding = view.encode(canonical_suits=True)
        for kind, network in enumerate(self._networks, len(self._rules)):
            if not any_asked[kind]:
                continue
            rows = asked[:, kind].nonzero()[0]
            if kind == self.copy:
                found = [self._answers.find(key) for key in _keys(view.known[rows], beliefs[rows])]
                known = np.array([answer is not None for answer in found], np.bool_)
                chosen[rows[known], kind] = [answer for answer in found if answer is not None]
                rows = rows[~known]
            seen = encoding.observation[rows]
            if kind == self.copy:
                seen = np.concatenate([seen, beliefs[rows]], axis=1)
            best = best_legal(network.logits(seen), encoding.mask[rows])
            chosen[rows, kind] = printed_actions(best, encoding.order[rows])
        return chosen

    def remember(self, view: View, beliefs: NDArray[np.uint8], actions: Actions) -> None:
        """Keep answers of the copy, which need not be asked for again. The arguments are as for `choices`.

        actions: int64 [n], those that the copy takes.
        """
        self._answers.make_room()
        self._answers.add(zip(_keys(view.known, beliefs), actions.tolist(), strict=True))


def _keys(states: NDArray[Any], beliefs: NDArray[np.uint8]) -> list[bytes]:
    """Name decisions by all that a copy reads."""
    size, width = states.itemsize, beliefs.shape[1]
    known, believed = states.tobytes(), beliefs.tobytes()
    return [
        known[index * size : (index + 1) * size] + believed[index * width : (index + 1) * width]
        for index in range(len(states))
    ]
