"""A training run: its learner, its folder, and resuming."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env.agents.network import FILE_NAME
from wizard_env.checks import quoted
from wizard_env.compiled.processes import limit_torch_after_fork
from wizard_env.compiled.threads import get_num_threads
from wizard_env.evaluation.workers import torch_on_one_thread
from wizard_env.files import locked, write_atomically
from wizard_env.train.config.learning import AUTO
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.reading import read_kept
from wizard_env.train.config.run import Config
from wizard_env.train.networks.devices import check_device, faster_precision, keep_freed_memory
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.progress import Report
from wizard_env.train.selfplay.workers import ALONE, Peers

CONFIG = "config.json"
"""The file in a run's folder that keeps its config."""
RUN_LOCK = "lock"
"""The file in a run's folder that is locked while a process writes there."""
_LEAST_SHARE = 128
"""Decisions of a minibatch that a worker should have; with fewer, more workers are not faster."""
_SAMPLE_SECONDS = 0.25
"""The time over which idle processors are counted."""
_CHANGEABLE = ("learning.decisions", "learning.checkpoint_seconds")
"""The keys that may change when a run continues."""
_log = logging.getLogger(__name__)


class Learner(Protocol):
    """A learner with its games."""

    @property
    def decisions(self) -> int:
        """The number of decisions that it has learned from."""

    def learn(self, folder: Path, curves: Curves | None, report: Report) -> None:
        """Learn to the end of the run, and write checkpoints and the agent into its folder.

        curves: to write the metrics to; None for all workers but the first.
        """


def train(
    config: Config,
    folder: Path,
    *,
    resume: bool = False,
    device: str = "cpu",
    report: Report = None,
    peers: Peers = ALONE,
) -> Path:
    """Learn by self-play as a config says, and write everything into a folder.

    Writes a checkpoint (to resume from), `agent.safetensors` (to play with), the curves in `progress.csv`
    and for TensorBoard, and `config.json`, which also keeps the precision that "auto" stood for and the
    number of workers.

    Args:
        config: the run.
        folder: where to write; created if it is missing. All workers need the same folder.
        resume: continue from the folder's checkpoint.
        device: "cpu", "cuda", or one GPU, as "cuda:1".
        report: called after every iteration; if it raises StopLearning, a checkpoint is written first.
        peers: the workers that learn together, see `wizard_env.train.selfplay.workers`.

    Returns:
        The folder.

    Raises:
        BlockingIOError: another process writes into the folder.
        FileExistsError: the folder already holds a checkpoint, and `resume` is off.
        FileNotFoundError: `resume` is on, and the folder holds no checkpoint.
        StopLearning: `report` has raised it, in any worker.
        ValueError: the folder holds a run of another config, or is not the same for all workers; or its
            checkpoint is damaged; or training diverged, which the last checkpoint does not contain; or there
            is no such device.
    """
    config = decide(config, folder, device, peers)
    device = f"cuda:{peers.local_rank}" if device == "cuda" else device
    keep_freed_memory()
    limit_torch_after_fork()
    with torch_on_one_thread(), ExitStack() as held:
        # nothing is written before the learner has loaded and checked all that the config names
        learner = None if resume else _make_learner(config, device, None, peers)
        if peers.rank == 0:
            held.enter_context(_claimed(config, folder, resume))
        _check_shared(folder, peers)
        learner = learner or _make_learner(config, device, checkpoint_of(config, folder), peers)
        if learner.decisions >= config.learning.decisions:
            return folder
        curves = None
        if peers.rank == 0:
            text = config.model_dump_json(indent=2)
            write_atomically(folder / CONFIG, lambda path: path.write_text(text, encoding="utf-8"))
            curves = held.enter_context(closing(Curves(folder, learner.decisions)))
        learner.learn(folder, curves, report)
    return folder


def decide(config: Config, folder: Path, device: str, peers: Peers | None = None) -> Config:
    """Return the config with what a run in this folder decides: its precision and its number of workers.

    A run that continues keeps both.

    peers: the workers that learn together; None if those of this machine are still to be started. Then there
        is one for each idle processor, as far as they share games and minibatches equally.

    Raises ValueError if there is no such device, the config names another number of workers or several for a
    device that they would share, or the config of the old run cannot be read.
    """
    check_device(device)
    if peers is None and device != "cpu" and (config.workers or 1) > 1:
        raise ValueError(
            f"workers={config.workers}: one process of this machine learns on {device!r}, not several"
        )
    continues = checkpoint_of(config, folder).exists() and (folder / CONFIG).exists()
    kept = read_kept(folder / CONFIG) if continues else None
    if peers is None:
        workers = config.workers or (kept and kept.workers) or _processors(config, device)
    elif config.workers not in (None, peers.count):
        raise ValueError(f"workers={config.workers}: the run was started with {peers.count} processes")
    else:
        workers = peers.count
    config = config.model_copy(update={"workers": workers})
    learning = config.learning
    if learning.precision != AUTO:
        return config
    precision = faster_precision(torch.device(device))
    if peers is not None:
        precision = peers.broadcast(precision)
    if kept and kept.learning.precision not in (AUTO, precision):
        began = kept.learning.precision
        _log.warning("the run continues in %s, as it began; here %s would be faster", began, precision)
        precision = began
    return config.model_copy(update={"learning": learning.model_copy(update={"precision": precision})})


