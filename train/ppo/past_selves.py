"""Past selves as opponents, chosen by prioritised fictitious self-play."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env.train.networks import GreedyAgent, PolicyValueNetwork
from wizard_env.view import Actions, View

FADE = 0.999
"""By so much what was seen before counts less after every iteration: the learner goes on learning."""


class PastSelves:
    """An agent: the past self that is chosen at the moment.

    Those whom the learner still loses to are chosen most: in proportion to (1 - p)^2, where p is the
    share of rounds in which the learner scored more (Vinyals et al. 2019, the weighting "hard").
    """

    def __init__(self, layers: list[int], size: int, precision: str = "float32") -> None:
        """Begin with nobody; `add` somebody before the first `act`.

        Args:
            layers: of the networks.
            size: how many past selves are kept; beyond, the one chosen least often goes.
            precision: what they compute in, float32 or bfloat16.
        """
        self._agent = GreedyAgent(PolicyValueNetwork(layers, 0), precision)
        self._size = size
        self._selves: list[dict[str, torch.Tensor]] = []
        self._rounds = np.zeros((0, 2))
        self._chosen = 0

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        return self._agent.act(view, rng)

    def add(self, network: PolicyValueNetwork) -> None:
        """Keep a copy of a network."""
        if len(self._selves) == self._size:
            easiest = int(self.priorities().argmin())
            del self._selves[easiest]
            self._rounds = np.delete(self._rounds, easiest, axis=0)
        copy = {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}
        self._selves.append(copy)
        self._rounds = np.append(self._rounds, np.zeros((1, 2)), axis=0)
        self._seat(len(self._selves) - 1)

    def priorities(self) -> NDArray[np.float64]:
        """float64 [past selves]: how likely each is chosen."""
        won = (self._rounds[:, 0] + 1) / (self._rounds.sum(axis=1) + 2)
        weights = (1 - won) ** 2
        return weights / weights.sum()

    def choose(self, rng: np.random.Generator) -> None:
        """Seat another of them."""
        self._seat(int(rng.choice(len(self._selves), p=self.priorities())))

    def _seat(self, number: int) -> None:
        self._chosen = number
        self._agent.network.load_state_dict(self._selves[number])

    def note(self, won: float, lost: float) -> None:
        """Count rounds that the learner has won and lost against the one that is seated."""
        self._rounds *= FADE
        self._rounds[self._chosen] += won, lost

    def state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """Tensors and plain values; see `set_state`."""
        tensors = {
            f"{number}.{name}": value
            for number, weights in enumerate(self._selves)
            for name, value in weights.items()
        }
        return tensors, {"rounds": self._rounds.tolist(), "chosen": self._chosen}

    def set_state(self, tensors: dict[str, torch.Tensor], plain: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self._rounds = np.array(plain["rounds"]).reshape(-1, 2)
        self._selves = [{} for _ in self._rounds]
        for name, value in tensors.items():
            number, weight = name.split(".", 1)
            self._selves[int(number)][weight] = value
        self._seat(plain["chosen"])


def rounds_won(
    points: NDArray[np.int16], learns: NDArray[np.bool_], plays: NDArray[np.bool_]
) -> tuple[float, float]:
    """How many rounds the seats that learn have won and lost against the others; even ones count by half.

    Args:
        points: [steps, games, seats], what every step scored.
        learns: [games, seats], the seats that learn.
        plays: [games, seats], the seats of the others.
    """
    ended = points[:, :, 0] != 0
    ahead = _mean(points, learns)[ended] - _mean(points, plays)[ended]
    won = float((ahead > 0).sum() + 0.5 * (ahead == 0).sum())
    return won, len(ahead) - won


def _mean(points: NDArray[np.int16], seats: NDArray[np.bool_]) -> NDArray[np.float64]:
    return (points * seats).sum(axis=2) / seats.sum(axis=1)
