"""The learner "dqn": its targets, its agent, that it learns, and resuming."""

import csv
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from tests.train.tiny import ITERATION, tiny_config
from wizard_env import NUM_ACTIONS, Games, Rules
from wizard_env.agents import load
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.train.dqn.learner import DqnLearner, Network, targets
from wizard_env.train.run import train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.curves import CURVES, DECISIONS
from wizard_env.train.selfplay.progress import Progress

pytestmark = pytest.mark.usefixtures("one_thread")


config = partial(tiny_config, learner="dqn")
LONGER: dict[str, Any] = {"num_games": 64, "replay_size": 20_000, "batch_size": 256, "learning_rate": 2e-3}
"""Options of runs that learn to play."""


# --- targets


def test_targets() -> None:
    """The reward plus the best legal value that follows; nothing follows the last decision."""
    rewards = torch.tensor([0.0, 0.0, 1.5, -2.0])
    next_values = torch.tensor([[1.0, 5.0, 3.0], [-1.0, -2.0, 9.0], [7.0, 8.0, 9.0], [7.0, 8.0, 9.0]])
    next_masks = torch.tensor([[1, 0, 1], [1, 1, 0], [0, 0, 0], [0, 0, 1]]).bool()
    assert targets(rewards, next_values, next_masks).tolist() == [3.0, -1.0, 1.5, 7.0]


# --- the networks


def test_the_agent_is_the_two_networks(tmp_path: Path) -> None:
    """The file holds both side by side; the agent's logits are their values."""
    learner = DqnLearner(config(), "cpu", None)
    learner.save(tmp_path)
    observations = Games(Rules(), 50, canonical_suits=True).observation
    with torch.inference_mode():
        values = learner.network(torch.from_numpy(observations)).numpy()
    assert values.shape == (50, NUM_ACTIONS)
    agent: Any = load(str(tmp_path))
    np.testing.assert_allclose(agent.logits(observations), values, atol=1e-6)


def test_the_same_seed_draws_the_same_weights() -> None:
    """And leaves torch's own generator alone."""
    before = torch.get_rng_state()
    one, two, other = (Network([8], [8], seed).policy()["layer.0.weight"] for seed in (0, 0, 1))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert torch.equal(torch.get_rng_state(), before)


def test_exploration_declines() -> None:
    """Geometrically, to the final value at the given share of the run."""
    options: dict[str, Any] = {"exploration": 0.5, "final_exploration": 0.02, "exploration_share": 0.8}
    learner = DqnLearner(config(1000, **options), "cpu", None)
    found = []
    for learner.decisions in (0, 400, 800, 1000):
        found.append(learner.exploration())
    assert found == pytest.approx([0.5, 0.1, 0.02, 0.02])


# --- learning


def test_it_learns_rounds_of_one_card(tmp_path: Path) -> None:
    """Alone against a fresh network, on the same deals; the intervals do not overlap."""
    learned = config(25_000, sections={"game": {"num_players": 4, "hand_sizes": [1]}}, **LONGER)
    reports: list[Progress] = []
    train(learned, tmp_path / "learned", report=reports.append)
    assert reports[0].bid_accuracy < 0.55
    train(config(1), tmp_path / "fresh")
    fresh = Entrant("fresh", load(str(tmp_path / "fresh")))
    field = [Entrant("learned", load(str(tmp_path / "learned"))), *[fresh] * 3]
    mine, theirs = evaluate(field, learned.game.rules(), 300, seed=3).standings
    assert (mine.name, theirs.name) == ("learned", "fresh")
    assert mine.points_low > theirs.points_high
    assert mine.bid_accuracy > 0.75


def test_it_learns_to_play_for_its_bid(tmp_path: Path) -> None:
    """In rounds of two cards, where plays matter too, self-play meets more bids."""
    reports: list[Progress] = []
    train(config(40_000, **LONGER), tmp_path, report=reports.append)
    assert reports[0].bid_accuracy < 0.5
    assert np.mean([progress.bid_accuracy for progress in reports[-3:]]) > 0.65
    last = curves(tmp_path)[-1]
    assert 0 < float(last["train/bid_loss"]) < 1
    assert 0 < float(last["train/play_loss"]) < 1


def test_it_learns_several_kinds_of_games_with_partners(tmp_path: Path) -> None:
    """Also in half precision."""
    kinds = [{"num_players": 3, "hand_sizes": [4]}, {"num_players": 6, "hand_sizes": [2], "share": 3}]
    several = config(sparring=0.5, partners=["random"], precision="bfloat16", sections={"tables": kinds})
    reports: list[Progress] = []
    train(several, tmp_path, report=reports.append)
    assert [progress.decisions for progress in reports] == [n * ITERATION for n in range(1, 5)]


# --- resuming


def curves(folder: Path) -> list[dict[str, str]]:
    with (folder / CURVES).open() as file:
        return list(csv.DictReader(file))


def test_resuming_continues_from_the_checkpoint(tmp_path: Path) -> None:
    """With its decisions, both networks, the target, the optimiser and the curves; the replays fill again."""
    train(config(), tmp_path)
    before = load_file(tmp_path / CHECKPOINT)
    resumed = DqnLearner(config(), "cpu", tmp_path / CHECKPOINT)
    resumed.save(tmp_path / "again")
    after = load_file(tmp_path / "again" / CHECKPOINT)
    assert before.keys() == after.keys()
    assert {name.partition(".")[0] for name in before} == {"network", "target", "optimizer"}
    for name, values in before.items():
        assert torch.equal(values, after[name]), name
    assert not torch.equal(before["network.plays.0.weight"], before["target.0.weight"])
    reports: list[Progress] = []
    train(config(6 * ITERATION), tmp_path, resume=True, report=reports.append)
    assert [progress.decisions for progress in reports] == [5 * ITERATION, 6 * ITERATION]
    assert [int(row[DECISIONS]) for row in curves(tmp_path)] == [n * ITERATION for n in range(1, 7)]
    learned = load_file(tmp_path / CHECKPOINT)
    for name in ("network.bids.0.weight", "network.plays.0.weight", "target.0.weight"):
        assert not torch.equal(before[name], learned[name])


def test_the_same_seed_learns_the_same(tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        train(config(seed=seed), tmp_path / name)
    one, two, other = ((tmp_path / name / CHECKPOINT).read_bytes() for name in ("one", "two", "other"))
    assert one == two != other
