"""Workers that communicate over torch.distributed: gloo between processors, nccl between GPUs."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray

from wizard_env.train.parallel.peers import Peers

EXCHANGE_SECONDS = "workers/exchange_seconds"
MEGABYTES_SENT = "workers/megabytes_sent"


class LostWorkerError(RuntimeError):
    """Another worker no longer answers."""


class ProcessGroup(Peers):
    """The workers of torch's process group, which must exist.

    Gradients travel as one flat tensor, not in the buckets of DistributedDataParallel: their layout changes
    after the first step, and with it the order in which a ring of three or more adds up, so that a run that
    was resumed would differ from one that was not in the last bits.
    """

    def __init__(self) -> None:
        self.rank = dist.get_rank()
        self.count = dist.get_world_size()
        self._seconds = 0.0
        self._bytes = 0.0

    def average_gradients(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        with self._exchange(flat):
            dist.all_reduce(flat)
        flat /= self.count
        _unpack(flat, gradients)

    def broadcast_parameters(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        values = [parameter.data for parameter in parameters]
        flat = torch.cat([value.reshape(-1) for value in values])
        with self._exchange(flat, rounds=1):
            dist.broadcast(flat, 0)
        _unpack(flat, values)

    def sum(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        tensor = torch.from_numpy(np.array(numbers, np.float64))
        with self._exchange(tensor):
            dist.all_reduce(tensor)
        summed: NDArray[np.float64] = tensor.numpy()
        return summed

    def gather(self, value: Any) -> list[Any]:
        values: list[Any] = [None] * self.count
        with self._exchange():
            dist.all_gather_object(values, value)
        return values

    def broadcast(self, value: Any) -> Any:
        values = [value]
        with self._exchange():
            dist.broadcast_object_list(values, 0)
        return values[0]

    def metrics(self) -> dict[str, float]:
        """Return the seconds spent in exchanges, waiting for other workers included, and megabytes sent.

        The bytes are those of gradients, weights and sums in a ring: of a sum of n bytes, each worker sends
        2 n (count - 1) / count (Patarasuk and Yuan 2009).
        """
        metrics = {EXCHANGE_SECONDS: self._seconds, MEGABYTES_SENT: self._bytes / 1e6}
        self._seconds = self._bytes = 0.0
        return metrics

    @contextmanager
    def _exchange(self, tensor: torch.Tensor | None = None, rounds: int = 2) -> Iterator[None]:
        """Count the time and the bytes of an exchange; an error in it means a lost worker."""
        start = time.perf_counter()
        try:
            yield
        except RuntimeError as error:
            raise LostWorkerError(f"worker {self.rank} of {self.count} has lost another: {error}") from error
        self._seconds += time.perf_counter() - start
        if tensor is not None:
            self._bytes += rounds * tensor.nbytes * (self.count - 1) / self.count


def _unpack(flat: torch.Tensor, into: Sequence[torch.Tensor]) -> None:
    parts = torch.split(flat, [tensor.numel() for tensor in into])
    for tensor, part in zip(into, parts, strict=True):
        tensor.copy_(part.view_as(tensor))
