"""Workers that learn together: one network, games of their own, checkpoints that hold them all."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.train.cluster.threads import together
from tests.train.tiny import ITERATION, tiny_config
from wizard_env.train.config.run import Config
from wizard_env.train.ppo import PpoLearner
from wizard_env.train.run import train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint
from wizard_env.train.selfplay.workers import Peers

pytestmark = pytest.mark.usefixtures("one_thread")


def learn(run: Config, workers: int, iterations: int, folder: Path, resume: bool = False) -> list[PpoLearner]:
    """Learn for some iterations, and write a checkpoint; returns the learner of every worker."""
    checkpoint = folder / CHECKPOINT if resume else None

    def work(peers: Peers) -> PpoLearner:
        learner = PpoLearner(run, "cpu", checkpoint, peers)
        for _ in range(iterations):
            learner.iterate()
        learner.save(folder)
        return learner

    return together(workers, work)


def content(folder: Path) -> bytes:
    return (folder / CHECKPOINT).read_bytes()


def test_two_workers_learn_one_network_from_different_games(tmp_path: Path) -> None:
    """Together they learn from as many decisions as one worker would, in as many gradient steps."""
    first, second = learn(tiny_config(), 2, 2, tmp_path)
    assert first.decisions == second.decisions == 2 * ITERATION
    for ours, theirs in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    parts, _ = read_checkpoint(tmp_path / CHECKPOINT)
    assert len(parts["tables"]["partner"]) == len(parts["tables_1"]["partner"]) == 8
    assert not torch.equal(parts["tables"]["states"], parts["tables_1"]["states"])
    (steps,) = {int(value) for name, value in parts["optimizer"].items() if name.endswith("step")}
    assert steps == 2 * 2 * ITERATION // 256


def test_a_minibatch_is_one_gradient_step(tmp_path: Path) -> None:
    """The mean of two workers' gradients is the gradient of all their decisions."""
    run = tiny_config(batch_size=ITERATION, epochs=1, critic=[8])

    def step(peers: Peers) -> tuple[PpoLearner, dict[str, float]]:
        learner = PpoLearner(run, "cpu", None, peers)
        return learner, learner.iterate()

    (first, metrics), (second, _) = together(2, step)
    whole = PpoLearner(run, "cpu", None)
    for name in ("observations", "masks", "actions", "log_probabilities", "values", "advantages", "returns"):
        both = [getattr(learner.rollout, name) for learner in (first, second)]
        getattr(whole.rollout, name)[:] = np.concatenate(both, axis=1)
    whole.rollout.full_states[:] = np.concatenate(
        [learner.rollout.full_states for learner in (first, second)], axis=1
    )
    whole.decisions = ITERATION
    expected = whole.update()
    for ours, theirs in zip(whole.parameters(), first.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)
    for name, value in expected.items():
        assert metrics[f"train/{name}"] == pytest.approx(value, rel=1e-3, abs=1e-5), name


SPECIAL: list[dict[str, Any]] = [
    {"partners": ["heuristic"], "sparring": 0.5},
    {"partners": ["random"], "sparring": 0.5, "critic": [8], "reward": "win", "team_spirit": 0.5},
    {"partners": ["past"], "sparring": 0.5, "snapshot_decisions": ITERATION, "past_selves": 2},
]


@pytest.mark.parametrize("special", SPECIAL, ids=["partners", "critic", "past"])
def test_as_many_workers_resume_bit_for_bit(tmp_path: Path, special: dict[str, Any]) -> None:
    run, whole, parts = tiny_config(**special), tmp_path / "whole", tmp_path / "parts"
    learn(run, 2, 4, whole)
    learn(run, 2, 3, parts)
    learn(run, 2, 1, parts, resume=True)
    assert content(whole) == content(parts)


@pytest.mark.parametrize(("before", "after"), [(2, 4), (2, 1), (1, 2)])
def test_another_number_of_workers_gets_new_deals(
    tmp_path: Path, before: int, after: int, caplog: pytest.LogCaptureFixture
) -> None:
    """It says so. Networks, optimiser and past selves stay; the games are none of those that were dealt."""
    run = tiny_config(**SPECIAL[2])
    old = learn(run, before, 2, tmp_path)
    kept, _ = read_checkpoint(tmp_path / CHECKPOINT)
    with caplog.at_level(logging.WARNING):
        new = learn(run, after, 0, tmp_path, resume=True)
    assert f"written by workers={before}, resumed with workers={after}" in caplog.text
    found, _ = read_checkpoint(tmp_path / CHECKPOINT)
    for part in ("network", "optimizer", "pool"):
        assert all(map(torch.equal, found[part].values(), kept[part].values()))
    assert new[0].decisions == 2 * ITERATION
    dealt = [learner.self_play.games.states["generator"] for learner in (*old, *new)]
    assert len(np.unique(np.concatenate([each.ravel() for each in dealt]))) == 2 * 16


def test_past_selves_are_shared_and_drawn_by_each_worker(tmp_path: Path) -> None:
    """The rounds of all workers count, so that all keep the same past selves."""
    run = tiny_config(**SPECIAL[2] | {"past_selves": 9})
    learners = learn(run, 4, 6, tmp_path)
    for learner in learners:
        assert learner.past_selves is not None
        learner.past_selves.choose(np.random.default_rng(learner.peers.rank))
    states = [learner.past_selves.state()[1] for learner in learners if learner.past_selves]
    assert [state["rounds"] for state in states] == [states[0]["rounds"]] * 4
    assert len({state["chosen"] for state in states}) > 1


def test_ratings_are_shared(tmp_path: Path) -> None:
    """Every worker plays some of the games, and gets what one worker alone would."""
    ratings = {"agents": ["random", "heuristic"], "games": 8}
    run = tiny_config(snapshot_decisions=ITERATION, sections={"ratings": ratings})

    def rate(peers: Peers) -> dict[str, float]:
        learner = PpoLearner(run, "cpu", None, peers)
        return learner.ratings.rate(learner.network)

    assert together(2, rate) == [rate(Peers())] * 2


def test_shares_must_be_equal() -> None:
    with pytest.raises(ValueError, match="workers=3 with num_games=16"):
        together(3, lambda peers: PpoLearner(tiny_config(batch_size=255), "cpu", None, peers))
    with pytest.raises(ValueError, match="workers=2 with batch_size=255"):
        together(2, lambda peers: PpoLearner(tiny_config(batch_size=255), "cpu", None, peers))


def test_a_process_alone_resumes_a_run_of_workers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """`wizard train --resume` without `--workers`."""
    learn(tiny_config(), 2, 2, tmp_path)
    train(tiny_config(), tmp_path, resume=True)
    assert "continues with new deals" in caplog.text
    assert read_checkpoint(tmp_path / CHECKPOINT)[1]["decisions"] == 4 * ITERATION
