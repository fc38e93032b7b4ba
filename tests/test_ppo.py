"""The lean learner: its gradient, its sameness with MaskablePPO, and going on bit for bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from torch.distributions import Categorical

from agents import load
from train.config import Config
from train.curves import Progress
from train.ppo import CHECKPOINT, Learner, Network, loss_gradient, normalised
from train.run import train
from train.tables import Mixture, Tables
from wizard_env import NUM_ACTIONS, Games, Rules, sample_legal
from wizard_env.observation import OBS_SIZE

TINY = {"num_games": 16, "decisions_per_game": 32, "batch_size": 256, "epochs": 2, "layers": [16]}
ITERATION = 16 * 32


pytestmark = pytest.mark.usefixtures("one_thread")


def config(decisions: int = 4 * ITERATION, **learning: Any) -> Config:
    return Config.model_validate(
        {
            "name": "tiny",
            "game": {"num_players": 4, "hand_sizes": [1, 2]},
            "learning": {**TINY, "decisions": decisions, **learning},
        }
    )


# --- the gradient


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_is_that_of_the_loss(seed: int) -> None:
    """Against torch's own, through the loss as it is published; all five measures too."""
    rng, count, clip_range, entropy_bonus, value_weight = np.random.default_rng(seed), 200, 0.2, 0.03, 0.5
    outputs = rng.normal(size=(count, NUM_ACTIONS + 1)).astype(np.float32)
    masks = (rng.random((count, NUM_ACTIONS)) < 0.1).astype(np.uint8)
    actions = rng.integers(0, NUM_ACTIONS, count)
    masks[np.arange(count), actions] = 1
    old = rng.normal(-2, 0.5, count).astype(np.float32)
    advantages, returns = rng.normal(size=(2, count)).astype(np.float32)
    gradient, sums = np.zeros_like(outputs), np.zeros(5)
    loss_gradient(
        outputs,
        masks,
        actions,
        old,
        advantages,
        returns,
        clip_range,
        entropy_bonus,
        value_weight,
        gradient,
        sums,
    )
    traced = torch.tensor(outputs, dtype=torch.float64, requires_grad=True)
    logits = traced[:, :NUM_ACTIONS].masked_fill(torch.from_numpy(masks) == 0, -1e9)
    policy: Any = Categorical(logits=logits)
    change = policy.log_prob(torch.from_numpy(actions)) - torch.from_numpy(old)
    ratio, advantage = change.exp(), torch.from_numpy(advantages)
    surrogate = torch.min(ratio * advantage, ratio.clamp(1 - clip_range, 1 + clip_range) * advantage)
    errors = (traced[:, NUM_ACTIONS] - torch.from_numpy(returns)) ** 2
    loss = (-surrogate - entropy_bonus * policy.entropy() + value_weight * errors).mean()
    loss.backward()
    assert traced.grad is not None
    np.testing.assert_allclose(gradient, traced.grad.numpy(), atol=1e-7)
    clipped = ((ratio - 1).abs() > clip_range).double()
    expected = [-surrogate, errors, -policy.entropy(), clipped, ratio - 1 - change]
    np.testing.assert_allclose(sums / count, [float(each.detach().mean()) for each in expected], rtol=1e-5)
    assert 0 < float(clipped.mean()) < 1


def test_advantages_are_normalised() -> None:
    scaled = normalised(np.random.default_rng(0).normal(3, 7, 1000).astype(np.float32))
    assert abs(float(scaled.mean())) < 1e-5
    assert float(scaled.std(ddof=1)) == pytest.approx(1, abs=1e-5)


# --- the network


def test_the_agent_is_the_network(tmp_path: Path) -> None:
    """The file holds the policy: the agent's logits are those of the network."""
    learner = Learner(config(layers=[32, 24]), "cpu", None)
    learner.save(tmp_path)
    observations = Games(Rules(), 50, canonical_suits=True).observation
    with torch.inference_mode():
        outputs = learner.network(torch.from_numpy(observations)).numpy()
    agent: Any = load(str(tmp_path))
    np.testing.assert_allclose(agent.logits(observations), outputs[:, :NUM_ACTIONS], atol=1e-6)


def test_a_fresh_network_knows_nothing() -> None:
    """Its policy is nearly uniform; the same seed draws the same weights."""
    one, two, other = (Network([32], seed) for seed in (0, 0, 1))
    observations = torch.randint(0, 2, (20, OBS_SIZE), dtype=torch.uint8)
    assert float(one(observations)[:, :NUM_ACTIONS].detach().abs().max()) < 0.3
    assert torch.equal(one.head.weight, two.head.weight)
    assert not torch.equal(one.head.weight, other.head.weight)


# --- learning


def last_reports(folder: Path, **learning: Any) -> list[Progress]:
    """The last five iterations of a run that learns the rounds of one and two cards."""
    options = {"num_games": 64, "batch_size": 512, "layers": [64], "learning_rate": 2e-3}
    reports: list[Progress] = []
    train(config(60_000, **options, **learning), folder, report=reports.append)
    assert reports[0].bid_accuracy < 0.5
    return reports[-5:]