def _processors(config: Config, device: str) -> int:
    """Return the number of processors that learn together, one in each worker."""
    learning = config.learning
    if not isinstance(learning, PpoConfig) or device != "cpu":
        return 1
    games, batch = learning.num_games, learning.batch_size
    shares = [n for n in range(2, get_num_threads() + 1) if not games % n and not batch % n]
    shares = [n for n in shares if batch // n >= _LEAST_SHARE]
    idle = idle_processors() if shares else 1
    return max([n for n in shares if n <= idle], default=1)


def idle_processors() -> int:
    """Return the number of usable processors that other programs leave idle; all where Linux does not say.

    All workers wait for the slowest, so one beside a busy program would halve the speed of the others.
    """
    before = _processor_times()
    time.sleep(_SAMPLE_SECONDS)
    spent = _processor_times() - before
    if not spent.any():
        return get_num_threads()
    niced_or_idle = spent[[1, 3, 4]].sum() / spent.sum()
    return round(len(os.sched_getaffinity(0)) * niced_or_idle)


def _processor_times() -> NDArray[np.int64]:
    """Return the time that the usable processors have spent in each state: int64 [8], see `man proc_stat`.

    All are 0 outside Linux. In containers they may be 0 or those of other processors.
    """
    times = np.zeros(8, np.int64)
    if hasattr(os, "sched_getaffinity") and (file := Path("/proc/stat")).exists():
        own = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        for name, *columns in map(str.split, file.read_text(encoding="ascii").splitlines()):
            if name in own:
                times += np.array(columns[:8], np.int64)
    return times


def checkpoint_of(config: Config, folder: Path) -> Path:
    """Return the file that a run resumes from."""
    return folder / config.learning.checkpoint_file


def _make_learner(config: Config, device: str, checkpoint: Path | None, peers: Peers) -> Learner:
    """Make a config's learner, or resume it; only the libraries that it uses are imported."""
    learner = config.learning.learner
    if learner != "ppo" and peers.count > 1:
        raise ValueError(
            f"workers={peers.count}: learner {learner!r} learns in one process: use learner 'ppo'"
        )
    match learner:
        case "ppo":
            from wizard_env.train.ppo import PpoLearner

            return PpoLearner(config, device, checkpoint, peers)
        case "maskable_ppo":
            from wizard_env.train.maskable_ppo import MaskablePpoLearner

            return MaskablePpoLearner(config, device, checkpoint)
        case "distillation":
            from wizard_env.train.distillation import DistillationLearner

            return DistillationLearner(config, device, checkpoint)


@contextmanager
def _claimed(config: Config, folder: Path, resume: bool) -> Iterator[None]:
    """Lock the folder of a run, created if missing, for as long as the block runs; raises as `train`."""
    checkpoint, kept = checkpoint_of(config, folder), folder / CONFIG
    if resume and not checkpoint.exists():
        raise FileNotFoundError(f"nothing to resume: there is no {checkpoint}")
    with locked(folder, RUN_LOCK):
        if not resume and checkpoint.exists():
            raise FileExistsError(
                f"{folder} holds a run already: resume it, remove it, or choose another name"
            )
        holds_agent = kept.exists() and (checkpoint.exists() or (folder / FILE_NAME).exists())
        if holds_agent and (other := _first_difference(read_kept(kept), config)):
            raise ValueError(
                f"{folder} holds a run of another config ({other}), see {kept}: choose another name, or "
                f"change only {' and '.join(_CHANGEABLE)} of a run that continues there"
            )
        yield


def _check_shared(folder: Path, peers: Peers) -> None:
    """Raise ValueError unless all workers see the same folder."""
    if peers.count == 1:
        return
    mark = folder / peers.broadcast(f".shared-{uuid4().hex}")
    if peers.rank == 0:
        mark.touch()
    peers.gather(None)  # waits for the mark
    seen = peers.gather(mark.exists())
    if peers.rank == 0:
        mark.unlink()
    if not all(seen):
        blind = [rank for rank, sees in enumerate(seen) if not sees]
        raise ValueError(
            f"workers {blind} do not see {folder} as worker 0 does: all machines of a run need the same "
            "folder, such as one on a shared disk"
        )


def _first_difference(before: Config, config: Config) -> str:
    """Return the first key whose change keeps a run from continuing, with both values, or nothing."""
    old, new = (_flatten(each.model_dump()) for each in (before, config))
    for key in new | old:
        if old.get(key) != new.get(key) and key not in (*_CHANGEABLE, "workers"):
            return f"{key} = {quoted(old.get(key))} there, {quoted(new.get(key))} here"
    return ""


def _flatten(config: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a config, those of its sections as in "learning.layers"."""
    return {
        f"{section}.{key}" if isinstance(value, dict) else section: inner
        for section, value in config.items()
        for key, inner in (value.items() if isinstance(value, dict) else [("", value)])
    }
