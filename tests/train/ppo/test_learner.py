"""The lean learner: its gradient, its sameness with MaskablePPO, and going on bit for bit."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from torch.distributions import Categorical

from wizard_env import NUM_ACTIONS, Games, Rules, sample_legal
from wizard_env.agents import load
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.state import rules_of
from wizard_env.train.config.run import Config
from wizard_env.train.evaluate import evaluate
from wizard_env.train.networks import PolicyValueNetwork
from wizard_env.train.ppo.learner import Learner
from wizard_env.train.ppo.loss import loss_gradient, normalised
from wizard_env.train.ppo.rollout import share_rewards
from wizard_env.train.ppo.snapshot_ratings import SEED
from wizard_env.train.run import train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.games import REWARD_SCALES, deal_games
from wizard_env.train.selfplay.progress import CURVES, Progress

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


# --- team spirit


def test_team_spirit_shares_what_those_who_learn_are_paid() -> None:
    rewards = np.array([[[4, 0, -1, 2], [3, 1, 0, 0]]], np.float32)
    learns = np.array([[True, True, True, False], [True, True, False, False]])
    assert share_rewards(rewards, learns, 0.0) is rewards
    half = share_rewards(rewards, learns, 0.5)[0]
    assert half[0, :3].tolist() == [2.5, 0.5, 0.0]
    assert half[1, :2].tolist() == [2.5, 1.5]
    assert share_rewards(rewards, learns, 1.0)[0, 0, :3].tolist() == [1, 1, 1]


def test_with_a_critic_the_value_stays_of_the_seats_own_points(tmp_path: Path) -> None:
    """The critic is of what is shared; without one there is no value of points to give away."""
    options: dict[str, Any] = {"critic": [8], "batch_size": ITERATION, "epochs": 1}
    own, shared = (Learner(config(team_spirit=spirit, **options), "cpu", None) for spirit in (0.0, 1.0))
    first, second = own.iterate(), shared.iterate()
    assert first["train/value_loss"] == second["train/value_loss"]
    assert first["train/critic_loss"] > 1.2 * second["train/critic_loss"]
    Learner(config(team_spirit=1.0), "cpu", None).save(tmp_path)
    with pytest.raises(ValueError, match="no value"):
        load(str(tmp_path)).values(np.zeros((1, OBS_SIZE), np.uint8))  # type: ignore[attr-defined]


# --- the network


def test_the_agent_is_the_network(tmp_path: Path) -> None:
    """The file holds policy and value: what the agent computes is what the network does, value in points."""
    learner = Learner(config(layers=[32, 24]), "cpu", None)
    learner.save(tmp_path)
    observations = Games(Rules(), 50, canonical_suits=True).observation
    with torch.inference_mode():
        outputs = learner.network(torch.from_numpy(observations)).numpy()
    agent: Any = load(str(tmp_path))
    np.testing.assert_allclose(agent.logits(observations), outputs[:, :NUM_ACTIONS], atol=1e-6)
    np.testing.assert_allclose(agent.values(observations), outputs[:, NUM_ACTIONS] * 20, atol=1e-4)


def test_a_fresh_network_knows_nothing() -> None:
    """Its policy is nearly uniform; the same seed draws the same weights."""
    one, two, other = (PolicyValueNetwork([32], seed) for seed in (0, 0, 1))
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


def test_a_critic_that_sees_all_hands_tells_more(tmp_path: Path) -> None:
    """Of rounds of one card all is known but what the others do; the policy is learned alike."""
    explained = {}
    for name, critic in (("own", []), ("full", [64])):
        reports = last_reports(tmp_path / name, critic=critic)
        with (tmp_path / name / CURVES).open(newline="") as file:
            lines = list(csv.DictReader(file))[-5:]
        explained[name] = np.mean([float(line["train/explained_variance"]) for line in lines])
        assert np.mean([progress.bid_accuracy for progress in reports]) > 0.6
    assert explained["full"] > explained["own"] + 0.05


def test_it_is_rated_as_it_learns(tmp_path: Path) -> None:
    """Against who sits beside it and against others, in the curves; learning is not changed by it."""
    options: dict[str, Any] = {"sparring": 0.5, "partners": ["random"], "snapshot_decisions": 2 * ITERATION}
    rated = config(**options).model_dump() | {"ratings": {"agents": ["random", "heuristic"], "games": 4}}
    train(Config.model_validate(rated), tmp_path / "rated")
    train(config(**options), tmp_path / "not")
    assert checkpoint(tmp_path / "rated") == checkpoint(tmp_path / "not")
    with (tmp_path / "rated" / CURVES).open(newline="") as file:
        lines = list(csv.DictReader(file))
    figures = [(line["rating/seen/random"], line["rating/held_out/heuristic/won"]) for line in lines]
    assert [all(pair) for pair in figures] == [False, True, False, True]
    last = evaluate([str(tmp_path / "rated"), *["random"] * 3], config().game.rules(), 4, seed=SEED)
    assert float(figures[-1][0]) == pytest.approx(last.differences[0].points)


def test_it_begins_with_the_weights_of_another_run(tmp_path: Path) -> None:
    """Of the same layers; what they are is said where they do not fit."""
    train(config(ITERATION), tmp_path / "first")
    first: Any = load(str(tmp_path / "first"))
    observations = Games(Rules(), 50, canonical_suits=True).observation
    start = str(tmp_path / "first")
    learner = Learner(config(start=start), "cpu", None)
    with torch.inference_mode():
        outputs = learner.network(torch.from_numpy(observations)).numpy()
    np.testing.assert_allclose(outputs[:, :NUM_ACTIONS], first.logits(observations), atol=1e-5)
    np.testing.assert_allclose(outputs[:, NUM_ACTIONS] * 20, first.values(observations), atol=1e-4)
    with pytest.raises(ValueError, match=r"layers \[16, 79, 1\]"):
        Learner(config(start=start, layers=[8]), "cpu", None)


def test_a_critic_is_kept_for_who_begins_with_it(tmp_path: Path) -> None:
    """Of the same widths; the shipped champion is such a beginning."""
    train(config(ITERATION, critic=[8]), tmp_path / "first")
    start = str(tmp_path / "first")
    states = Games(Rules(), 20, canonical_suits=True).full_state()
    first, second, other = (
        Learner(config(learning_rate=1e-4, critic=[8], start=start), "cpu", None),
        Learner(config(critic=[8], start=start), "cpu", None),
        Learner(config(critic=[8]), "cpu", None),
    )
    assert (first._valued(states) == second._valued(states)).all()
    assert (first._valued(states) != other._valued(states)).any()
    with pytest.raises(ValueError, match=r"another critic than \[16\]"):
        Learner(config(critic=[16], start=start), "cpu", None)
    Learner(config(layers=[512, 512], critic=[256, 256], start=str(CHAMPION)), "cpu", None)


@pytest.mark.parametrize(
    ("learning", "ratings", "complaint"),
    [
        ({"critic": [8]}, {}, "has no critic"),
        ({"start": "runs/x", "partners": ["past"]}, {}, "start and no partner 'past'"),
        ({}, {"agents": ["random"]}, "ratings"),
    ],
)
def test_what_maskable_ppo_does_not_know(
    learning: dict[str, Any], ratings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Config.model_validate(
            config(learner="maskable_ppo").model_dump()
            | {
                "learning": {**TINY, "decisions": 1, "learner": "maskable_ppo", **learning},
                "ratings": ratings,
            }
        )


def test_it_learns_in_half_precision(tmp_path: Path) -> None:
    accuracy = np.mean([each.bid_accuracy for each in last_reports(tmp_path, precision="bfloat16")])
    assert accuracy > 0.6


# --- going on


def checkpoint(folder: Path) -> bytes:
    return (folder / CHECKPOINT).read_bytes()


class InterruptedTraining(Exception):  # noqa: N818 - no error
    """What a user does."""


@pytest.mark.parametrize(
    "special",
    [
        {"partners": ["heuristic"]},
        {"partners": ["random", "rule_based"], "critic": [8], "reward": "win", "team_spirit": 0.5},
        {"partners": ["past", "random"], "snapshot_decisions": ITERATION, "past_selves": 2},
    ],
)
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, special: dict[str, Any]) -> None:
    """Bit for bit: the networks, their optimiser, past selves, the tables and all chance to come."""
    options: dict[str, Any] = {"sparring": 0.5, "checkpoint_seconds": 1e-9, **special}
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
    """Shares of the games; at every table its own rules hold, and nobody sits or is paid beyond its seats."""
    kinds = mixed(1).kinds()
    assert [(rules.num_players, count) for rules, count in kinds] == [(3, 8), (6, 4), (5, 4)]
    tables = deal_games(mixed(1), seed=5)
    assert [rules_of(state) for state in tables.games.states] == [kind for kind, n in kinds for _ in range(n)]
    sits = np.arange(6) < tables.games.num_players[:, np.newaxis]
    assert (tables.learns == sits).all()
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        tables.step(sample_legal(tables.games.mask, rng))
        scored = tables.points[:, :1] != 0
        assert ((tables.points != 0) == (scored & sits)).all()
        assert tables.rewards == pytest.approx(tables.points * REWARD_SCALES["points"])
        ended += int(scored.sum())
    assert ended > 30


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


def test_too_few_games_for_all_tables() -> None:
    whole = config().model_dump() | {"tables": KINDS}
    with pytest.raises(ValidationError, match="leaves none"):
        Config.model_validate(whole | {"learning": whole["learning"] | {"num_games": 2}})


def test_another_seed_learns_otherwise(tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        changed = Config.model_validate(config().model_dump() | {"seed": seed})
        train(changed, tmp_path / name)
    assert checkpoint(tmp_path / "one") == checkpoint(tmp_path / "two") != checkpoint(tmp_path / "other")


def test_threads_change_nothing(tmp_path: Path) -> None:
    """The first weights, what is computed with them, and the sums of gradients."""
    options: dict[str, Any] = {"layers": [256, 256], "critic": [64], "precision": "bfloat16"}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        train(config(2 * ITERATION, **options), tmp_path / f"{threads}")
    assert checkpoint(tmp_path / "1") == checkpoint(tmp_path / "2")
