"""Training on several workers: Ray Train starts them, and starts them again when one is lost."""

import logging
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from wizard_env import Agent
from wizard_env.agents import load
from wizard_env.agents.network import find_network
from wizard_env.evaluation.ray_cluster import LOCAL, connect
from wizard_env.extras import missing_module
from wizard_env.files import check_kept
from wizard_env.train.cluster.mailbox import Job, Mailbox, Message
from wizard_env.train.cluster.writer import Writer
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.ppo.learner import CRITIC, check_shares
from wizard_env.train.ppo.worker_states import needs_new_deals
from wizard_env.train.run import checkpoint_of, claimed, decide_precision, import_code
from wizard_env.train.selfplay.checkpoints import read_plain
from wizard_env.train.selfplay.progress import Report, StopLearning

_POLL_SECONDS = 0.2
"""The time between two looks into the mailbox."""
_STOP_SECONDS = 10.0
"""The time that workers of a cluster started here have to end an iteration when the run is stopped."""
_log = logging.getLogger(__name__)


def train(
    config: Config,
    folder: Path,
    *,
    workers: int,
    address: str = LOCAL,
    resume: bool = False,
    device: str = "cpu",
    report: Report = None,
) -> Path:
    """Learn by self-play on several workers, and write everything into a folder here.

    Each worker is a process on one core, or with one GPU, that plays an equal share of the config's games and
    computes the gradient of an equal share of each minibatch, so that a config means the same on any number
    of workers. With one worker the files equal those of `wizard_env.train.run.train`.

    When a worker is lost, all start again from the last checkpoint. A checkpoint holds every worker's games:
    a run continues bit for bit with as many workers as before, and with new deals if their number has
    changed, which is logged as a warning.

    Args:
        config, folder, resume, device: as for `wizard_env.train.run.train`; the learner is "ppo".
        workers: their number.
        address: of the Ray cluster, as for `connect`; an existing connection is used instead.
        report: called after every iteration; if it raises StopLearning, the workers end their iteration and a
            checkpoint is written.

    Returns:
        The folder.

    Raises:
        ConnectionError: there is no cluster at that address.
        ModuleNotFoundError: ray, or something that Ray Train needs, is not installed.
        PermissionError: the config names programs or code, within `programs(allowed=False)`.
        RuntimeError: workers were lost several times in a row before an iteration ended.
        ValueError: `workers` is below 1, or does not divide the games and the minibatches; or the learner is
            not "ppo".
        Also the errors of `wizard_env.train.run.train`.
    """
    if workers < 1:
        raise ValueError(f"workers={workers}: allowed are numbers from 1")
    if not isinstance(config.learning, PpoConfig):
        learner = config.learning.learner
        raise ValueError(f"workers={workers}: learner {learner!r} has no workers: use learner 'ppo'")
    config = decide_precision(config, folder, device, here=address == LOCAL)
    check_shares(config, workers)
    import_code(config)  # refused here if it may not run: workers do not know what may
    try:
        import ray.train.torch
    except ImportError:
        raise missing_module("ray.train") from None
    start = _read_start(config)
    checkpoint = checkpoint_of(config, folder)
    with connect(address, f"workers={workers}", processors=workers) as connection, ExitStack() as held:
        agents = _agents_to_send(config, ray)
        held.enter_context(claimed(config, folder, resume))
        if resume:
            plain = read_plain(checkpoint)
            if plain["decisions"] >= config.learning.decisions:
                return folder
            needs_new_deals(checkpoint, plain, workers)
        if (cores := ray.cluster_resources().get("CPU", 0)) < workers:
            _log.warning("workers=%d: the cluster has %d cores; the run waits for more", workers, cores)
        mailbox = _start_mailbox(ray, checkpoint.read_bytes() if resume else None)
        fit = _Fit(Job(config, device, mailbox, agents, start), workers)
        fit.start()
        with closing(Writer(config, folder, report)) as writer:
            try:
                _follow(ray, mailbox, fit, writer)
            except StopLearning:
                ray.get(mailbox.stop.remote())
                fit.join()
                with suppress(StopLearning):
                    _handle(ray.get(mailbox.collect.remote())[0], writer)
                raise
            except BaseException:
                ray.get(mailbox.stop.remote())
                fit.join(_STOP_SECONDS if connection.own else None)
                raise
    return folder


def _start_mailbox(ray: Any, checkpoint: bytes | None) -> Any:
    """Start the actor on this machine."""
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
        ray.get_runtime_context().get_node_id(), soft=False
    )
    return ray.remote(num_cpus=0, scheduling_strategy=here)(Mailbox).remote(checkpoint)


def _agents_to_send(config: Config, ray: Any) -> dict[str, Agent]:
    """Load the agents, whose files other machines may not have; those that cannot be sent are left out."""
    sent = {}
    for name in config.agents_to_load():
        agent = load(name)
        try:
            ray.cloudpickle.dumps(agent)
        except TypeError:  # such as a program that runs
            continue
        sent[name] = agent
    return sent


def _read_start(config: Config) -> dict[str, bytes]:
    """Read the files of the networks that a run starts from, by name."""
    start = config.learning_as(PpoConfig).start
    if not start:
        return {}
    agent = find_network(start)
    critic = agent.with_name(CRITIC)
    for path in (agent, critic):
        check_kept(path)
    return {path.name: path.read_bytes() for path in (agent, critic) if path.exists()}


class _Fit(Thread):
    """A thread for Ray Train, whose `fit` blocks, and would take over Ctrl+C in the main thread."""

    def __init__(self, job: Job, workers: int) -> None:
        super().__init__(daemon=True)
        self._job = job
        self._workers = workers
        self.error: Exception | None = None

    def run(self) -> None:
        from ray.train import FailureConfig, RunConfig, ScalingConfig
        from ray.train.torch import TorchConfig, TorchTrainer

        from wizard_env.train.cluster.worker import work

        on_gpus = self._job.device != "cpu"
        with TemporaryDirectory() as scratch:  # for files that Ray Train writes for itself
            trainer = TorchTrainer(
                work,
                train_loop_config={"job": self._job},
                torch_config=TorchConfig("cpu:gloo,cuda:nccl" if on_gpus else "gloo"),
                scaling_config=ScalingConfig(num_workers=self._workers, use_gpu=on_gpus),
                run_config=RunConfig(storage_path=scratch, failure_config=FailureConfig(max_failures=-1)),
            )
            try:
                trainer.fit()
            except Exception as error:
                self.error = error


def _follow(ray: Any, mailbox: Any, fit: _Fit, writer: Writer) -> None:
    """Handle the workers' messages until the run ends; raises the error that ended it."""
    running = True
    while running:
        fit.join(_POLL_SECONDS)
        running = fit.is_alive()
        messages, error = ray.get(mailbox.collect.remote())
        _handle(messages, writer)
        if error is not None:
            raise error
    if fit.error is not None:
        raise fit.error


def _handle(messages: list[Message], writer: Writer) -> None:
    """Handle all messages; then raise StopLearning if one of the reports has raised it."""
    stop = None
    for message in messages:
        try:
            writer.handle(message)
        except StopLearning as raised:
            stop = raised
    if stop is not None:
        raise stop
