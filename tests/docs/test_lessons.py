"""Lessons from search, and what networks make of them."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.positions import decisions_by_all_rules
from tools import lessons, networks
from tools.lessons import Lessons
from wizard_env import NUM_ACTIONS
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.network import FILE_NAME, Network
from wizard_env.agents.pretrained import ADAPTIVE, CHAMPION, DISTILLED_TO_WIN
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.sampling import best_legal
from wizard_env.train.config.reading import make_config
from wizard_env.train.config.run import Config


def small(**learning: Any) -> Config:
    learning |= {"learner": "ppo", "decisions": 1, "num_games": 16, "sparring": 1.0, "alone": True}
    return make_config({"name": "lessons", "seed": 0, "game": {"num_players": 4}, "learning": learning})


@pytest.mark.parametrize("partners", [["rule_based"], ["past", "variant:of=heuristic,bias=0.5"]])
def test_likely_actions_are_compared_with_the_likeliest(partners: list[str]) -> None:
    found = lessons.collect(CHAMPION / FILE_NAME, small(partners=partners), 100, seed=1)
    assert [len(values) for values in found] == [100] * 3
    tried = ~np.isnan(found.gains)
    assert not (tried & ~found.masks).any()
    assert (tried.sum(axis=1) > 1).all()
    likeliest = best_legal(Network(CHAMPION).logits(found.inputs), found.masks.view(np.uint8))
    assert (found.gains[np.arange(100), likeliest] == 0).all()
    assert 0.001 < np.nanmean(np.abs(found.gains)) < 0.2


def test_the_same_seed_gives_the_same_lessons(tmp_path: Path) -> None:
    """From the file of a network, and from the files that they were written to."""
    first, again = (
        lessons.collect(CHAMPION / FILE_NAME, small(partners=["heuristic"]), 20, seed=2) for _ in range(2)
    )
    first.save(tmp_path / "lessons.npz")
    for values in zip(first, again, Lessons.read([tmp_path / "lessons.npz"]), strict=True):
        np.testing.assert_array_equal(values[0], values[1])
        np.testing.assert_array_equal(values[0], values[2])


def test_the_adaptive_player_learns_where_something_is_believed() -> None:
    mixed = small(partners=["rule_based", "heuristic", "champion"], mixed=1.0, beliefs=True)
    found = lessons.collect(ADAPTIVE / FILE_NAME, mixed, 50, seed=3)
    beliefs = found.inputs[:, OBS_SIZE:]
    assert beliefs.shape[1] == NUM_INPUTS
    assert beliefs.any(axis=1).all()


def test_a_network_learns_what_brings_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the better action where one was better, and else what it took before."""
    monkeypatch.setattr(lessons, "_EPOCHS", 50)
    monkeypatch.setattr(lessons, "_BATCH_SIZE", 20)
    seen = decisions_by_all_rules(50)
    network = Network(DISTILLED_TO_WIN)
    masks, logits = seen.mask != 0, network.logits(seen.observation)
    values = np.where(masks, logits, -np.inf)
    ranks, rows = np.argsort(-values, axis=1), np.arange(len(values))
    two = values[rows, ranks[:, 1]] > values.max(axis=1) + np.log(0.05)
    better = two & (rows % 2 == 0)
    gains = np.full((len(rows), NUM_ACTIONS), np.nan, np.float16)
    gains[rows, ranks[:, 0]] = 0
    gains[rows[two], ranks[two, 1]] = np.where(better, 0.05, -0.05)[two]
    weights = lessons.learn(DISTILLED_TO_WIN, Lessons(seen.observation, masks, gains), seed=0)
    network.layers = [
        layer._replace(weights=weights[f"layer.{number}.weight"].T, biases=weights[f"layer.{number}.bias"])
        for number, layer in enumerate(network.layers)
    ]
    chosen = best_legal(network.logits(seen.observation), seen.mask)
    assert (chosen == ranks[rows, np.where(better, 1, 0)]).mean() > 0.95


def test_a_stage_of_lessons_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(networks, "_LESSONS_AT_ONCE", 10)
    shutil.copytree(ADAPTIVE, tmp_path / "before")
    learning = {"start": "before", "num_games": 128, "mixed": 1.0, "partners": ["rule_based", "heuristic"]}
    stage = networks.Stage("after", "adaptive", learning, lessons=20)
    networks.make(stage, tmp_path, tmp_path)
    network, kept, lost = (
        tmp_path / "after" / name for name in (FILE_NAME, "lessons-0.npz", "lessons-1.npz")
    )
    made, written = network.read_bytes(), kept.stat().st_mtime_ns
    assert made != (tmp_path / "before" / FILE_NAME).read_bytes()
    network.unlink()
    lost.unlink()
    networks.make(stage, tmp_path, tmp_path)
    assert network.read_bytes() == made
    assert kept.stat().st_mtime_ns == written
