"""Workers: the results are the same on any number of processes or machines."""

import socket
import subprocess
import sys
import time
from operator import neg
from pathlib import Path

import pytest

from tests.positions import random_weights
from wizard_env import Rules
from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.agents.rule_based import RuleBasedAgent
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.evaluation.workers import workers

PATIENCE = 60.0
"""Seconds that a task takes; no test waits for it."""
SHORT = Rules(num_players=3, hand_sizes=(2, 4))


@pytest.fixture
def network(tmp_path: Path) -> str:
    """Return the folder of an untrained network."""
    save_agent(random_weights(), tmp_path / FILE_NAME)
    return str(tmp_path)


def test_any_number_of_workers_finds_the_same(network: str) -> None:
    """Agents are given by name, by path and as objects, some of them in several seats."""
    entrants: list[Entrant | str] = [
        "random",
        f"{network}:sample=True",
        Entrant("mine", RuleBasedAgent()),
        "random",
    ]
    alone = evaluate(entrants, SHORT, 40, seed=3, num_records=2)
    with workers(2) as spread:
        assert evaluate(entrants, SHORT, 40, seed=3, num_records=2, spread=spread) == alone
        with pytest.raises(ValueError, match="agent 'randm'"):
            evaluate(["randm"], SHORT, 40, spread=spread)
        assert list(spread(neg, range(9))) == [-number for number in range(9)]


def test_a_block_that_is_left_early_ends_its_workers() -> None:
    """It does not wait for their tasks."""
    began = time.monotonic()

    def interrupted() -> None:
        with workers(2) as spread:
            spread(time.sleep, [PATIENCE] * 4)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.monotonic() - began < PATIENCE


@pytest.mark.slow
def test_a_script_that_workers_cannot_import_is_told_so(tmp_path: Path) -> None:
    """In its last line; the workers say nothing, and end."""
    script = tmp_path / "script.py"
    script.write_text(
        "from wizard_env.evaluation.workers import workers\n"
        "with workers(2) as spread:\n"
        "    list(spread(abs, [1, 2]))\n"
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert ended.stderr.count("Traceback") == 1
    assert ended.stderr.splitlines()[-1].endswith('below the line if __name__ == "__main__":')


@pytest.mark.slow
def test_a_ray_cluster_finds_the_same(network: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that is valid here is valid on the cluster."""
    pytest.importorskip("ray")
    monkeypatch.chdir(Path(network).parent)
    entrants: list[Entrant | str] = ["random", f"./{Path(network).name}", Entrant("mine", RuleBasedAgent())]
    alone = evaluate(entrants, SHORT, 40, seed=3)
    with workers(ray_address="local") as spread:
        assert evaluate(entrants, SHORT, 40, seed=3, spread=spread) == alone


def test_an_address_where_nobody_answers() -> None:
    """The address is refused at once; Ray itself would try for minutes."""
    pytest.importorskip("ray")
    with socket.socket() as taken:  # nobody listens there
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ConnectionError, match=f"no Ray cluster at {address}"), workers(1, address):
            pass


def test_torch_gets_its_threads_back() -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with workers() as spread:
        assert [torch.get_num_threads() for _ in spread(neg, [1, 2])] == [1, 1]
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)
