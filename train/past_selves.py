"""Past selves as opponents, chosen by prioritised fictitious self-play."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env.checks import check_integer
from wizard_env.train.networks.layers import check_finite
from wizard_env.train.networks.policy_value import GreedyAgent, PolicyValueNetwork
from wizard_env.train.selfplay.workers import ALONE, Peers
from wizard_env.view import Actions, View

_DECAY = 0.999
"""The factor on the counts of earlier rounds after every iteration, since the learner keeps learning."""


class PastSelves:
    """An agent that acts as one of the learner's past selves.

    Past selves that still beat the learner are chosen most: in proportion to (1 - p)^2, where p is the share
    of rounds in which the learner scored more (Vinyals et al. 2019, the weighting "hard").
    """

    def __init__(
        self,
        layers: list[int],
        size: int,
        precision: str = "float32",
        encoding: str = "",
        device: torch.device | None = None,
    ) -> None:
        """Start empty; `add` a network before the first `act`.

        size: the most past selves to keep; beyond it the one with the lowest priority is dropped.
        """
        network = PolicyValueNetwork(layers, 0, encoding).to(device)
        network.hold_in(precision)
        self._agent = GreedyAgent(network)
        self._size = size
        self._selves: list[dict[str, torch.Tensor]] = []
        self._rounds = np.zeros((0, 2))
        self._chosen = 0

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        return self._agent.act(view, rng)

    def add(self, network: PolicyValueNetwork) -> None:
        """Keep a copy of a network, in half precision to keep checkpoints small, and act as it."""
        if len(self._selves) == self._size:
            easiest = int(self.priorities().argmin())
            del self._selves[easiest]
            self._rounds = np.delete(self._rounds, easiest, axis=0)
        copy = {name: value.detach().cpu().half() for name, value in network.state_dict().items()}
        self._selves.append(copy)
        self._rounds = np.append(self._rounds, np.zeros((1, 2)), axis=0)
        self._act_as(len(self._selves) - 1)

    def priorities(self) -> NDArray[np.float64]:
        """Return the probabilities of being chosen, float64 [past selves]."""
        won = (self._rounds[:, 0] + 1) / (self._rounds.sum(axis=1) + 2)
        weights = (1 - won) ** 2
        return weights / weights.sum()

    def choose(self, rng: np.random.Generator) -> None:
        """Draw the past self that acts from now on."""
        self._act_as(int(rng.choice(len(self._selves), p=self.priorities())))

    def _act_as(self, number: int) -> None:
        self._chosen = number
        self._agent.network.load_state_dict(self._selves[number])

    def note(self, won: float, lost: float, peers: Peers = ALONE) -> None:
        """Count the rounds that all workers have won and lost against the past selves that act."""
        rounds = np.zeros_like(self._rounds)
        rounds[self._chosen] = won, lost
        self._rounds = self._rounds * _DECAY + peers.sum(rounds)

    def state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """Return the past selves and their counts, as tensors and plain values; see `set_state`."""
        tensors = {
            f"{number}.{name}": value
            for number, weights in enumerate(self._selves)
            for name, value in weights.items()
        }
        return tensors, {"rounds": self._rounds.tolist(), "chosen": self._chosen}

    def set_state(self, tensors: dict[str, torch.Tensor], plain: dict[str, Any]) -> None:
        """Continue from a `state`.

        Raises ValueError for numbers that are not finite, RuntimeError for weights of another network.
        """
        self._rounds = np.array(plain["rounds"], np.float64).reshape(-1, 2)
        if not np.isfinite(self._rounds).all() or (self._rounds < 0).any():
            raise ValueError("the rounds of past selves are not counts")
        check_finite(tensors.values(), 0)
        self._selves = [{} for _ in self._rounds]
        for name, value in tensors.items():
            number, weight = name.split(".", 1)
            self._selves[int(number)][weight] = value
        for loaded in range(len(self._selves)):
            self._act_as(loaded)  # refuses one that does not fit
        self._act_as(check_integer("chosen", plain["chosen"], 0, len(self._selves) - 1))


def count_wins(
    points: NDArray[np.int16],
    round_done: NDArray[np.bool_],
    learns: NDArray[np.bool_],
    plays: NDArray[np.bool_],
) -> tuple[float, float]:
    """Return the rounds that the seats that learn have won and lost against the others, by mean points.

    A tie is half a round won and half a round lost.

    Args:
        points: [steps, games, seats], scored by each step.
        round_done: [steps, games], whether the step ended a round.
        learns: [games, seats], the seats that learn.
        plays: [games, seats], the seats of the others.
    """
    lead = _mean(points, learns)[round_done] - _mean(points, plays)[round_done]
    won = float((lead > 0).sum() + 0.5 * (lead == 0).sum())
    return won, len(lead) - won


def _mean(points: NDArray[np.int16], seats: NDArray[np.bool_]) -> NDArray[np.float64]:
    return (points * seats).sum(axis=2) / seats.sum(axis=1)
