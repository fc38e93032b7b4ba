"""Training on workers that Ray Train starts: the same files, Ctrl+C, lost workers, errors."""

import csv
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from tests.train.cluster.threads import together
from tests.train.tiny import ITERATION, tiny_config
from wizard_env.agents.network import FILE_NAME
from wizard_env.train.cluster.mailbox import read_files, write_files
from wizard_env.train.cluster.trainer import train
from wizard_env.train.config.run import Config
from wizard_env.train.parallel.peers import Peers
from wizard_env.train.parallel.process_group import MEGABYTES_SENT
from wizard_env.train.ppo.learner import PpoLearner
from wizard_env.train.run import CONFIG
from wizard_env.train.run import train as train_here
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_plain
from wizard_env.train.selfplay.curves import CURVES, DECISIONS
from wizard_env.train.selfplay.progress import Progress, StopLearning

PARTNERS: dict[str, Any] = {"sparring": 0.5, "partners": ["heuristic"]}

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray"),  # Ray's own, about itself
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray cluster on this machine, for all tests; `train` uses a connection that exists."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.train")
    ray.init(address="local", num_cpus=2, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


def config(decisions: int = 4 * ITERATION, **learning: Any) -> Config:
    return tiny_config(decisions, **PARTNERS | learning)


def content(folder: Path) -> bytes:
    return (folder / CHECKPOINT).read_bytes()


def lines(folder: Path) -> list[dict[str, str]]:
    with (folder / CURVES).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_one_worker_writes_what_a_process_alone_does(cluster: None, tmp_path: Path) -> None:
    """Bit for bit. The run begins from another run's files, which are sent to the worker."""
    train_here(config(ITERATION), tmp_path / "older")
    older = str(tmp_path / "older")
    run = config(start=older, partners=["heuristic", older])
    reports: list[Progress] = []
    train_here(run, tmp_path / "here")
    train(run, tmp_path / "there", workers=1, report=reports.append)
    for name in (CHECKPOINT, CURVES, CONFIG):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes(), name
    here, there = (load_file(tmp_path / name / FILE_NAME) for name in ("here", "there"))
    assert all((here[name] == there[name]).all() for name in here | there)
    assert [report.decisions for report in reports] == [n * ITERATION for n in (1, 2, 3, 4)]
    names = ({path.name.split(".")[0] for path in (tmp_path / name).iterdir()} for name in ("here", "there"))
    assert next(names) == next(names)


class InterruptedTraining(Exception):  # noqa: N818 - no error
    """Represents the user's Ctrl+C."""


@pytest.mark.slow
def test_two_workers_stop_and_resume(cluster: None, tmp_path: Path) -> None:
    """Bit for bit as if they had never stopped, and as two workers without Ray would learn."""
    often = config(checkpoint_seconds=1e-9)

    def stop(progress: Progress) -> None:
        if progress.decisions == 2 * ITERATION:
            raise InterruptedTraining

    with pytest.raises(InterruptedTraining):
        train(often, tmp_path / "run", workers=2, report=stop)
    reports: list[Progress] = []
    train(often, tmp_path / "run", workers=2, resume=True, report=reports.append)
    assert reports[-1].decisions == 4 * ITERATION

    def work(peers: Peers) -> None:
        learner = PpoLearner(often, "cpu", None, peers)
        for _ in range(4):
            learner.iterate()
        learner.save(tmp_path)

    together(2, work)
    assert content(tmp_path / "run") == content(tmp_path)
    found = lines(tmp_path / "run")
    assert [int(line[DECISIONS]) for line in found] == [n * ITERATION for n in (1, 2, 3, 4)]
    assert all(float(line[MEGABYTES_SENT]) > 0 for line in found)


@pytest.mark.slow
def test_workers_that_are_stopped_write_a_checkpoint(cluster: None, tmp_path: Path) -> None:
    """Of an iteration that all of them have ended; resumed, they learn the rest, and then nothing."""
    run = config(8 * ITERATION)

    def stop(progress: Progress) -> None:
        raise StopLearning

    with pytest.raises(StopLearning):
        train(run, tmp_path, workers=2, report=stop)
    stopped = read_plain(tmp_path / CHECKPOINT)["decisions"]
    assert ITERATION <= stopped < 8 * ITERATION
    train(run, tmp_path, workers=2, resume=True)
    assert [int(line[DECISIONS]) for line in lines(tmp_path)] == [n * ITERATION for n in range(1, 9)]
    before = content(tmp_path)
    train(run, tmp_path, workers=2, resume=True, report=stop)
    assert content(tmp_path) == before


def pids(name: str) -> list[int]:
    """The processes of this machine that Ray calls by a name, and that belong to this process."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command, status = (path / "cmdline").read_bytes(), (path / "status").read_text()
        except OSError:
            continue  # it has ended
        if name.encode() in command:
            found.append((int(path.name), int(status.partition("PPid:")[2].split()[0])))
    return [pid for pid, parent in found if _descends(parent)]


def _descends(pid: int) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = int(Path(f"/proc/{pid}/status").read_text().partition("PPid:")[2].split()[0])
    return False


@pytest.mark.slow
def test_a_lost_worker_does_not_end_the_run(
    cluster: None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One of two is killed: the run continues from its last checkpoint to the same end."""
    often = config(8 * ITERATION, checkpoint_seconds=1e-9)
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.decisions == 3 * ITERATION and not killed:
            killed.append(pids("RayTrainWorker")[-1])
            os.kill(killed[0], signal.SIGKILL)

    train(often, tmp_path / "killed", workers=2, report=kill)
    assert killed
    assert "a worker was lost: the run continues from" in caplog.text
    train(often, tmp_path / "whole", workers=2)
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
    assert len(lines(tmp_path / "killed")) == 8


@pytest.mark.slow
def test_an_error_of_a_worker_is_the_error_of_the_run(cluster: None, tmp_path: Path) -> None:
    """It would come again, so the workers are not started again."""
    train_here(config(ITERATION), tmp_path / "older")
    with pytest.raises(ValueError, match=r"a network of layers \[8, 79\] cannot start from"):
        train(config(start=str(tmp_path / "older"), layers=[8]), tmp_path / "run", workers=2)


@pytest.mark.parametrize(
    ("options", "workers", "message"),
    [
        ({}, 0, "workers=0: allowed are numbers from 1"),
        ({}, 3, "workers=3 with num_games=16: .*multiple of 3"),
        ({"learner": "maskable_ppo"}, 2, "workers=2: learner 'maskable_ppo' has no workers"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, options: dict[str, Any], workers: int, message: str) -> None:
    """Is refused before anything is started or written."""
    with pytest.raises(ValueError, match=message):
        train(config(**options), tmp_path / "run", workers=workers)
    assert not (tmp_path / "run").exists()


def test_files_travel_with_their_folders(tmp_path: Path) -> None:
    """Past selves are in a folder of their own."""
    files = {"last": b"1", "a": b"2", "past/000001/agent": b"3"}
    write_files(files, tmp_path)
    assert list(read_files(tmp_path, last="last").items()) == [
        ("a", b"2"),
        ("past/000001/agent", b"3"),
        ("last", b"1"),
    ]


def test_missing_ray_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in ("ray", "ray.train.torch"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, missing, None)
            with pytest.raises(ModuleNotFoundError, match=r"pip install 'wizard-env\[cluster\]'"):
                train(config(), tmp_path / "run", workers=2)
    assert not (tmp_path / "run").exists()
