"""Distilling: the small network comes to answer like the large one, the same every time."""

from pathlib import Path

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import Rules, View, load
from wizard_env.agents.network import FILE_NAME
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.train.distill import Lesson, distill
from wizard_env.train.folder_lock import LOCK, locked

KINDS = [(Rules(3, hand_sizes=(2,)), 128), (Rules(4, hand_sizes=(1,)), 128)]


def lessons(folder: Path, decisions: int, seed: int = 0) -> list[Lesson]:
    return list(distill(str(CHAMPION), folder, KINDS, (16,), decisions, seed))


def test_it_comes_to_answer_like_the_large_network(tmp_path: Path) -> None:
    first, *_, last = lessons(tmp_path / "small", 300_000)
    assert last.decisions == 300_032  # a whole number of steps of 256 games
    assert last.agreement > max(first.agreement + 0.05, 0.8)
    assert last.divergence < 0.6 * first.divergence
    view = View(under_way(KINDS[0][0], 3000, seed=2).states)
    large, small = (load(str(path)) for path in (CHAMPION, tmp_path / "small"))
    rng = np.random.default_rng(0)
    assert (large.act(view, rng) == small.act(view, rng)).mean() > 0.8


def test_the_same_seed_gives_the_same_network(tmp_path: Path) -> None:
    kept = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        lessons(tmp_path / name, 2000, seed)
        kept.append((tmp_path / name / FILE_NAME).read_bytes())
    assert kept[0] == kept[1] != kept[2]


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    lessons(tmp_path, 256)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(FileExistsError, match="already holds an agent"):
        lessons(tmp_path, 256)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_folder_that_another_writes_into_is_refused_at_once(tmp_path: Path) -> None:
    """Before the time of learning is spent."""
    with locked(tmp_path), pytest.raises(BlockingIOError, match="is being written by another run"):
        next(distill(str(CHAMPION), tmp_path, KINDS, (16,), 2000))
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]
