"""Collective operations: the sums are of all workers, and a process alone changes nothing."""

from multiprocessing import get_context
from operator import neg
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from numpy.typing import NDArray

from tests.train.cluster.threads import together
from wizard_env.train.ppo import normalise, normalise_minibatches
from wizard_env.train.selfplay.workers import (
    EXCHANGE_SECONDS,
    MEGABYTES_SENT,
    LostWorkerError,
    Peers,
    ProcessGroup,
    equal_share,
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


def test_a_process_that_is_alone_changes_nothing() -> None:
    assert exchange(Peers()) == {
        "gradients": [[[0.0] * 3] * 2, [0.0] * 4],
        "values": [[[0.0] * 3] * 2, [0.0] * 4],
        "sum": [[1.0, 0.0]],
        "gathered": [{"rank": 0}],
        "first": "worker 0",
        "mapped": [0, -1, -2, -3, -4],
    }


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
        assert found == {
            "gradients": [[[10.0] * 3] * 2, [10.0] * 4],
            "values": [[[0.0] * 3] * 2, [0.0] * 4],
            "sum": [[3.0, 3.0]],
            "gathered": [{"rank": 0}, {"rank": 1}, {"rank": 2}],
            "first": "worker 0",
            "mapped": [0, -1, -2, -3, -4],
        }
        gradients, weights, sums = 40, 40, 16
        sent = (2 * gradients + weights + 2 * sums) * 2 / 3
        assert metrics[MEGABYTES_SENT] == pytest.approx(sent / 1e6)
        assert metrics[EXCHANGE_SECONDS] > 0


def test_shares_are_equal() -> None:
    assert equal_share("num_games", 12, 3) == 4
    with pytest.raises(ValueError, match=r"workers=5 with batch_size=12: .* must be a multiple of 5"):
        equal_share("batch_size", 12, 5)


def test_seeds_are_each_workers_own() -> None:
    """Worker 0 begins with the run's; new deals have other seeds."""
    seeds = together(3, lambda peers: [peers.derive_seed(7, decisions) for decisions in (0, 512, 1024)])
    assert seeds[0][0] == Peers().derive_seed(7) == 7
    assert len({seed for each in seeds for seed in each}) == 9


def test_advantages_are_normalised_over_all_workers() -> None:
    """As the union of the minibatches would be by one worker; the last is smaller."""
    advantages = np.random.default_rng(0).normal(3, 2, (2, 10)).astype(np.float32)
    parts: list[NDArray[np.float32]] = together(
        2, lambda peers: normalise_minibatches(advantages[peers.rank], 4, peers)
    )
    for start in (0, 4, 8):
        union = normalise(advantages[:, start : start + 4].ravel()).reshape(2, -1)
        np.testing.assert_allclose(np.stack(parts)[:, start : start + 4], union, rtol=1e-4, atol=1e-6)
    alone = normalise_minibatches(advantages[0], 4, Peers())
    assert (alone == np.concatenate([normalise(advantages[0][a : a + 4]) for a in (0, 4, 8)])).all()
