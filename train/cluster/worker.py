"""The work of each worker: it learns with the others, and worker 0 reports to the mailbox."""

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray
import torch.distributed as dist

from wizard_env.evaluation.workers import limit_threads
from wizard_env.train.cluster.mailbox import Job, read_files, write_files
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.parallel.allocator import keep_freed_memory
from wizard_env.train.parallel.peers import ALONE, Peers
from wizard_env.train.parallel.process_group import LostWorkerError, ProcessGroup
from wizard_env.train.ppo.learner import PpoLearner
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.progress import Progress, StopLearning


def work(given: Mapping[str, Job]) -> None:
    """Learn from the last checkpoint on, until the run ends.

    Ray Train answers the error of a lost worker by starting all workers again. Any other error would come
    again: it goes to the mailbox, and the worker counts as lost, so that the others, which may wait for it,
    are started again and find that the run is over.

    given: the job, under the name "job".
    """
    job = given["job"]
    limit_threads(1)
    keep_freed_memory()
    peers = ProcessGroup() if dist.is_initialized() and dist.get_world_size() > 1 else ALONE
    try:
        with TemporaryDirectory() as folder:
            _learn(job, peers, Path(folder))
    except StopLearning:
        pass
    except LostWorkerError:
        if not ray.get(job.mailbox.is_over.remote()):
            raise
    except Exception as error:
        ray.get(job.mailbox.fail.remote(error))
        if peers.count > 1:
            raise LostWorkerError(f"worker {peers.rank} of {peers.count} has failed: {error}") from error
    if dist.is_initialized():
        dist.destroy_process_group()


def _learn(job: Job, peers: Peers, folder: Path) -> None:
    mailbox = job.mailbox if peers.rank == 0 else None
    asked = ray.get([mailbox.is_over.remote(), mailbox.checkpoint.remote()]) if mailbox else None
    over, content = peers.broadcast(asked)
    if over:
        raise StopLearning
    checkpoint = folder / CHECKPOINT if content else None
    if checkpoint:
        checkpoint.write_bytes(content)
    learner = _Learner(_with_start(job, folder / "start"), job, peers, checkpoint)
    saved = folder / "saved"
    saved.mkdir()
    if mailbox:
        ray.get(mailbox.report_start.remote(learner.decisions))
    relay = _Relay(mailbox, peers)
    learner.learn(saved, relay, relay.report)


def _with_start(job: Job, folder: Path) -> Config:
    """Write the networks that the run starts from into a folder; returns the config that names it."""
    learning = job.config.learning_as(PpoConfig)
    if not learning.start:
        return job.config
    write_files(job.start, folder)
    return job.config.model_copy(update={"learning": learning.model_copy(update={"start": str(folder)})})


class _Learner(PpoLearner):
    """Sends its checkpoints to the mailbox."""

    def __init__(self, config: Config, job: Job, peers: Peers, checkpoint: Path | None) -> None:
        super().__init__(config, job.device, checkpoint, peers, job.agents)
        self._mailbox = job.mailbox

    def save(self, folder: Path) -> None:
        super().save(folder)
        if self.peers.rank == 0:
            ray.get(self._mailbox.report_checkpoint.remote(read_files(folder, last=CHECKPOINT)))
            shutil.rmtree(folder / PAST, ignore_errors=True)  # sent once


class _Relay(Curves):
    """Sends metrics to the mailbox, if this worker has one, instead of writing curves."""

    def __init__(self, mailbox: Any, peers: Peers) -> None:
        self._mailbox = mailbox
        self._peers = peers
        self._metrics: Mapping[str, float] = {}

    def add(self, metrics: Mapping[str, float], decisions: int, csv_only: Collection[str] = ()) -> None:
        self._metrics = metrics

    def report(self, progress: Progress) -> None:
        """Send the metrics and the progress of an iteration; raises StopLearning if the run is to end.

        All workers end after the same iteration: one that continued alone would wait for the others for ever.
        """
        over = False
        if self._mailbox is not None:
            sent = self._mailbox.report_iteration.remote(progress, dict(self._metrics))
            over = ray.get([sent, self._mailbox.is_over.remote()])[1]
        if self._peers.broadcast(over):
            raise StopLearning
