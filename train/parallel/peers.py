"""The workers of a run, and their collective operations; a process alone is the default."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env.evaluation.workers import torch_on_one_thread

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


class Peers:
    """The workers that learn together, each with its own games. This class is for a process alone.

    Every method is called by all workers at the same point of the run.

    rank: this worker's number, from 0.
    count: the number of workers.
    """

    rank = 0
    count = 1

    def average_gradients(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        """Replace the gradients of parameters by their means over the workers."""

    def broadcast_parameters(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        """Replace the parameters by those of worker 0.

        Processors of different kinds round differently, and the copies of a network would drift apart.
        """

    def sum(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums over the workers; float64, of any shape."""
        return numbers

    def gather(self, value: Any) -> list[Any]:
        """Return every worker's value, by rank."""
        return [value]

    def broadcast(self, value: Any) -> Any:
        """Return worker 0's value."""
        return value

    def map(self, function: Callable[[_Task], _Result], tasks: Iterable[_Task], /) -> Iterator[_Result]:
        """Share tasks that every worker has; a `Map` of `wizard_env.evaluation.workers`."""
        listed = list(tasks)
        with torch_on_one_thread():
            mine = [function(task) for task in listed[self.rank :: self.count]]
        results = self.gather(mine)
        yield from (results[number % self.count][number // self.count] for number in range(len(listed)))

    def derive_seed(self, seed: int, decisions: int = 0) -> int:
        """Return this worker's seed for deals and draws; worker 0 of a new run keeps the run's own.

        decisions: learned from when the run continues with new deals.
        """
        if not self.rank and not decisions:
            return seed
        entropy = np.random.SeedSequence([seed, self.rank, decisions])
        return int(entropy.generate_state(1, np.uint64)[0])

    def metrics(self) -> dict[str, float]:
        """Return the costs of communication since the last call, to log, by name."""
        return {}


ALONE = Peers()
"""This process, which learns without others."""


def equal_share(name: str, total: int, workers: int) -> int:
    """Return a worker's share of a total. Raises ValueError if the shares cannot be equal."""
    if total % workers:
        raise ValueError(
            f"workers={workers} with {name}={total}: every worker gets an equal share, "
            f"so {name} must be a multiple of {workers}"
        )
    return total // workers
