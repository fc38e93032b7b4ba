"""The workers of a run, which learn together: processes of this machine, those of torchrun, or one alone.

`start_workers` starts processes that exchange gradients through memory that they share. `torchrun` starts
workers on several machines, and starts them again when one is lost; they use torch.distributed.
"""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray

from wizard_env.evaluation.workers import limit_threads, prepare_process, torch_on_one_thread
from wizard_env.failures import own_code_notes

EXCHANGE_SECONDS = "workers/exchange_seconds"
MEGABYTES_SENT = "workers/megabytes_sent"
_SECONDS_TO_END = 5.0
"""The time that a worker has to end after worker 0."""
_RESUMABLE = "the same command continues from the last checkpoint"
_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


class LostWorkerError(ConnectionError):
    """Another worker no longer answers."""


class Peers:
    """The workers that learn together, each with its own games. This class is for a process alone.

    Every method is called by all workers at the same point of the run.

    rank: this worker's number, from 0.
    local_rank: its number on its machine, which is that of its GPU.
    count: the number of workers.
    """

    rank = 0
    local_rank = 0
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

    def any(self, flag: bool) -> bool:
        """Return whether the flag of any worker is set."""
        return bool(self.sum(np.array([float(flag)]))[0])

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


class LocalGroup(Peers):
    """Processes of this machine: worker 0 has a pipe to each other one. See `start_workers`."""

    def __init__(self, rank: int, count: int, pipes: Sequence[Connection]) -> None:
        """pipes: to the workers 1, 2 and so on for worker 0, to worker 0 for the others."""
        self.rank, self.count = rank, count
        self._pipes = pipes
        self._seconds = 0.0
        self._shared = np.zeros((0, 0), np.float32)
        """[count + 1, parameters]: the gradients of each worker, and their mean."""

    def average_gradients(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        """Each worker adds up its part, in the order of the workers, and all get the same numbers."""
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        size = sum(gradient.numel() for gradient in gradients)
        if self._shared.shape[1] != size:
            self._shared = self._share_memory((self.count + 1, size))
        own, mean = self._shared[self.rank], self._shared[-1]
        _pack(gradients, out=torch.from_numpy(own))
        self._wait()
        part = slice(self.rank * size // self.count, (self.rank + 1) * size // self.count)
        np.add.reduce(self._shared[:-1, part], axis=0, out=mean[part])
        mean[part] /= self.count
        self._wait()
        _unpack(torch.from_numpy(mean), gradients)

    def sum(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        total: NDArray[np.float64] = np.sum(self.gather(numbers), axis=0)
        return total

    def gather(self, value: Any) -> list[Any]:
        start = time.perf_counter()
        values = self._answers(value) if self.rank else self._answer(value)
        self._seconds += time.perf_counter() - start
        return values

    def _answers(self, value: Any) -> list[Any]:
        """Send a value to worker 0, and return those of all."""
        (pipe,) = self._pipes
        try:
            pipe.send(value)
            values: list[Any] = pipe.recv()
        except (EOFError, OSError):
            raise LostWorkerError(f"worker {self.rank} of {self.count} has lost worker 0") from None
        return values

    def _answer(self, value: Any) -> list[Any]:
        """Send the values of all workers to each."""
        values = [value]
        for rank, pipe in enumerate(self._pipes, 1):
            try:
                values.append(pipe.recv())
            except (EOFError, OSError):
                raise LostWorkerError(f"worker {rank} of {self.count} has ended: {_RESUMABLE}") from None
            if isinstance(values[-1], _Failure):
                raise LostWorkerError(f"worker {rank} of {self.count}: {values[-1].reason}")
        for pipe in self._pipes:
            with suppress(OSError):  # one that has ended since is found by the next exchange
                pipe.send(values)
        return values

    def broadcast(self, value: Any) -> Any:
        return self.gather(None if self.rank else value)[0]

    def metrics(self) -> dict[str, float]:
        """Return the seconds spent in exchanges, waiting for other workers included."""
        metrics = {EXCHANGE_SECONDS: self._seconds}
        self._seconds = 0.0
        return metrics

    def _wait(self) -> None:
        """Wait until every worker is here."""
        self.gather(None)

    def _share_memory(self, shape: tuple[int, int]) -> NDArray[np.float32]:
        """Return zeros in memory that all workers share, behind a temporary file without a name."""
        path = ""
        if not self.rank:
            descriptor, path = tempfile.mkstemp(prefix="wizard-gradients-")
            os.close(descriptor)
            Path(path).write_bytes(bytes(4 * shape[0] * shape[1]))  # a full disk shows here, not in a product
        path = self.broadcast(path)
        shared = np.asarray(np.memmap(path, np.float32, "r+", shape=shape))
        self._wait()
        if not self.rank:
            with suppress(PermissionError):  # Windows keeps a file that is open
                Path(path).unlink()
        return shared


class _Failure(NamedTuple):
    """Sent by a worker in place of a value when it fails."""

    reason: str


class ProcessGroup(Peers):
    """The workers of torch's process group, which must exist.

    Gradients travel as one flat tensor, not in the buckets of DistributedDataParallel: their layout changes
    after the first step, and with it the order in which a ring of three or more adds up, so that a run that
    was resumed would differ from one that was not in the last bits.
    """

    def __init__(self) -> None:
        self.rank = dist.get_rank()
        self.local_rank = int(os.environ.get("LOCAL_RANK", 0))
        self.count = dist.get_world_size()
        self._seconds = 0.0
        self._bytes = 0.0

    def average_gradients(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = _pack(gradients)
        with self._exchange(flat):
            dist.all_reduce(flat)
        flat /= self.count
        _unpack(flat, gradients)

    def broadcast_parameters(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        values = [parameter.data for parameter in parameters]
        flat = _pack(values)
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


def _pack(tensors: Sequence[torch.Tensor], out: torch.Tensor | None = None) -> torch.Tensor:
    return torch.cat([tensor.reshape(-1) for tensor in tensors], out=out)


def _unpack(flat: torch.Tensor, into: Sequence[torch.Tensor]) -> None:
    parts = torch.split(flat, [tensor.numel() for tensor in into])
    for tensor, part in zip(into, parts, strict=True):
        tensor.copy_(part.view_as(tensor))


@contextmanager
def start_workers(count: int, work: Callable[..., object]) -> Iterator[Peers]:
    """Start processes that learn together with this one, which is worker 0, for as long as the block runs.

    Each has one thread.

    Args:
        count: the number of workers, this one included.
        work: called in the others with their Peers, `work(peers=peers)`; it must be picklable.
    """
    if count == 1:
        yield ALONE
        return
    context = get_context("spawn")  # torch's threads do not survive a fork
    pipes, processes = [], []
    try:
        for rank in range(1, count):
            ours, theirs = context.Pipe()
            pipes.append(ours)
            processes.append(context.Process(target=_work, args=(rank, count, theirs, work)))
            processes[-1].start()
            theirs.close()  # so that the pipe ends with the process
        yield LocalGroup(0, count, pipes)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.join(_SECONDS_TO_END)
            process.kill()
            process.join()


def _work(rank: int, count: int, pipe: Connection, work: Callable[..., object]) -> None:
    """Be another worker of this machine. Signals reach it too, but worker 0 decides what happens."""
    prepare_process()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    try:
        work(peers=LocalGroup(rank, count, [pipe]))
    except Exception as error:
        with suppress(OSError):  # if worker 0 has stopped, or has failed in the same way, it does not listen
            pipe.send(_Failure("\n".join([f"{type(error).__name__}: {error}", *own_code_notes(error)])))


@contextmanager
def join_workers() -> Iterator[Peers]:
    """Join the workers that `torchrun` has started this process with, for as long as the block runs.

    They communicate over gloo, and between GPUs over nccl. A process that was started alone stays alone.
    Raises ValueError on several machines where torchrun could not start lost workers again.
    """
    if int(os.environ.get("WORLD_SIZE", 1)) == 1:
        yield ALONE
        return
    limit_threads(1)
    backend = "cpu:gloo,cuda:nccl" if dist.is_nccl_available() else "gloo"
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        rank, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        dist.init_process_group(backend, store=_agent_store(), rank=rank, world_size=count)
    else:
        dist.init_process_group(backend)
    try:
        yield ProcessGroup()
    finally:
        dist.destroy_process_group()


def _agent_store() -> Any:
    """Return the part of torchrun's store for this start of the workers.

    torchrun keeps its store when it starts workers again, and with it the addresses of those that were lost.
    Only the torchruns of several machines may count their starts differently.
    """
    several, restarts = os.environ["GROUP_WORLD_SIZE"] != "1", os.environ["TORCHELASTIC_MAX_RESTARTS"] != "0"
    if several and restarts:
        raise ValueError(
            "--max-restarts on several machines needs TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in the "
            "environment of every torchrun"
        )
    stores: Any = dist  # which has them, though its types do not say so
    store = stores.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
    return stores.PrefixStore(f"start-{os.environ['TORCHELASTIC_RESTART_COUNT']}", store)


def equal_share(name: str, total: int, workers: int) -> int:
    """Return a worker's share of a total. Raises ValueError if the shares cannot be equal."""
    if total % workers:
        raise ValueError(
            f"workers={workers} with {name}={total}: every worker gets an equal share, "
            f"so {name} must be a multiple of {workers}"
        )
    return total // workers
