"""Custom encodings: the inputs of the network, from the run to the agent that loads."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.train.tiny import ITERATION, tiny_config
from wizard_env import OBS_SIZE, Game, Rules, View
from wizard_env.agents.network import FILE_NAME, NetworkAgent, find_encoding, save_agent
from wizard_env.loading import load, programs
from wizard_env.observation.fields import USED_SIZE
from wizard_env.train.config.run import Config
from wizard_env.train.networks.policy_value import GreedyAgent, PolicyValueNetwork
from wizard_env.train.run import train

pytestmark = pytest.mark.usefixtures("one_thread")

ENCODINGS = """
import torch
from wizard_env import SLICES
from wizard_env.agents.network import input_scale

def usual(observations):
    return observations * torch.from_numpy(input_scale())

def hand_and_trump(observations):
    return torch.cat([observations[:, SLICES[name]] for name in ("hand", "trump")], dim=1).float()

def bytes_(observations):
    return observations

def one_number(observations):
    return observations.float().sum()
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "encodings.py"
    path.write_text(ENCODINGS)
    return str(path)


def small(encoding: str) -> Config:
    past: dict[str, Any] = {"partners": ["past"], "sparring": 0.5, "snapshot_decisions": 4 * ITERATION}
    return tiny_config(8 * ITERATION, encoding=encoding, **past)


def some_view() -> View:
    return View.of([Game(Rules(3, hand_sizes=(2,)), seed=seed) for seed in range(20)])


def test_the_usual_encoding_as_ones_own_learns_the_same(file: str, tmp_path: Path) -> None:
    """To the last bit, with past selves as partners; and the agent plays the same."""
    for name, encoding in (("plain", ""), ("own", f"{file}:usual")):
        train(small(encoding), tmp_path / name)
    plain, own = load(str(tmp_path / "plain")), load(f"{tmp_path / 'own'}:encoding='{file}:usual'")
    assert isinstance(plain, NetworkAgent)
    assert isinstance(own, NetworkAgent)
    own.layers[0].weights[USED_SIZE:] = 0  # no entry there differs from 0
    for one, other in zip(plain.layers, own.layers, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
    rng = np.random.default_rng(0)
    assert plain.act(some_view(), rng).tolist() == own.act(some_view(), rng).tolist()


@pytest.mark.parametrize("backend", ["torch", "numpy"])
def test_a_network_reads_what_the_encoding_makes(file: str, tmp_path: Path, backend: Any) -> None:
    name = f"{file}:hand_and_trump"
    network = PolicyValueNetwork([8], 0, name)
    assert network.trunk[0].in_features == find_encoding(name)[1] == 54 + 5
    save_agent(network.agent(), tmp_path / FILE_NAME, name)
    agent, rng = NetworkAgent(str(tmp_path), backend=backend, encoding=name), np.random.default_rng(0)
    np.testing.assert_array_equal(agent.act(some_view(), rng), GreedyAgent(network).act(some_view(), rng))


def test_a_file_does_not_choose_what_code_runs(file: str, tmp_path: Path) -> None:
    """The encoding is named when an agent is loaded, and not where programs are refused."""
    name = f"{file}:usual"
    save_agent(PolicyValueNetwork([8], 0, name).agent(), tmp_path / FILE_NAME, name)
    with pytest.raises(ValueError, match=r"trained with encoding '.*:usual': load it with encoding="):
        load(str(tmp_path))
    with programs(allowed=False), pytest.raises(PermissionError, match="--allow-programs"):
        load(f"{tmp_path}:encoding='{name}'")
    with pytest.raises(ValueError, match=rf"reads {OBS_SIZE} numbers, but .* makes 59"):
        load(f"{tmp_path}:encoding='{file}:hand_and_trump'")
    save_agent(PolicyValueNetwork([8], 0).agent(), tmp_path / FILE_NAME)
    with pytest.raises(ValueError, match="trained without a custom encoding"):
        load(f"{tmp_path}:encoding='{name}'")


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        ("bytes_", ValueError, rf"returns torch.uint8 \[2, {OBS_SIZE}\] for two observations"),
        ("one_number", ValueError, r"returns torch.float32 \[\] for two observations"),
        ("missing", ValueError, "has no 'missing'"),
    ],
)
def test_others_are_refused(file: str, function: str, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        find_encoding(f"{file}:{function}")


def test_it_cannot_be_exported(file: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from wizard_env.agents.export import export

    name = f"{file}:usual"
    save_agent(PolicyValueNetwork([8], 0, name).agent(), tmp_path / FILE_NAME, name)
    with pytest.raises(ValueError, match="a custom encoding is code"):
        export(f"{tmp_path}:encoding='{name}'", tmp_path / "agent.onnx")
