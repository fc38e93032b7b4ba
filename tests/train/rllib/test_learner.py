"""Self-play on RLlib: every decision counts, it learns, and the result is an agent of this package."""

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.rllib", exc_type=ImportError)
    from ray.rllib.core.columns import Columns

    from wizard_env.train.rllib.learner import RLlibLearner, algorithm_config, train
    from wizard_env.train.rllib.module import MODULE

from tests.docs.pages import ROOT, run_page
from wizard_env import Games
from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME, NetworkAgent
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.train.config.rllib import RLlibConfig, RLlibLearning
from wizard_env.train.run import CONFIG, RUN_LOCK
from wizard_env.train.selfplay.curves import CURVES
from wizard_env.train.selfplay.progress import Progress

CHECKPOINT = RLlibLearning.checkpoint_file

pytestmark = [
    pytest.mark.usefixtures("one_thread", "cluster"),
    # Ray's own: it calls deprecated functions, leaves processes to the collector, and registers a name twice.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib-multi-agent-env:UserWarning"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()
    gc.collect()


def config(decisions: int, workers: int = 0, games: int = 32, **learning: Any) -> RLlibConfig:
    return RLlibConfig.model_validate(
        {
            "name": "tiny",
            "game": {"num_players": 4, "hand_sizes": [1, 2]},
            "learning": {
                "decisions": decisions,
                "decisions_per_iteration": 2048,
                "batch_size": 512,
                "learning_rate": 2e-3,
                "layers": [64],
                **learning,
            },
            "cluster": {"workers": workers, "games_per_worker": games},
        }
    )


# --- learning


def test_every_decision_arrives_with_its_points() -> None:
    """RLlib learns from every seat's decisions up to the end of the round, paid at the last one."""
    algorithm = algorithm_config(config(1, games=8, sparring=0.5), seed=0).build_algo()
    Path(algorithm.logdir).rmdir()
    (episode,) = algorithm.env_runner.sample()
    assert algorithm.env_runner.get_metrics()["num_env_steps_sampled"].peek() == episode.agent_steps()
    for seat in episode.agent_episodes.values():
        *before, last = seat.get_rewards()
        assert last != 0
        assert not any(before)
        assert seat.is_terminated
    algorithm.stop()


class Run(NamedTuple):
    config: RLlibConfig
    folder: Path
    reports: list[Progress]


@pytest.fixture(scope="module")
def learned(cluster: None, one_thread: None, tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = Run(config(30_000), tmp_path_factory.mktemp("learned"), [])
    assert train(run.config, run.folder, report=run.reports.append) == run.folder
    return run


def test_self_play_improves(learned: Run) -> None:
    first, last = learned.reports[0], learned.reports[-1]
    assert last.bid_accuracy > first.bid_accuracy + 0.15
    assert last.points > first.points + 4
    assert last.decisions >= last.total == 30_000


def test_the_result_beats_random(learned: Run) -> None:
    """Alone against random agents, on the same deals; the intervals do not overlap."""
    field: list[Entrant | str] = [Entrant("learned", load(str(learned.folder))), *["random"] * 3]
    mine, theirs = evaluate(field, learned.config.game.rules(), 200, seed=3).standings
    assert mine.name == "learned"
    assert mine.points_low > theirs.points_high
    assert mine.bid_accuracy > theirs.bid_accuracy + 0.1


def test_the_files(learned: Run) -> None:
    names = {path.name for path in learned.folder.iterdir() if not path.name.startswith("events")}
    kept = f"{CHECKPOINT}-{learned.reports[-1].decisions}"
    assert names == {CHECKPOINT, kept, FILE_NAME, CURVES, CONFIG, RUN_LOCK}
    assert (learned.folder / CHECKPOINT).resolve().name == kept


def test_checkpoint_and_agent_are_the_same_policy(learned: Run) -> None:
    """The checkpoint's module and the agent compute the same logits; illegal actions get none."""
    games = Games(learned.config.game.rules(), 50, canonical_suits=True)
    agent = load(str(learned.folder))
    assert isinstance(agent, NetworkAgent)
    learner = RLlibLearner(learned.config, learned.folder / CHECKPOINT)
    assert learner.decisions == learned.reports[-1].decisions
    seen = {"observation": torch.from_numpy(games.observation), "action_mask": torch.from_numpy(games.mask)}
    module = learner.algorithm.get_module(MODULE)
    logits = module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].numpy()
    legal = games.mask != 0
    np.testing.assert_allclose(logits[legal], agent.logits(games.observation)[legal], atol=1e-5)
    assert (logits[~legal] < -1e38).all()
    learner.algorithm.stop()


def test_a_run_is_resumed(learned: Run, tmp_path: Path) -> None:
    """From its last checkpoint, now with workers and partners; a second start in its folder is refused."""
    with pytest.raises(FileExistsError, match="resume it"):
        train(learned.config, learned.folder)
    first = config(2048, workers=1, sparring=0.5, partners=["random", "rule_based"])
    train(first, tmp_path)
    before = (tmp_path / FILE_NAME).read_bytes()
    reports: list[Progress] = []
    more = first.model_copy(update={"learning": first.learning.model_copy(update={"decisions": 6000})})
    train(more, tmp_path, resume=True, report=reports.append)
    assert [progress.decisions // 2048 for progress in reports] == [2, 3]
    assert (tmp_path / FILE_NAME).read_bytes() != before
    assert len(list(tmp_path.glob(f"{CHECKPOINT}-*"))) == 1
    with pytest.raises(ValueError, match="another config"):
        train(config(9000, layers=[32]), tmp_path, resume=True)


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of docs/tutorials/rllib.md, block by block."""
    monkeypatch.chdir(tmp_path)
    names = run_page(ROOT / "docs" / "tutorials" / "rllib.md")
    Path(names["algorithm"].logdir).rmdir()
