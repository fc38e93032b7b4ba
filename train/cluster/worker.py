"""What each worker does: it learns with the others, and worker 0 tells how it goes."""

import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray
import torch.distributed as dist

from wizard_env import Agent
from wizard_env.evaluation.workers import use_one_thread
from wizard_env.train.cluster.mailbox import read, write
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.run import Config
from wizard_env.train.parallel.allocator import keep_freed_memory
from wizard_env.train.parallel.peers import Peers
from wizard_env.train.parallel.process_group import Group, LostWorkerError
from wizard_env.train.ppo.learner import Learner
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.progress import Progress, StopLearning


@dataclass(frozen=True)
class Job:
    """What a worker needs to know."""

    config: Config
    device: str
    mailbox: Any
    """The actor `Mailbox`."""
    agents: Mapping[str, Agent]
    """Agents that were loaded where the run was started, by name."""
    start: Mapping[str, bytes]
    """The files of the run to start from, by name."""


def work(given: dict[str, Any]) -> None:
    """Learn from the last checkpoint on, until the run ends.

    A lost worker is an error that Ray Train answers by starting all workers again. Any other error would
    come again: it is left in the mailbox, and the worker counts as lost, so that the others, who may wait for
    it, are started again and find that the run is over.

    given: the fields of `Job`, as Ray Train passes them on.
    """
    job = Job(**given)
    use_one_thread()
    keep_freed_memory()
    peers = Group() if dist.is_initialized() and dist.get_world_size() > 1 else Peers()
    try:
        with TemporaryDirectory() as folder:
            _learn(job, peers, Path(folder))
    except StopLearning:
        pass
    except LostWorkerError:
        if not ray.get(job.mailbox.over.remote()):
            raise
    except Exception as error:
        ray.get(job.mailbox.fail.remote(error))
        if peers.count > 1:
            raise LostWorkerError(f"worker {peers.rank} of {peers.count} has failed: {error}") from error
    if dist.is_initialized():
        dist.destroy_process_group()


def _learn(job: Job, peers: Peers, folder: Path) -> None:
    mailbox = job.mailbox if peers.rank == 0 else None
    begun = ray.get([mailbox.over.remote(), mailbox.checkpoint.remote()]) if mailbox else None
    over, kept = peers.first(begun)
    if over:
        raise StopLearning
    checkpoint = folder / CHECKPOINT if kept else None
    if checkpoint:
        checkpoint.write_bytes(kept)
    config = job.config
    if config.learning.learner == "ppo" and config.learning.start:
        start = folder / "start"
        start.mkdir()
        write(job.start, start)
        config = config.model_copy(
            update={"learning": config.learning.model_copy(update={"start": str(start)})}
        )
    learner = _Learner(config, job, peers, checkpoint)
    saved = folder / "saved"
    saved.mkdir()
    if mailbox:
        ray.get(mailbox.begin.remote(learner.decisions))
    relay = _Relay(mailbox, peers)
    learner.learn(saved, relay, relay.report)


class _Learner(Learner):
    """Sends its checkpoints to the mailbox."""

    def __init__(self, config: Config, job: Job, peers: Peers, checkpoint: Path | None) -> None:
        super().__init__(config, job.device, checkpoint, peers, job.agents)
        self._mailbox = job.mailbox

    def save(self, folder: Path) -> None:
        super().save(folder)
        if self.peers.rank == 0:
            ray.get(self._mailbox.save.remote(read(folder, last=CHECKPOINT)))
            shutil.rmtree(folder / PAST, ignore_errors=True)  # sent once


class _Relay(Curves):
    """Stands in for the curves, which the process that started the run writes."""

    def __init__(self, mailbox: Any, peers: Peers) -> None:
        """mailbox: None for workers that have nothing to report."""
        self._mailbox = mailbox
        self._peers = peers
        self._metrics: Mapping[str, float] = {}

    def add(self, metrics: Mapping[str, float], decisions: int, csv_only: Collection[str] = ()) -> None:
        self._metrics = metrics

    def report(self, progress: Progress) -> None:
        """Send the metrics and the progress of an iteration; raises StopLearning if the run is to end.

        All workers end after the same iteration: one that goes on alone would wait for the others for ever.
        """
        over = False
        if self._mailbox is not None:
            sent = self._mailbox.iterate.remote(progress, dict(self._metrics))
            over = ray.get([sent, self._mailbox.over.remote()])[1]
        if self._peers.first(over):
            raise StopLearning
