"""Workers that are threads of the test's process, to test what workers do without starting any."""

from collections.abc import Callable, Sequence
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env.train.selfplay.workers import Peers

Result = TypeVar("Result")


class Threads(Peers):
    """One of several workers, which exchange values in a shared list."""

    def __init__(self, rank: int, shared: list[Any], barrier: Barrier) -> None:
        self.rank = rank
        self.count = len(shared)
        self._shared = shared
        self._barrier = barrier

    def gather(self, value: Any) -> list[Any]:
        self._shared[self.rank] = value
        self._barrier.wait()
        values = list(self._shared)
        self._barrier.wait()
        return values

    def broadcast(self, value: Any) -> Any:
        return self.gather(value)[0]

    def sum(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        total: NDArray[np.float64] = np.sum(self.gather(numbers), axis=0)
        return total

    def average_gradients(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        everyone = self.gather([parameter.grad.clone() for parameter in parameters])  # type: ignore[union-attr]
        for parameter, *gradients in zip(parameters, *everyone, strict=True):
            assert parameter.grad is not None
            parameter.grad.copy_(torch.stack(gradients).sum(0) / self.count)

    def broadcast_parameters(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        assert all(map(torch.equal, parameters, self.broadcast(list(parameters))))


def together(count: int, work: Callable[[Peers], Result]) -> list[Result]:
    """Run the same work in all workers at the same time; returns their results, by rank."""
    barrier, shared = Barrier(count), [None] * count
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            results[rank] = work(Threads(rank, shared, barrier))
        except BrokenBarrierError:
            pass  # another worker has failed
        except BaseException as error:
            errors.append(error)
            barrier.abort()

    threads = [Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