def test_it_learns_as_maskable_ppo_does(tmp_path: Path) -> None:
    """The same config: bids met and points at the end, within what two seeds differ by."""
    accuracy, points = {}, {}
    for learner in ("ppo", "maskable_ppo"):
        reports = last_reports(tmp_path / learner, learner=learner)
        accuracy[learner] = np.mean([progress.bid_accuracy for progress in reports])
        points[learner] = np.mean([progress.points for progress in reports])
    assert accuracy["ppo"] == pytest.approx(accuracy["maskable_ppo"], abs=0.03)
    assert points["ppo"] == pytest.approx(points["maskable_ppo"], abs=1.5)


def test_it_learns_in_half_precision(tmp_path: Path) -> None:
    accuracy = np.mean([each.bid_accuracy for each in last_reports(tmp_path, precision="bfloat16")])
    assert accuracy > 0.6


# --- going on


def checkpoint(folder: Path) -> bytes:
    return (folder / CHECKPOINT).read_bytes()


class InterruptedTraining(Exception):  # noqa: N818 - no error
    """What a user does."""


@pytest.mark.parametrize("partners", [["heuristic"], ["random", "rule_based"]])
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, partners: list[str]) -> None:
    """Bit for bit: the network, its optimiser, the tables and all chance to come."""
    options: dict[str, Any] = {"sparring": 0.5, "partners": partners, "checkpoint_seconds": 1e-9}
    train(config(6 * ITERATION, **options), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.decisions == 4 * ITERATION:
            raise InterruptedTraining

    with pytest.raises(InterruptedTraining):
        train(config(6 * ITERATION, **options), tmp_path / "parts", report=stop)
    reports: list[Progress] = []
    train(config(6 * ITERATION, **options), tmp_path / "parts", resume=True, report=reports.append)
    assert [progress.decisions for progress in reports] == [n * ITERATION for n in (4, 5, 6)]
    assert checkpoint(tmp_path / "parts") == checkpoint(tmp_path / "whole")


KINDS = [
    {"num_players": 3, "hand_sizes": [1, 4], "share": 2},
    {"num_players": 6, "hand_sizes": [2], "bid_restriction": "no_even", "magic_edition": True},
    {"num_players": 5, "hand_sizes": [2, 3], "bid_reveal": "secret"},
]


def mixed(decisions: int) -> Config:
    return Config.model_validate(config(decisions).model_dump() | {"tables": KINDS})


def test_tables_of_several_kinds() -> None:
    """Shares of the games; every seat is credited with its own points, as at tables of one kind."""
    assert [(rules.num_players, count) for rules, count in mixed(1).kinds()] == [(3, 8), (6, 4), (5, 4)]
    mixture = Mixture([Tables(rules, count, 5) for rules, count in mixed(1).kinds()])
    apart = [Tables(rules, count, 5) for rules, count in mixed(1).kinds()]
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        assert mixture.observation.shape == (16, OBS_SIZE)
        actions = sample_legal(mixture.mask, rng)
        mixture.step(actions)
        for tables, rows in zip(apart, (slice(0, 8), slice(8, 12), slice(12, 16)), strict=True):
            tables.step(actions[rows])
            players = tables.games.rules.num_players
            assert (mixture.seat[rows] == tables.games.seat).all()
            assert (mixture.points[rows, :players] == tables.points).all()
            assert (mixture.points[rows, players:] == 0).all()
            assert mixture.learns[rows].sum() == tables.learns.sum() == (rows.stop - rows.start) * players
            ended += int((tables.points != 0).sum())
    assert ended > 100


def test_a_mixture_resumes_bit_for_bit(tmp_path: Path) -> None:
    train(mixed(4 * ITERATION), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.decisions == 3 * ITERATION:
            raise InterruptedTraining

    often = mixed(4 * ITERATION).model_dump()
    often["learning"]["checkpoint_seconds"] = 1e-9
    with pytest.raises(InterruptedTraining):
        train(Config.model_validate(often), tmp_path / "parts", report=stop)
    train(mixed(4 * ITERATION), tmp_path / "parts", resume=True)
    assert checkpoint(tmp_path / "parts") == checkpoint(tmp_path / "whole")


def test_what_cannot_be_mixed() -> None:
    whole = config().model_dump() | {"tables": KINDS}
    with pytest.raises(ValidationError, match="one kind of table"):
        Config.model_validate(whole | {"learning": whole["learning"] | {"learner": "maskable_ppo"}})
    with pytest.raises(ValidationError, match="leaves none"):
        Config.model_validate(whole | {"learning": whole["learning"] | {"num_games": 2}})


def test_another_seed_learns_otherwise(tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        changed = Config.model_validate(config().model_dump() | {"seed": seed})
        train(changed, tmp_path / name)
    assert checkpoint(tmp_path / "one") == checkpoint(tmp_path / "two") != checkpoint(tmp_path / "other")
