"""Training on several workers: Ray Train starts them, and starts them again when one is lost."""

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from wizard_env import Agent
from wizard_env.agents import load
from wizard_env.agents.network import find_agent, find_encoding
from wizard_env.envs.rewards import find_reward
from wizard_env.evaluation.ray_cluster import LOCAL, connect
from wizard_env.extras import missing_module
from wizard_env.train.cluster.mailbox import Mailbox
from wizard_env.train.cluster.writer import Writer
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.run import Config
from wizard_env.train.ppo.learner import CRITIC, check_shares, warn_of_new_deals
from wizard_env.train.run import claimed, decide_precision, keep_config
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_plain
from wizard_env.train.selfplay.progress import Progress, StopLearning

POLL = 0.2
"""Seconds between two looks into the mailbox."""
PATIENCE = 10.0
"""Seconds that workers of a cluster of our own have to end an iteration when the run is stopped."""
_log = logging.getLogger(__name__)


def train(
    config: Config,
    folder: Path,
    *,
    workers: int,
    address: str = LOCAL,
    resume: bool = False,
    device: str = "cpu",
    report: Callable[[Progress], None] | None = None,
) -> Path:
    """Learn by self-play on several workers, and write everything into a folder here.

    Each worker is a process on one core, or with one GPU, that plays an equal share of the config's games and
    computes the gradient of an equal share of each minibatch, so that a config means the same on any number
    of workers. The files are those of `wizard_env.train.run.train`; with one worker they are equal to its.

    When a worker is lost, all begin again from the last checkpoint. A checkpoint holds every worker's games:
    a run goes on bit for bit with as many workers as before, and with new deals if their number has changed,
    which is logged as a warning.

    Args:
        config: the run; its learner is "ppo".
        folder: where to write, on this machine; created if it is missing.
        workers: how many.
        address: of the Ray cluster; "auto" is the one that this machine belongs to, "local" starts one here.
            If Ray is already connected, that connection is used.
        resume: continue from the folder's checkpoint.
        device: "cpu" or "cuda".
        report: called after every iteration; if it raises StopLearning, the workers end the iteration that
            they are at, and a checkpoint is written.

    Returns:
        The folder.

    Raises:
        ConnectionError: there is no cluster at that address.
        FileExistsError, FileNotFoundError: as `wizard_env.train.run.train` does.
        ModuleNotFoundError: ray, or something that Ray Train needs, is not installed.
        PermissionError: the config names programs or code, within `programs(allowed=False)`.
        StopLearning: `report` has raised it.
        RuntimeError: workers were lost several times in a row before an iteration ended.
        ValueError: `workers` is below 1, or does not divide the games and the minibatches; or the learner is
            not "ppo"; or, as for `wizard_env.train.run.train`, the folder holds a run of another config.
    """
    if workers < 1:
        raise ValueError(f"workers={workers}: allowed are numbers from 1")
    learning = config.learning
    if learning.learner != "ppo":
        raise ValueError(f"workers={workers}: learner {learning.learner!r} has no workers: use learner 'ppo'")
    config = decide_precision(config, folder, device, here=address == LOCAL)
    check_shares(config, workers)
    find_reward(learning.reward)  # here it is refused if it may not run; workers do not know what may
    if learning.encoding:
        find_encoding(learning.encoding)
    _check_ray_train()
    start = _files_of(find_agent(Path(learning.start))) if learning.start else {}
    checkpoint = folder / CHECKPOINT
    with connect(address, f"workers={workers}", processors=workers) as (ray, own), ExitStack() as held:
        agents = _agents_to_send(config, ray)
        held.enter_context(claimed(checkpoint, config, folder, resume))
        if resume:
            if read_plain(checkpoint)["decisions"] >= learning.decisions:
                return folder
            warn_of_new_deals(checkpoint, workers)
        if (cores := ray.cluster_resources().get("CPU", 0)) < workers:
            _log.warning("workers=%d: the cluster has %d cores; the run waits for more", workers, cores)
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        actor = ray.remote(num_cpus=0, scheduling_strategy=here)(Mailbox)
        mailbox = actor.remote(checkpoint.read_bytes() if resume else None)
        with TemporaryDirectory() as scratch:
            job = {"config": config, "device": device, "mailbox": mailbox, "agents": agents, "start": start}
            fit = _Fit(job, workers, Path(scratch))
            fit.start()
            with closing(Writer(folder, report, lambda: keep_config(config, folder))) as writer:
                try:
                    _follow(ray, mailbox, fit, writer)
                except StopLearning:
                    ray.get(mailbox.stop.remote())
                    fit.join()
                    for one in ray.get(mailbox.collect.remote())[0]:
                        with suppress(StopLearning):
                            writer.take(one)
                    raise
                except BaseException:
                    ray.get(mailbox.stop.remote())
                    fit.join(PATIENCE if own else None)
                    raise
    return folder


def _agents_to_send(config: Config, ray: Any) -> dict[str, Agent]:
    """Agents whose files other machines may not have. Agents that cannot be sent are loaded there."""
    sent = {}
    for name in {*config.partners(), *config.ratings.agents} - {PAST}:
        agent = load(name)
        try:
            ray.cloudpickle.dumps(agent)
        except TypeError:  # such as a program that runs
            continue
        sent[name] = agent
    return sent


def _files_of(agent: Path) -> dict[str, bytes]:
    """The networks that a run starts from, by the names of their files."""
    return {path.name: path.read_bytes() for path in (agent, agent.with_name(CRITIC)) if path.exists()}


def _check_ray_train() -> None:
    try:
        import ray.train.torch  # noqa: F401
    except ImportError:
        raise missing_module("ray.train") from None


class _Fit(Thread):
    """Ray Train at work; `fit` blocks, and in the main thread it would take over Ctrl+C.

    error: what ended it, if it was an error.
    """

    def __init__(self, job: Mapping[str, Any], workers: int, scratch: Path) -> None:
        """scratch: a folder for files that Ray Train writes for itself."""
        super().__init__(daemon=True)
        self._job = job
        self._workers = workers
        self._scratch = scratch
        self.error: Exception | None = None

    def run(self) -> None:
        from ray.train import FailureConfig, RunConfig, ScalingConfig
        from ray.train.torch import TorchConfig, TorchTrainer

        from wizard_env.train.cluster.worker import work

        on_gpus = self._job["device"] != "cpu"
        trainer = TorchTrainer(
            work,
            train_loop_config=dict(self._job),
            torch_config=TorchConfig("cpu:gloo,cuda:nccl" if on_gpus else "gloo"),
            scaling_config=ScalingConfig(num_workers=self._workers, use_gpu=on_gpus),
            run_config=RunConfig(
                storage_path=str(self._scratch), failure_config=FailureConfig(max_failures=-1)
            ),
        )
        try:
            trainer.fit()
        except Exception as error:
            self.error = error


def _follow(ray: Any, mailbox: Any, fit: _Fit, writer: Writer) -> None:
    """Pass on the workers' news until they have ended; raises the error that ended them."""
    running = True
    while running:
        fit.join(POLL)
        running = fit.is_alive()
        news, error = ray.get(mailbox.collect.remote())
        for one in news:
            writer.take(one)
        if error is not None:
            raise error
    if fit.error is not None:
        raise fit.error
