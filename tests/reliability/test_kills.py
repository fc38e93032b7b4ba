"""Killed runs lose nothing that they wrote, and leave no process."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.reliability.effort import generator, times
from wizard_env import Rules
from wizard_env.agents.network import FILE_NAME, read_agent
from wizard_env.evaluation.league import FILE_NAME as LEAGUE
from wizard_env.evaluation.league import play_league
from wizard_env.evaluation.league_file import LeagueFile
from wizard_env.evaluation.workers import workers
from wizard_env.train.config.run import Config
from wizard_env.train.run import checkpoint_of, train
from wizard_env.train.selfplay.progress import Progress

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(os.name != "posix", reason="kills by POSIX signals"),
]

NEEDS_PS = pytest.mark.skipif(sys.platform != "linux", reason="asks `ps` of Linux")
PATIENCE = 300.0
"""Seconds that a process has to get going; a busy machine takes its time."""
LEARNERS: dict[str, dict[str, Any]] = {
    "ppo": {"layers": [16], "batch_size": 64, "epochs": 1, "partners": ["past"], "sparring": 0.5},
    "maskable_ppo": {"layers": [16], "batch_size": 64, "epochs": 1},
}
TRAIN = """
import sys
from pathlib import Path
from wizard_env.train.config.run import Config
from wizard_env.train.run import train
train(Config.model_validate_json(sys.argv[1]), Path(sys.argv[2]), resume=sys.argv[3] == "resume")
"""
LEAGUE_RUN = """
import sys
from pathlib import Path
from wizard_env import Rules
from wizard_env.evaluation.league import play_league
from wizard_env.evaluation.workers import workers
if __name__ == "__main__":
    with workers(2) as spread:
        names = ["random", "rule_based", "random:", "rule_based:"]
        play_league(Path(sys.argv[1]), names, [Rules(num_players=3)], 4096, 1, spread)
"""
DATASET_RUN = """
import sys
from pathlib import Path
from wizard_env import Rules
from wizard_env.evaluation.workers import workers
from wizard_env.evaluation.datasets.writer import write_dataset
if __name__ == "__main__":
    with workers(2) as spread:
        for _ in write_dataset(Path(sys.argv[1]), ["random"], [Rules()], 10**8, spread=spread):
            pass
"""


def config(learner: str, decisions: int) -> Config:
    learning = {"learner": learner, "decisions": decisions, "num_games": 8, "decisions_per_game": 16}
    learning |= {"checkpoint_seconds": 1e-3, **LEARNERS[learner]}
    game = {"num_players": 3, "hand_sizes": [1, 2]}
    return Config.model_validate({"name": "tiny", "game": game, "learning": learning})


def wait_for(happened: Callable[[], bool], process: subprocess.Popen[bytes], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, f"it ended with {process.returncode} before {what}"
        assert time.monotonic() < end, f"no {what} within {PATIENCE} seconds"
        time.sleep(0.01)


def written(path: Path) -> int:
    """Return the time at which a file was written, in nanoseconds; 0 if there is none."""
    return path.stat().st_mtime_ns if path.exists() else 0


def is_newer(path: Path, than: int) -> bool:
    return written(path) > than


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, by its number."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, check=False)
    return [int(word) for word in found.stdout.split()]


def is_running(pid: int) -> bool:
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return bool(found.stdout.strip()) and not found.stdout.startswith(b"Z")


@contextmanager
def killed(command: list[str], by: signal.Signals = signal.SIGKILL) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is killed when the block ends; all that it has started must end with it."""
    process = subprocess.Popen(command)
    children = list[int]()
    try:
        yield process
        children = children_of(process.pid) if sys.platform == "linux" else []
        process.send_signal(by)
        assert process.wait(PATIENCE)
        end = time.monotonic() + PATIENCE
        while any(map(is_running, children)):
            assert time.monotonic() < end, "what a process has started outlives it"
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
        for child in filter(is_running, children):
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("learner", ["ppo", pytest.param("maskable_ppo", marks=pytest.mark.slow)])
def test_a_killed_training_continues(learner: str, tmp_path: Path) -> None:
    """Killed by -9 at random moments: agent and checkpoint are whole, and a resumed run clears up."""
    rng, endless = generator(learner), config(learner, 10**9)
    checkpoint = checkpoint_of(endless, tmp_path)
    for attempt in range(times(1, 15)):
        before = written(checkpoint)
        arguments = [endless.model_dump_json(), str(tmp_path), "resume" if attempt else "new"]
        with killed([sys.executable, "-W", "ignore", "-c", TRAIN, *arguments]) as process:
            wait_for(partial(is_newer, checkpoint, before), process, "checkpoint")
            time.sleep(rng.random())
        read_agent(tmp_path / FILE_NAME)
    reports: list[Progress] = []
    (tmp_path / f".{checkpoint.stem}.{'0' * 16}{checkpoint.suffix}").write_bytes(b"half a file")

    class Enough(Exception):  # noqa: N818 - no error
        pass

    def stop(progress: Progress) -> None:
        reports.append(progress)
        if len(reports) == 3:
            raise Enough

    with pytest.raises(Enough):
        train(endless, tmp_path, resume=True, report=stop)
    assert reports[0].decisions > 0
    read_agent(tmp_path / FILE_NAME)


def check_league(folder: Path) -> None:
    kept = sum(map(len, LeagueFile(folder / LEAGUE).tables.values()))
    assert kept > 0
    with workers() as spread:
        play_league(folder, ["random", "rule_based", "random:"], [Rules(num_players=3)], 2, 1, spread)


def check_dataset(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    shards = sorted(folder.glob("decisions-*.parquet"))
    assert shards
    assert all(parquet.read_table(shard).num_rows for shard in shards)


ON_TWO_PROCESSES = {
    "league": (LEAGUE_RUN, lambda folder: (folder / LEAGUE).exists(), check_league),
    "dataset": (DATASET_RUN, lambda folder: any(folder.glob("decisions-*.parquet")), check_dataset),
}


@NEEDS_PS
@pytest.mark.parametrize(
    ("what", "by"),
    [
        ("league", signal.SIGKILL),
        pytest.param("dataset", signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_killed_workers_leave_no_process(what: str, by: signal.Signals, tmp_path: Path) -> None:
    """Workers end with the process that started them; what was written stays whole."""
    program, has_begun, check = ON_TWO_PROCESSES[what]
    folder, script = tmp_path / "kept", tmp_path / "run.py"
    script.write_text(program)
    rng = generator(what, by)
    for _ in range(times(1, 5)):
        with killed([sys.executable, "-W", "ignore", str(script), str(folder)], by) as process:
            wait_for(partial(has_begun, folder), process, "result")
            wait_for(lambda: len(children_of(process.pid)) >= 2, process, "workers")
            time.sleep(rng.random())
        check(folder)
