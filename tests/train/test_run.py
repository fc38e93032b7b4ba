"""Training runs: they learn, write their files, resume where they stopped, and refuse what they cannot do."""

import csv
import gc
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from filelock import FileLock
from safetensors import safe_open
from stable_baselines3.common.save_util import load_from_zip_file

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
from wizard_env.train.selfplay.curves import CURVES, DECISIONS
from wizard_env.train.selfplay.progress import BID_ACCURACY, POINTS, Progress, StopLearning

UNTRAINED: dict[str, Any] = {"learning_rate": 1e-12, "final_learning_rate": 1e-12}


CHECKPOINT = MaskablePpoConfig.checkpoint_file

pytestmark = pytest.mark.usefixtures("one_thread")


config = partial(tiny_config, learner="maskable_ppo")


def weights(folder: Path) -> dict[str, list[Any]]:
    with safe_open(folder / FILE_NAME, framework="pt") as file:
        return {name: file.get_tensor(name).tolist() for name in file.keys()}  # noqa: SIM118


def decisions_and_policy(folder: Path) -> tuple[int, dict[str, torch.Tensor]]:
    """The decisions that a checkpoint has learned from, and its weights."""
    data, parameters, _ = load_from_zip_file(folder / CHECKPOINT, device="cpu")
    assert data is not None
    policy: Any = parameters["policy"]
    return data["num_timesteps"], policy


def curves(folder: Path) -> list[dict[str, str]]:
    with (folder / CURVES).open() as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class InterruptedTraining(Exception):  # noqa: N818 - no error
    """Stands for the user's Ctrl+C."""


class StopAfter:
    """Interrupts a run after some iterations."""

    def __init__(self, iterations: int) -> None:
        self.left = iterations

    def __call__(self, progress: Progress) -> None:
        self.left -= 1
        if not self.left:
            raise InterruptedTraining


class Run(NamedTuple):
    config: Config
    folder: Path
    reports: list[Progress]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that is long enough to learn rounds of one and two cards."""
    learning: dict[str, Any] = {"num_games": 64, "batch_size": 512, "epochs": 2, "layers": [64]}
    run = Run(config(60_000, seed=1, learning_rate=2e-3, **learning), tmp_path_factory.mktemp("learned"), [])
    assert train(run.config, run.folder, report=run.reports.append) == run.folder
    return run


# --- learning


def test_self_play_improves(learned: Run) -> None:
    """In bids met and in points, from the first iteration to each of the last five."""
    first, last = learned.reports[0], learned.reports[-5:]
    assert min(progress.bid_accuracy for progress in last) > first.bid_accuracy + 0.15
    assert min(progress.points for progress in last) > first.points + 4


def test_the_result_beats_random_and_its_untrained_self(learned: Run, tmp_path: Path) -> None:
    """Alone against either, on the same deals; the intervals do not overlap."""
    train(config(1, layers=[64], **UNTRAINED), tmp_path)
    rules = learned.config.game.rules()
    learner = Entrant("learned", load(str(learned.folder)))
    for opponent in (Entrant("random", load("random")), Entrant("untrained", load(str(tmp_path)))):
        mine, theirs = evaluate([learner, *[opponent] * 3], rules, 300, seed=3).standings
        assert (mine.name, theirs.name) == ("learned", opponent.name)
        assert mine.points_low > theirs.points_high
        assert mine.bid_accuracy > theirs.bid_accuracy + 0.1


# --- what is written


def test_the_files(learned: Run) -> None:
    """Checkpoint, agent, curves, TensorBoard, config; no half-written file is left."""
    names = {path.name for path in learned.folder.iterdir()}
    events = {name for name in names if name.startswith("events.out.tfevents")}
    assert len(events) == 1
    assert names - events == {CHECKPOINT, FILE_NAME, CURVES, CONFIG, RUN_LOCK}
    assert all((learned.folder / name).stat().st_size for name in names - {RUN_LOCK})
    kept = (learned.folder / CONFIG).read_text()
    assert Config.model_validate_json(kept) == learned.config.model_copy(update={"workers": 1})


def test_the_curves(learned: Run) -> None:
    """Every iteration has a line."""
    rows = curves(learned.folder)
    assert [int(row[DECISIONS]) for row in rows] == [progress.decisions for progress in learned.reports]
    for row, progress in zip(rows, learned.reports, strict=True):
        assert float(row[BID_ACCURACY]) == pytest.approx(progress.bid_accuracy)
        assert float(row[POINTS]) == pytest.approx(progress.points)
    rates = [float(row["train/learning_rate"]) for row in rows[1:]]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == pytest.approx(2e-3, rel=0.1)
    assert rates[-1] == pytest.approx(5e-5, rel=2)


def test_the_checkpoint_holds_the_agent(learned: Run) -> None:
    decisions, policy = decisions_and_policy(learned.folder)
    assert decisions == learned.reports[-1].decisions
    assert policy["action_net.weight"].tolist() == weights(learned.folder)["layer.1.weight"]


def test_files_are_closed(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train(config(1), tmp_path)
        gc.collect()
    messages = [str(warning.message) for warning in caught if warning.category is ResourceWarning]
    assert not [message for message in messages if str(tmp_path) in message]


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        train(config(seed=seed), tmp_path / name)
    assert weights(tmp_path / "one") == weights(tmp_path / "two") != weights(tmp_path / "other")


# --- libraries


def test_ppo_does_not_load_stable_baselines3(tmp_path: Path) -> None:
    """In a fresh process, up to the end of a short run."""
    code = """
