"""The learner "ppo": it learns like MaskablePPO, and resumes bit for bit."""

import csv
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.train.tiny import ITERATION, tiny_config
from wizard_env import NUM_ACTIONS, Games, Rules
from wizard_env.agents import load
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.ppo import PpoLearner
from wizard_env.train.run import train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.curves import CURVES
from wizard_env.train.selfplay.progress import Progress
from wizard_env.train.snapshot_ratings import HELD_OUT, RATING, SEED, SEEN

pytestmark = pytest.mark.usefixtures("one_thread")


# --- the network


def test_the_agent_is_the_network(tmp_path: Path) -> None:
    """The file holds policy and value: the agent computes what the network does, with the value in points."""
    learner = PpoLearner(tiny_config(layers=[32, 24]), "cpu", None)
    learner.save(tmp_path)
    observations = Games(Rules(), 50, canonical_suits=True).observation
    with torch.inference_mode():
        outputs = learner.network(torch.from_numpy(observations)).numpy()
    agent: Any = load(str(tmp_path))
    np.testing.assert_allclose(agent.logits(observations), outputs[:, :NUM_ACTIONS], atol=1e-6)
    np.testing.assert_allclose(agent.values(observations), outputs[:, NUM_ACTIONS] * 20, atol=1e-4)


# --- learning


def test_with_a_critic_the_value_is_of_the_seats_own_points(tmp_path: Path) -> None:
    """The critic values the shared rewards. Without a critic the agent has no value in points."""
    options: dict[str, Any] = {"critic": [8], "batch_size": ITERATION, "epochs": 1}
    own, shared = (
        PpoLearner(tiny_config(team_spirit=spirit, **options), "cpu", None) for spirit in (0.0, 1.0)
    )
    first, second = own.iterate(), shared.iterate()
    assert first["train/value_loss"] == second["train/value_loss"]
    assert first["train/critic_loss"] > 1.2 * second["train/critic_loss"]
    PpoLearner(tiny_config(team_spirit=1.0), "cpu", None).save(tmp_path)
    with pytest.raises(ValueError, match="no value"):
        load(str(tmp_path)).values(np.zeros((1, OBS_SIZE), np.uint8))  # type: ignore[attr-defined]


def last_reports(folder: Path, **learning: Any) -> list[Progress]:
    """The last five iterations of a run that learns the rounds of one and two cards."""
    options: dict[str, Any] = {"num_games": 64, "batch_size": 512, "layers": [64], "learning_rate": 2e-3}
    reports: list[Progress] = []
    train(tiny_config(60_000, **options, **learning), folder, report=reports.append)
    assert reports[0].bid_accuracy < 0.5
    return reports[-5:]


def test_it_learns_as_maskable_ppo_does(tmp_path: Path) -> None:
    """With the same config, bids met and points at the end differ no more than two seeds do."""
    accuracy, points = {}, {}
    for learner in ("ppo", "maskable_ppo"):
        reports = last_reports(tmp_path / learner, learner=learner)
        accuracy[learner] = np.mean([progress.bid_accuracy for progress in reports])
        points[learner] = np.mean([progress.points for progress in reports])
    assert accuracy["ppo"] == pytest.approx(accuracy["maskable_ppo"], abs=0.03)
    assert points["ppo"] == pytest.approx(points["maskable_ppo"], abs=1.5)


def test_a_critic_that_sees_all_hands_explains_more(tmp_path: Path) -> None:
    """In rounds of one card it knows everything but what the others do. The policy learns just as well."""
    explained = {}
    for name, critic in (("own", []), ("full", [64])):
        reports = last_reports(tmp_path / name, critic=critic)
        with (tmp_path / name / CURVES).open(newline="") as file:
            lines = list(csv.DictReader(file))[-5:]
        explained[name] = np.mean([float(line["train/explained_variance"]) for line in lines])
        assert np.mean([progress.bid_accuracy for progress in reports]) > 0.6
    assert explained["full"] > explained["own"] + 0.05


def test_it_is_rated_as_it_learns(tmp_path: Path) -> None:
    """Against its partners and against other agents, in the curves; ratings do not change what it learns."""
    options: dict[str, Any] = {"sparring": 0.5, "partners": ["random"], "snapshot_decisions": 2 * ITERATION}
    sections = {"ratings": {"agents": ["random", "heuristic"], "games": 4}}
    train(tiny_config(sections=sections, **options), tmp_path / "rated")
    train(tiny_config(**options), tmp_path / "not")
    assert checkpoint(tmp_path / "rated") == checkpoint(tmp_path / "not")
    with (tmp_path / "rated" / CURVES).open(newline="") as file:
        lines = list(csv.DictReader(file))
    figures = [(line[f"{RATING}{SEEN}/random"], line[f"{RATING}{HELD_OUT}/heuristic/won"]) for line in lines]
    assert [all(pair) for pair in figures] == [False, True, False, True]
    last = evaluate([str(tmp_path / "rated"), *["random"] * 3], tiny_config().game.rules(), 4, seed=SEED)
    assert float(figures[-1][0]) == pytest.approx(last.differences[0].points)


