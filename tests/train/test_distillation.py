"""The learner "distillation": its loss, its teachers, that it comes to answer like them, and resuming."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.positions import under_way
from tests.train.tiny import tiny_config
from wizard_env import NUM_ACTIONS, Rules, View, load
from wizard_env.agents.network import FILE_NAME, read_agent, save_agent
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.train.config.run import Config
from wizard_env.train.distillation import DistillationLearner, divergences
from wizard_env.train.run import train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint
from wizard_env.train.selfplay.curves import CURVES, read_curves
from wizard_env.train.selfplay.games import NO_PARTNER

TWO_CARDS = Rules(3, hand_sizes=(2,))
GAMES = 128
ITERATION = GAMES * 4

pytestmark = pytest.mark.usefixtures("one_thread")


def config(decisions: int = 4 * ITERATION, seed: int = 0, **learning: Any) -> Config:
    tiny = {"num_games": GAMES, "decisions_per_game": 4, "layers": [16], "batch_size": 1024}
    sections = {"game": {"num_players": 3, "hand_sizes": [2]}}
    return tiny_config(decisions, seed, "distillation", sections, **tiny | learning)


@pytest.fixture
def teachers(tmp_path: Path) -> dict[str, list[str]]:
    """Three networks, each with its partners."""
    partners = [["rule_based"], [], ["random", "heuristic"]]
    folders = [tmp_path / name for name in ("first", "second", "third")]
    for seed, folder in enumerate(folders):
        folder.mkdir()
        DistillationLearner(config(seed=seed), "cpu", None).save(folder)
    return {str(folder): each for folder, each in zip(folders, partners, strict=True)}


# --- the loss


def test_divergences() -> None:
    """Over legal actions alone; 0 where both are alike."""
    expert = torch.tensor([[0.0, 0.0, 9.0], [0.0, 2.0, 1.0]])
    learner = torch.tensor([[np.log(3), 0.0, -9.0], [5.0, 7.0, 6.0]])
    illegal = torch.tensor([[0, 0, 1], [0, 0, 0]]).bool()
    expected = 0.5 * np.log(0.5 / 0.75) + 0.5 * np.log(0.5 / 0.25)
    np.testing.assert_allclose(divergences(expert, learner, illegal), [expected, 0], atol=1e-6)


# --- the teachers


def test_each_game_has_the_expert_of_its_partner(teachers: dict[str, list[str]]) -> None:
    learner = DistillationLearner(config(teachers=teachers, sparring=0.7), "cpu", None)
    partner = learner.self_play.partner.max(axis=1)
    games = [set(rows.tolist()) for _, rows in learner.teachers]
    assert games == [
        {row for row, number in enumerate(partner.tolist()) if number in numbers}
        for numbers in ({0}, {NO_PARTNER}, {1, 2})
    ]
    assert all(games)


def test_experts_answer_in_their_own_games(teachers: dict[str, list[str]]) -> None:
    """With the logits and the value that each of them has there."""
    learner = DistillationLearner(config(teachers=teachers, sparring=0.7), "cpu", None)
    observation = learner.self_play.games.observation.copy()
    found = learner.ask_experts(torch.from_numpy(observation)).numpy()
    for name, (_, rows) in zip(teachers, learner.teachers, strict=True):
        agent: Any = load(name)
        np.testing.assert_allclose(found[rows, :NUM_ACTIONS], agent.logits(observation[rows]), atol=1e-6)
        np.testing.assert_allclose(found[rows, NUM_ACTIONS] * 20, agent.values(observation[rows]), atol=1e-4)


@pytest.mark.parametrize("name", ["heuristic", FILE_NAME])
def test_a_teacher_without_a_value_is_refused(name: str, tmp_path: Path) -> None:
    weights = {key: each for key, each in read_agent(CHAMPION / FILE_NAME).items() if "value" not in key}
    save_agent(weights, tmp_path / FILE_NAME)
    name = str(tmp_path / name) if name == FILE_NAME else name
    with pytest.raises(ValueError, match=r"^teacher .*: a network of observations that has a value is"):
        DistillationLearner(config(teachers={name: []}), "cpu", None)


# --- learning


def test_it_comes_to_answer_like_its_teacher(tmp_path: Path) -> None:
    folder = train(config(350 * ITERATION), tmp_path / "small")
    first, *_, last = (
        {name: float(line[f"train/{name}"]) for name in ("agreement", "divergence", "value_loss")}
        for line in read_curves(folder / CURVES)
    )
    assert last["agreement"] > max(first["agreement"] + 0.05, 0.8)
    assert last["divergence"] < 0.6 * first["divergence"]
    assert last["value_loss"] < 0.6 * first["value_loss"]
    view = View(under_way(TWO_CARDS, 3000, seed=2).states)
    large, small = load("champion"), load(str(folder))
    rng = np.random.default_rng(0)
    assert (large.act(view, rng) == small.act(view, rng)).mean() > 0.8


def test_a_run_resumes(tmp_path: Path) -> None:
    """With the weights and the moments that it had."""
    train(config(2 * ITERATION), tmp_path)
    learner = DistillationLearner(config(), "cpu", tmp_path / CHECKPOINT)
    assert learner.decisions == 2 * ITERATION
    learner.save(tmp_path / "again")
    before, after = (read_checkpoint(folder / CHECKPOINT)[0] for folder in (tmp_path, tmp_path / "again"))
    assert len(after["optimizer"]) == 3 * 4
    assert all(torch.equal(value, after["optimizer"][name]) for name, value in before["optimizer"].items())
    train(config(), tmp_path, resume=True)
    assert len(read_curves(tmp_path / CURVES)) == 4
