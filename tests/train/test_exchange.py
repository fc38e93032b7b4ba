"""The exchange of workers that are processes; they import this module, so it imports little."""

from functools import partial
from multiprocessing import get_context
from operator import neg
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist

from wizard_env.train.selfplay.workers import (
    EXCHANGE_SECONDS,
    MEGABYTES_SENT,
    LostWorkerError,
    Peers,
    ProcessGroup,
    start_workers,
)


def parameters(rank: int) -> list[torch.nn.Parameter]:
    """Two parameters whose values and gradients depend on the worker."""
    made = [torch.nn.Parameter(torch.full(shape, float(rank))) for shape in ((2, 3), (4,))]
    for parameter in made:
        parameter.grad = torch.full_like(parameter, 10.0 * rank)
    return made


def exchange(peers: Peers) -> dict[str, Any]:
    """Return the results of every collective operation for a worker."""
    ours = parameters(peers.rank)
    peers.average_gradients(ours)
    gradients = [parameter.grad.tolist() for parameter in ours if parameter.grad is not None]
    peers.broadcast_parameters(ours)
    return {
        "gradients": gradients,
        "values": [parameter.tolist() for parameter in ours],
        "sum": peers.sum(np.array([[1.0, peers.rank]])).tolist(),
        "gathered": peers.gather({"rank": peers.rank}),
        "first": peers.broadcast(f"worker {peers.rank}"),
        "mapped": list(peers.map(neg, range(5))),
    }


EXCHANGED: dict[str, Any] = {
    "gradients": [[[10.0] * 3] * 2, [10.0] * 4],
    "sum": [[3.0, 3.0]],
    "gathered": [{"rank": 0}, {"rank": 1}, {"rank": 2}],
    "first": "worker 0",
    "mapped": [0, -1, -2, -3, -4],
}
"""The result of `exchange` for each of three workers, apart from the values of their parameters."""


def _in_a_process(rank: int, folder: str) -> None:
    """A worker of three; the last leaves before the last exchange."""
    dist.init_process_group("gloo", f"file://{folder}/store", rank=rank, world_size=3)
    group = ProcessGroup()
    torch.save(exchange(group) | {"metrics": group.metrics()}, f"{folder}/{rank}")
    if rank < 2:
        with pytest.raises(LostWorkerError, match=f"worker {rank} of 3 has lost another"):
            group.sum(np.zeros(1))
    dist.destroy_process_group()  # gloo aborts a process that ends while its threads run


def test_processes_exchange(tmp_path: Path) -> None:
    """Over gloo, with the bytes of a ring; waiting for a worker that has ended raises an error."""
    context = get_context("spawn")
    processes = [context.Process(target=_in_a_process, args=(rank, str(tmp_path))) for rank in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    for rank in range(3):
        found = torch.load(tmp_path / f"{rank}", weights_only=True)
        metrics = found.pop("metrics")
        assert found == EXCHANGED | {"values": [[[0.0] * 3] * 2, [0.0] * 4]}
        gradients, weights, sums = 40, 40, 16
        sent = (2 * gradients + weights + 2 * sums) * 2 / 3
        assert metrics[MEGABYTES_SENT] == pytest.approx(sent / 1e6)
        assert metrics[EXCHANGE_SECONDS] > 0


def _exchange_and_fail(folder: Path, peers: Peers) -> None:
    """A worker of three; the last fails after all exchanges but one."""
    torch.save(exchange(peers), folder / f"{peers.rank}")
    assert peers.metrics()[EXCHANGE_SECONDS] > 0
    if peers.rank == 2:
        raise ValueError("no more")
    peers.gather(None)


def test_processes_of_one_machine_exchange(tmp_path: Path) -> None:
    """Through memory that they share. Their parameters are the same already; an error names its worker."""
    with (
        pytest.raises(LostWorkerError, match="worker 2 of 3: ValueError: no more"),
        start_workers(3, partial(_exchange_and_fail, tmp_path)) as peers,
    ):
        _exchange_and_fail(tmp_path, peers)
    for rank in range(3):
        found = torch.load(tmp_path / f"{rank}", weights_only=True)
        assert found == EXCHANGED | {"values": [[[float(rank)] * 3] * 2, [float(rank)] * 4]}
