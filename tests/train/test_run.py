"""Training runs: they learn, write their files, resume where they stopped, and refuse what they cannot do."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.train.tiny import ITERATION, OPTIONS, tiny_config
from wizard_env import configs
from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.train.config.ppo import MaskablePpoConfig, PpoConfig
from wizard_env.train.config.reading import read_config
from wizard_env.train.config.run import Config
from wizard_env.train.networks.layers import DivergedError
from wizard_env.train.ppo import CRITIC
from wizard_env.train.run import CONFIG, RUN_LOCK, checkpoint_of, train
from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves
from wizard_env.train.selfplay.progress import BID_ACCURACY, POINTS, Progress, StopLearning

CHECKPOINT = MaskablePpoConfig.checkpoint_file

pytestmark = pytest.mark.usefixtures("one_thread")


config = partial(tiny_config, learner="maskable_ppo")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class InterruptedTraining(Exception):  # noqa: N818 - no error
    """Stands for the user's Ctrl+C."""


# --- what is written


def test_the_files_and_the_curves(tmp_path: Path) -> None:
    """Checkpoint, agent, config, and a line for every iteration; no half-written file is left."""
    run, reports = config(), list[Progress]()
    train(run, tmp_path, report=reports.append)
    names = {path.name for path in tmp_path.iterdir()}
    events = {name for name in names if name.startswith("events.out.tfevents")}
    assert len(events) == 1
    assert names - events == {CHECKPOINT, FILE_NAME, CURVES, CONFIG, RUN_LOCK}
    assert all((tmp_path / name).stat().st_size for name in names - {RUN_LOCK})
    kept = (tmp_path / CONFIG).read_text()
    assert Config.model_validate_json(kept) == run.model_copy(update={"workers": 1})
    for row, progress in zip(read_curves(tmp_path / CURVES), reports, strict=True):
        assert int(row[DECISIONS]) == progress.decisions
        assert float(row[BID_ACCURACY]) == pytest.approx(progress.bid_accuracy)
        assert float(row[POINTS]) == pytest.approx(progress.points)


# --- resuming


def test_resuming_continues_from_the_checkpoint(tmp_path: Path) -> None:
    """With its decisions, weights and curves; the new iterations are dealt other games."""
    train(config(4 * ITERATION), tmp_path)
    before, reports = (tmp_path / FILE_NAME).read_bytes(), list[Progress]()
    train(config(7 * ITERATION), tmp_path, resume=True, report=reports.append)
    assert [progress.decisions for progress in reports] == [5 * ITERATION, 6 * ITERATION, 7 * ITERATION]
    assert [int(row[DECISIONS]) for row in read_curves(tmp_path / CURVES)] == [
        n * ITERATION for n in range(1, 8)
    ]
    assert (tmp_path / FILE_NAME).read_bytes() != before


def test_resuming_a_finished_run_learns_nothing(tmp_path: Path) -> None:
    train(config(), tmp_path)
    before, reports = contents(tmp_path), list[Progress]()
    for decisions in (4, 2):
        train(config(decisions * ITERATION), tmp_path, resume=True, report=reports.append)
    assert contents(tmp_path) == before
    assert not reports


def test_a_run_interrupted_before_its_first_checkpoint_starts_again(tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        raise InterruptedTraining

    with pytest.raises(InterruptedTraining):
        train(config(), tmp_path, report=interrupt)
    assert not (tmp_path / CHECKPOINT).exists()
    with pytest.raises(FileNotFoundError):
        train(config(), tmp_path, resume=True)
    train(config(), tmp_path)
    assert (tmp_path / CHECKPOINT).exists()


@pytest.mark.parametrize("learner", OPTIONS)
def test_a_run_that_is_stopped_writes_a_checkpoint(learner: str, tmp_path: Path) -> None:
    """Of the iteration that `report` told of; resumed, it learns the rest."""
    run = config(learner=learner)

    def stop(progress: Progress) -> None:
        raise StopLearning

    with pytest.raises(StopLearning):
        train(run, tmp_path, report=stop)
    assert checkpoint_of(run, tmp_path).exists()
    load(str(tmp_path))
    reports: list[Progress] = []
    train(run, tmp_path, resume=True, report=reports.append)
    assert [progress.decisions for progress in reports] == [n * ITERATION for n in (2, 3, 4)]


@pytest.mark.parametrize("learner", OPTIONS)
def test_equal_runs_are_equal_files(learner: str, tmp_path: Path) -> None:
    """Byte for byte: agent, critic and, but for the clock in a zip file, the checkpoint."""
    own: dict[str, Any] = {"critic": [8]} if learner == "ppo" else {}
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        train(config(2 * ITERATION, seed, learner=learner, **own), tmp_path / name)
    files = [FILE_NAME, *([CRITIC] if own else [])]
    if learner != "maskable_ppo":
        files.append(PpoConfig.checkpoint_file)
    for file in files:
        one, two, other = ((tmp_path / name / file).read_bytes() for name in ("one", "two", "other"))
        assert one == two != other


# --- what is refused


def test_a_folder_that_holds_a_run_is_left_alone(tmp_path: Path) -> None:
    train(config(1), tmp_path)
    before = contents(tmp_path)
    with pytest.raises(FileExistsError, match="holds a run already: resume it"):
        train(config(1), tmp_path)
    assert contents(tmp_path) == before


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"nothing to resume.*{CHECKPOINT}"):
        train(config(1), tmp_path / "none", resume=True)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "other",
    [{"seed": 5}, {"name": "other"}, {"game": {"num_players": 3}}, {"evaluation": {"games": 9}}],
    ids=lambda other: next(iter(other)),
)
def test_a_run_of_another_config_is_not_resumed(tmp_path: Path, other: dict[str, Any]) -> None:
    train(config(1), tmp_path)
    before = contents(tmp_path)
    changed = Config.model_validate(config(9 * ITERATION).model_dump() | other)
    with pytest.raises(ValueError, match="holds a run of another config"):
        train(changed, tmp_path, resume=True)
    assert contents(tmp_path) == before


