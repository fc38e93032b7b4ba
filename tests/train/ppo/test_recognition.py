"""Recognition: it learns with whom it plays, through the network, and no agent keeps it."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import logsigmoid

from tests.train.ppo.test_learner import config
from wizard_env.agents.network import FILE_NAME, read_agent
from wizard_env.train.ppo.recognition import Recognition
from wizard_env.train.run import train
from wizard_env.train.selfplay.curves import CURVES

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_loss_is_the_weighted_cross_entropy() -> None:
    recognition, generator = Recognition(4, weight=0.3), torch.Generator().manual_seed(0)
    with torch.no_grad():
        recognition.weight.normal_(generator=generator)
    hidden, strangers = torch.randn(50, 4, generator=generator), torch.arange(50) % 3 == 0
    told = hidden @ recognition.weight[0]
    expected = -torch.where(strangers, logsigmoid(told), logsigmoid(-told)).mean()
    torch.testing.assert_close(recognition.loss(hidden, strangers), 0.3 * expected)
    assert recognition.right == ((told > 0) == strangers).sum()


def told_right(folder: Path, **learning: Any) -> list[float]:
    """The share of decisions told right, of each iteration of a small run beside three `random`."""
    options = {"num_games": 64, "batch_size": 512, "layers": [32], "learning_rate": 2e-3}
    seats: dict[str, Any] = {"sparring": 0.5, "partners": ["random"], "alone": True}
    train(config(60_000, **options, **seats, **learning), folder)
    with (folder / CURVES).open(newline="") as file:
        return [float(line["train/recognition"]) for line in csv.DictReader(file)]


def test_the_first_layer_learns_with_whom_it_plays(tmp_path: Path) -> None:
    """More than a layer that learns for the policy alone; the agent has the same weights as any other."""
    shares = told_right(tmp_path / "with", recognition=1.0)
    assert np.mean(shares[-5:]) > np.mean(shares[:5]) + 0.1
    hardly = told_right(tmp_path / "hardly", recognition=1e-9)
    assert np.mean(shares[-5:]) > np.mean(hardly[-5:]) + 0.02
    assert set(read_agent(tmp_path / "with" / FILE_NAME)) == {
        f"{layer}.{kind}" for layer in ("layer.0", "layer.1", "value") for kind in ("weight", "bias")
    }
