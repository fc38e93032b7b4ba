"""tools/join_networks.py: one network that plays like either of two, and a gate that learns whom it meets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.docs.pages import load_script
from tests.positions import decisions_by_all_rules
from wizard_env import Rules
from wizard_env.agents.network import FILE_NAME, NetworkAgent, input_scale, read_agent, save_agent
from wizard_env.agents.pretrained import RIVAL
from wizard_env.train.networks import Mlp, PolicyValueNetwork
from wizard_env.train.selfplay.games import SelfPlayGames

join_networks: Any = load_script("join_networks")


def experts(folder: Path) -> list[str]:
    """Two networks of other widths that nobody has trained."""
    paths = [folder / "first", folder / "second"]
    for seed, path in enumerate(paths):
        path.mkdir()
        network = PolicyValueNetwork([24 + seed, 16], seed)
        with torch.no_grad():
            network.head.weight *= 100  # as large as logits are after training
            network.head.bias.uniform_(-1, 1, generator=torch.Generator().manual_seed(seed))
        save_agent(network.agent(1.0), path / FILE_NAME)
    return [str(path) for path in paths]


@pytest.mark.parametrize("told", [-5.0, 5.0], ids=["copies", "strangers"])
def test_the_joined_network_plays_like_one_of_the_two(tmp_path: Path, told: float) -> None:
    """The first where the gate tells copies; its value is the mean of both."""
    paths = experts(tmp_path)
    gate = Mlp(input_scale(), [8], [0.01], 0)
    with torch.no_grad():
        gate.head.bias.add_(told)
    weights = join_networks.join([read_agent(Path(path) / FILE_NAME) for path in paths], gate)
    save_agent(weights, tmp_path / "joined")
    joined, first, second = (NetworkAgent(path) for path in (str(tmp_path / "joined"), *paths))
    seen = decisions_by_all_rules(200).observation
    expected = (first if told < 0 else second).logits(seen)
    np.testing.assert_allclose(joined.logits(seen), expected, rtol=1e-5, atol=1e-5)
    mean = (first.values(seen) + second.values(seen)) / 2
    np.testing.assert_allclose(joined.values(seen), mean, rtol=1e-5, atol=1e-5)


def test_the_gate_learns_to_tell_copies_from_strangers(tmp_path: Path) -> None:
    """Copies play like `rival`, and strangers at random: after a few games most decisions are told right."""
    rules = [Rules(4, hand_sizes=(3, 3, 3))]
    network = NetworkAgent(str(RIVAL))

    def games(seed: int) -> SelfPlayGames:
        return SelfPlayGames(rules * 128, 128, seed, 0.5, ["random"], alone=True)

    gate = join_networks.learn(games(0), [network, network], 1000, 0)
    played = games(1)
    right = []
    for step in range(120):
        seen = played.games.observation
        if step >= 60:  # the first deals are over
            told = gate(torch.from_numpy(seen)).detach().numpy()[:, 0] > 0
            right.append((told == (played.partner >= 0)).mean())
        masked = np.where(played.games.mask, network.logits(seen), -np.inf)
        played.step(masked.argmax(axis=1))
    assert np.mean(right) > 0.7