import sys
from pathlib import Path
from wizard_env.train.config.run import Config
from wizard_env.train.run import train

learning = {"decisions": 1, "num_games": 4, "decisions_per_game": 2}
train(Config.model_validate({"name": "tiny", "learning": learning}), Path(sys.argv[1]))
loaded = [name for name in sys.modules if name.startswith(("stable_baselines3", "sb3_contrib"))]
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)


# --- resuming


def test_resuming_continues_from_the_checkpoint(tmp_path: Path) -> None:
    """With its decisions, weights and curves; the new iterations are dealt other games."""
    train(config(4 * ITERATION), tmp_path)
    before, reports = weights(tmp_path), list[Progress]()
    train(config(7 * ITERATION), tmp_path, resume=True, report=reports.append)
    assert [progress.decisions for progress in reports] == [5 * ITERATION, 6 * ITERATION, 7 * ITERATION]
    assert [int(row[DECISIONS]) for row in curves(tmp_path)] == [n * ITERATION for n in range(1, 8)]
    assert decisions_and_policy(tmp_path)[0] == 7 * ITERATION
    assert weights(tmp_path) != before


def test_resuming_a_finished_run_learns_nothing(tmp_path: Path) -> None:
    train(config(), tmp_path)
    before, reports = contents(tmp_path), list[Progress]()
    for decisions in (4, 2):
        train(config(decisions * ITERATION), tmp_path, resume=True, report=reports.append)
    assert contents(tmp_path) == before
    assert not reports


def test_a_run_interrupted_before_its_first_checkpoint_starts_again(tmp_path: Path) -> None:
    with pytest.raises(InterruptedTraining):
        train(config(), tmp_path, report=StopAfter(1))
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


def test_a_folder_without_a_checkpoint_blocks_no_corrected_config(tmp_path: Path) -> None:
    with pytest.raises(InterruptedTraining):
        train(config(), tmp_path, report=StopAfter(1))
    assert (tmp_path / CONFIG).exists()
    train(config(seed=5), tmp_path)
    assert Config.model_validate_json((tmp_path / CONFIG).read_text()).seed == 5


def test_an_agent_without_a_checkpoint_is_left_alone(tmp_path: Path) -> None:
    """By a run of another config, also by one of another learner, whose checkpoint has another name."""
    train(config(1), tmp_path)
    (tmp_path / CHECKPOINT).unlink()
    before = contents(tmp_path)
    for other in (config(1, seed=5), config(1, learner="ppo")):
        with pytest.raises(ValueError, match="holds a run of another config"):
            train(other, tmp_path)
    assert contents(tmp_path) == before


def test_the_first_key_that_differs_is_named(tmp_path: Path) -> None:
    train(config(1), tmp_path)
    with pytest.raises(ValueError, match=r"learning.layers = \[16\] there, \[8\] here"):
        train(config(1, layers=[8]), tmp_path, resume=True)


MISTAKES: dict[str, dict[str, Any]] = {
    "partner": {"sparring": 0.5, "partners": ["randm"]},
    "reward": {"reward": "nowhere.py:mine"},
    "encoding": {"learner": "ppo", "encoding": "nowhere.py:mine"},
    "start": {"learner": "ppo", "start": "runs/nowhere"},
    "teacher": {"learner": "distillation", "teachers": {"heuristic": []}},
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_nothing_is_written_before_all_that_a_config_names_is_found(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    learning = {"decisions": 1, "num_games": 4, "learner": "maskable_ppo", **mistake}
    wrong = Config.model_validate({"name": "tiny", "learning": learning})
    with pytest.raises((ValueError, OSError)):
        train(wrong, tmp_path / "runs" / "tiny")
    assert not (tmp_path / "runs").exists()


def test_nothing_is_written_for_agents_to_rate_against_that_are_not_found(tmp_path: Path) -> None:
    wrong = config(1, learner="ppo").model_dump() | {"ratings": {"agents": ["randm"]}}
    with pytest.raises(ValueError, match="did you mean 'random'"):
        train(Config.model_validate(wrong), tmp_path / "run")
    assert not (tmp_path / "run").exists()


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
    with pytest.raises(DivergedError, match=r"after [0-9]+ decisions the network has weights that are not"):
        train(run, tmp_path)
    if (tmp_path / FILE_NAME).exists():
        load(str(tmp_path))


def test_equal_runs_are_equal_files(tmp_path: Path) -> None:
    """Byte for byte: agent, checkpoint and critic."""
    for name in ("one", "two"):
        train(config(2 * ITERATION, learner="ppo", critic=[8]), tmp_path / name)
    for file in (FILE_NAME, PpoConfig.checkpoint_file, CRITIC):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


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
