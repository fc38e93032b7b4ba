"""Workers that learn together: one network, games of their own, checkpoints that hold them all."""

import logging
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.train.threads import together
from tests.train.tiny import ITERATION, tiny_config
from wizard_env.train.config.run import Config
from wizard_env.train.ppo import PpoLearner
from wizard_env.train.run import CONFIG, decide, train
from wizard_env.train.selfplay.advantages import normalise_minibatches
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint
from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves
from wizard_env.train.selfplay.progress import Progress, StopLearning
from wizard_env.train.selfplay.workers import (
    MEGABYTES_SENT,
    LostWorkerError,
    Peers,
    start_workers,
)

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
    for name, whole_array in vars(whole.rollout).items():
        both = [getattr(learner.rollout, name) for learner in (first, second)]
        joined = np.concatenate([np.asarray(each) for each in both], axis=1)
        whole_array[:] = torch.from_numpy(joined) if isinstance(whole_array, torch.Tensor) else joined
    whole.decisions = ITERATION
    expected = whole.update()
    for ours, theirs in zip(whole.parameters, first.parameters, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)
    for name, value in expected.items():
        assert metrics[f"train/{name}"] == pytest.approx(value, rel=1e-3, abs=1e-5), name


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
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


# --- whole runs


def test_workers_stop_together(tmp_path: Path) -> None:
    """If one is asked to stop, all write a checkpoint at the same iteration; worker 0 writes the curves."""

    def work(peers: Peers) -> None:
        def stop(progress: Progress) -> None:
            if peers.rank == 1 and progress.decisions == 2 * ITERATION:
                raise StopLearning

        with pytest.raises(StopLearning):
            train(tiny_config(), tmp_path, report=stop, peers=peers)

    together(2, work)
    assert read_checkpoint(tmp_path / CHECKPOINT)[1]["decisions"] == 2 * ITERATION
    assert len(read_curves(tmp_path / CURVES)) == 2


def test_a_worker_on_every_idle_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of lower priority leaves its processor to others; without times, all processors count."""
    config = tiny_config(num_games=256, batch_size=256)
    monkeypatch.setattr("wizard_env.train.run.get_num_threads", lambda: 2)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    for user, nice, workers in ((0, 0, 2), (4, 0, 2), (20, 0, 1), (20, 5, 1), (0, 25, 2)):
        spent = np.array([user, nice, 0, 50 - user - nice, 0])
        times = iter([np.zeros_like(spent), spent])
        monkeypatch.setattr("wizard_env.train.run._processor_times", lambda times=times: next(times))
        assert decide(config, tmp_path / "run", "cpu").workers == workers
    monkeypatch.setattr("wizard_env.train.run._processor_times", lambda: np.zeros(8, np.int64))
    assert decide(config, tmp_path / "run", "cpu").workers == 2


def test_workers_need_the_same_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"workers \[1\] do not see .* as worker 0 does"):
        together(2, lambda peers: train(tiny_config(), tmp_path / f"{peers.rank}", peers=peers))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "maskable_ppo"}, "workers=2: learner 'maskable_ppo' learns in one process"),
        ({"sections": {"workers": 3}}, "workers=3: the run was started with 2 processes"),
    ],
)
def test_what_cannot_be_done(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        together(2, lambda peers: train(tiny_config(**options), tmp_path / "run", peers=peers))
    assert not (tmp_path / "run").exists()


def test_several_workers_of_a_machine_do_not_share_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(ValueError, match="workers=2: one process of this machine learns on 'cuda'"):
        decide(tiny_config(sections={"workers": 2}), tmp_path / "run", "cuda")


def _die_at_first(folder: Path, peers: Peers) -> None:
    """A second worker of this machine, which is killed in the first part of the run."""
    config, first = tiny_config(6 * ITERATION, checkpoint_seconds=1e-9), not (folder / CHECKPOINT).exists()

    def kill(progress: Progress) -> None:
        if first and progress.decisions == 4 * ITERATION:
            os.kill(os.getpid(), signal.SIGKILL)

    train(config, folder, resume=not first, report=kill, peers=peers)


def test_a_lost_process_ends_the_run_which_then_continues(tmp_path: Path) -> None:
    """To the same end as if nothing had happened."""
    run, whole, config = tmp_path / "run", tmp_path / "whole", tiny_config(6 * ITERATION)
    often = tiny_config(6 * ITERATION, checkpoint_seconds=1e-9)
    with (
        pytest.raises(LostWorkerError, match="worker 1 of 2 has ended: the same command continues"),
        start_workers(2, partial(_die_at_first, run)) as peers,
    ):
        train(often, run, peers=peers)
    assert 0 < read_checkpoint(run / CHECKPOINT)[1]["decisions"] < 6 * ITERATION
    with start_workers(2, partial(_die_at_first, run)) as peers:
        train(often, run, resume=True, peers=peers)
    together(2, lambda peers: train(config, whole, peers=peers))
    assert content(run) == content(whole)


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.train.tiny import ITERATION, tiny_config
from wizard_env.train.run import checkpoint_of, train
from wizard_env.train.selfplay.workers import join_workers

config, folder = tiny_config(6 * ITERATION, checkpoint_seconds=1e-9), Path(sys.argv[1])
with join_workers() as peers:
    resume = checkpoint_of(config, folder).exists()

    def kill(progress):
        if progress.decisions == 4 * ITERATION and peers.rank == 1 and not resume:
            os.kill(os.getpid(), signal.SIGKILL)

    train(config, folder, resume=resume, report=kill, peers=peers)
"""


@pytest.mark.slow
def test_torchrun_starts_a_killed_worker_again(tmp_path: Path) -> None:
    """The run continues from its checkpoint to the same end as if nothing had happened."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--max-restarts", "1"]
    command = [*torchrun, "--standalone", str(script), str(tmp_path / "run")]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    together(2, lambda peers: train(tiny_config(6 * ITERATION), tmp_path / "whole", peers=peers))
    assert content(tmp_path / "run") == content(tmp_path / "whole")
    for name in ("run", "whole"):
        assert Config.model_validate_json((tmp_path / name / CONFIG).read_text()).workers == 2
    found = read_curves(tmp_path / "run" / CURVES)
    assert [int(line[DECISIONS]) for line in found] == [n * ITERATION for n in range(1, 7)]
    assert all(float(line[MEGABYTES_SENT]) > 0 for line in found)


# --- their exchange


def test_seeds_are_each_workers_own() -> None:
    """Worker 0 begins with the run's; new deals have other seeds."""
    seeds = together(3, lambda peers: [peers.derive_seed(7, decisions) for decisions in (0, 512, 1024)])
    assert seeds[0][0] == Peers().derive_seed(7) == 7
    assert len({seed for each in seeds for seed in each}) == 9


def test_advantages_are_normalised_over_all_workers() -> None:
    """As the union of the minibatches would be by one worker; the last is smaller."""
    advantages = np.random.default_rng(0).normal(3, 2, (2, 10)).astype(np.float32)
    parts: list[NDArray[np.float32]] = together(
        2, lambda peers: normalise_minibatches(advantages[peers.rank], 4, peers)
    )
    for start in (0, 4, 8):
        shares = advantages[:, start : start + 4]
        union = (shares - shares.mean()) / shares.std(ddof=1)
        np.testing.assert_allclose(np.stack(parts)[:, start : start + 4], union, rtol=1e-4, atol=1e-6)
    alone = normalise_minibatches(advantages[0], 4, Peers())
    assert alone[:4].mean() == pytest.approx(0, abs=1e-6)
    assert alone[:4].std(ddof=1) == pytest.approx(1, abs=1e-6)