def test_a_folder_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    """By a second run of the same name, and by one that would resume it."""
    train(config(1), tmp_path)
    before = contents(tmp_path)
    with FileLock(tmp_path / RUN_LOCK):
        for resume in (False, True):
            with pytest.raises(BlockingIOError, match="is being written by another run"):
                train(config(9 * ITERATION), tmp_path, resume=resume)
    assert contents(tmp_path) == before


def test_an_agent_without_a_checkpoint_is_left_alone(tmp_path: Path) -> None:
    """By a run of another config, also by one of another learner, whose checkpoint has another name."""
    train(config(1), tmp_path)
    (tmp_path / CHECKPOINT).unlink()
    before = contents(tmp_path)
    for other in (config(1, seed=5), config(1, learner="ppo")):
        with pytest.raises(ValueError, match="holds a run of another config"):
            train(other, tmp_path)
    assert contents(tmp_path) == before


MISTAKES: dict[str, dict[str, Any]] = {
    "partner": {"sparring": 0.5, "partners": ["randm"]},
    "reward": {"reward": "nowhere.py:mine"},
    "encoding": {"learner": "ppo", "encoding": "nowhere.py:mine"},
    "start": {"learner": "ppo", "start": "runs/nowhere"},
    "teacher": {"learner": "distillation", "teachers": {"heuristic": []}},
    "rated": {"learner": "ppo"},
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_nothing_is_written_before_all_that_a_config_names_is_found(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    learning = {"decisions": 1, "num_games": 4, "learner": "maskable_ppo", **mistake}
    ratings = {} if mistake != MISTAKES["rated"] else {"ratings": {"agents": ["randm"]}}
    wrong = Config.model_validate({"name": "tiny", "learning": learning, **ratings})
    with pytest.raises((ValueError, OSError)):
        train(wrong, tmp_path / "runs" / "tiny")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("learner", OPTIONS)
def test_nothing_is_written_for_a_device_that_is_missing(learner: str, tmp_path: Path) -> None:
    run = config(learner=learner)
    with pytest.raises((RuntimeError, ValueError)):
        train(run, tmp_path / "run", device="nonsense")
    assert not (tmp_path / "run").exists()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("learner", ["ppo", "maskable_ppo"])
def test_training_that_diverges_stops_with_its_last_good_checkpoint(learner: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"learning_rate": 1e30, "final_learning_rate": 1e30}
    run = config(10**6, learner=learner, checkpoint_seconds=1e-9, **options)
    with pytest.raises(
        DivergedError,
        match=r"after [0-9]+ decisions the network has weights that are not finite; a checkpoint, if",
    ):
        train(run, tmp_path)
    if (tmp_path / FILE_NAME).exists():
        load(str(tmp_path))


# --- the run of the README


@pytest.mark.slow
def test_quick_beats_random(tmp_path: Path) -> None:
    """The shipped config `quick`, trained to its end."""
    quick = read_config(configs.find("quick"))
    reports: list[Progress] = []
    train(quick, tmp_path, report=reports.append)
    assert reports[-1].bid_accuracy > reports[0].bid_accuracy + 0.15
    assert reports[-1].points > reports[0].points
    rules = quick.evaluation_rules()
    random = Entrant("random", load("random"))
    field = [Entrant("quick", load(str(tmp_path))), random, random, random]
    mine, theirs = evaluate(field, rules, quick.evaluation.games, seed=1).standings
    assert mine.points_low > theirs.points_high