def test_it_begins_with_the_weights_of_another_run(tmp_path: Path) -> None:
    """If its layers are larger, the error names them."""
    train(tiny_config(ITERATION), tmp_path / "first")
    first: Any = load(str(tmp_path / "first"))
    observations = Games(Rules(), 50, canonical_suits=True).observation
    start = str(tmp_path / "first")
    learner = PpoLearner(tiny_config(start=start), "cpu", None)
    with torch.inference_mode():
        outputs = learner.network(torch.from_numpy(observations)).numpy()
    np.testing.assert_allclose(outputs[:, :NUM_ACTIONS], first.logits(observations), atol=1e-5)
    np.testing.assert_allclose(outputs[:, NUM_ACTIONS] * 20, first.values(observations), atol=1e-4)
    with pytest.raises(ValueError, match=r"layers \[16, 79\]"):
        PpoLearner(tiny_config(start=start, layers=[8]), "cpu", None)


def test_a_run_begins_with_the_critic_of_another(tmp_path: Path) -> None:
    """If the widths are the same. The shipped champion has a critic to begin with."""
    train(tiny_config(ITERATION, critic=[8]), tmp_path / "first")
    start = str(tmp_path / "first")
    states = Games(Rules(), 20, canonical_suits=True).full_state()
    first, second, other = (
        PpoLearner(tiny_config(learning_rate=1e-4, critic=[8], start=start), "cpu", None),
        PpoLearner(tiny_config(critic=[8], start=start), "cpu", None),
        PpoLearner(tiny_config(critic=[8]), "cpu", None),
    )
    assert (first.device.value_states(states) == second.device.value_states(states)).all()
    assert (first.device.value_states(states) != other.device.value_states(states)).any()
    with pytest.raises(ValueError, match=r"its critic has other layers than \[16\]"):
        PpoLearner(tiny_config(critic=[16], start=start), "cpu", None)
    PpoLearner(tiny_config(layers=[1024, 512], critic=[256, 256], start=str(CHAMPION)), "cpu", None)


def test_it_learns_in_half_precision(tmp_path: Path) -> None:
    accuracy = np.mean([each.bid_accuracy for each in last_reports(tmp_path, precision="bfloat16")])
    assert accuracy > 0.6


# --- resuming


def checkpoint(folder: Path) -> bytes:
    return (folder / CHECKPOINT).read_bytes()


class InterruptedTraining(Exception):  # noqa: N818 - no error
    """Represents the user's Ctrl+C."""


@pytest.mark.parametrize(
    "special",
    [
        {"partners": ["heuristic"]},
        {"partners": ["random", "rule_based"], "critic": [8], "reward": "win", "team_spirit": 0.5},
        {"partners": ["past", "random"], "snapshot_decisions": ITERATION, "past_selves": 2},
    ],
)
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, special: dict[str, Any]) -> None:
    """Bit for bit: the networks, their optimiser, past selves, the games and all random generators."""
    options: dict[str, Any] = {"sparring": 0.5, "checkpoint_seconds": 1e-9, **special}
    train(tiny_config(6 * ITERATION, **options), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.decisions == 4 * ITERATION:
            raise InterruptedTraining

    with pytest.raises(InterruptedTraining):
        train(tiny_config(6 * ITERATION, **options), tmp_path / "parts", report=stop)
    reports: list[Progress] = []
    train(tiny_config(6 * ITERATION, **options), tmp_path / "parts", resume=True, report=reports.append)
    assert [progress.decisions for progress in reports] == [n * ITERATION for n in (4, 5, 6)]
    assert checkpoint(tmp_path / "parts") == checkpoint(tmp_path / "whole")


KINDS = [
    {"num_players": 3, "hand_sizes": [1, 4], "share": 2},
    {"num_players": 6, "hand_sizes": [2], "bid_restriction": "no_even", "magic_edition": True},
    {"num_players": 5, "hand_sizes": [2, 3], "bid_reveal": "secret"},
]


def test_a_mixture_resumes_bit_for_bit(tmp_path: Path) -> None:
    mixed = partial(tiny_config, sections={"tables": KINDS})
    train(mixed(), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.decisions == 3 * ITERATION:
            raise InterruptedTraining

    with pytest.raises(InterruptedTraining):
        train(mixed(checkpoint_seconds=1e-9), tmp_path / "parts", report=stop)
    train(mixed(), tmp_path / "parts", resume=True)
    assert checkpoint(tmp_path / "parts") == checkpoint(tmp_path / "whole")


def test_another_seed_learns_something_else(tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        train(tiny_config(seed=seed), tmp_path / name)
    assert checkpoint(tmp_path / "one") == checkpoint(tmp_path / "two") != checkpoint(tmp_path / "other")


def test_threads_change_nothing(tmp_path: Path) -> None:
    """In the first weights, in what is computed with them, or in the sums of gradients."""
    options: dict[str, Any] = {"layers": [256, 256], "critic": [64], "precision": "bfloat16"}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        train(tiny_config(2 * ITERATION, **options), tmp_path / f"{threads}")
    assert checkpoint(tmp_path / "1") == checkpoint(tmp_path / "2")


# --- past selves as agents


def test_snapshots_are_numbered_without_a_gap(tmp_path: Path) -> None:
    """From 000001, though no iteration ends just where a snapshot is due; the end of a run has one too."""
    train(tiny_config(5 * ITERATION, snapshot_decisions=2 * ITERATION - 24), tmp_path)
    assert sorted(path.name for path in (tmp_path / "past").iterdir()) == ["000001", "000002", "000003"]
