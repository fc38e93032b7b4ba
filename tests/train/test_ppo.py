"""The learner "ppo": it learns like MaskablePPO, and resumes bit for bit."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from safetensors.torch import save_file
from torch.distributions import Categorical

from tests.train.tiny import ITERATION, tiny_config
from wizard_env import NUM_ACTIONS, Games, Rules
from wizard_env.agents import load
from wizard_env.agents.adaptive.agent import AdaptiveAgent
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.ppo import CRITIC, VALUE_WEIGHT, Batch, PpoLearner, loss_gradient
from wizard_env.train.run import train
from wizard_env.train.selfplay.advantages import share_rewards
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.curves import CURVES, read_curves
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


# --- the loss


@pytest.mark.parametrize("seed", range(2))
def test_the_loss_is_the_published_one(seed: int) -> None:
    """Its gradient equals that of autograd over torch's distributions, and so do all five metrics."""
    rng, count, clip_range, entropy_bonus = np.random.default_rng(seed), 200, 0.2, 0.03
    outputs = torch.from_numpy(rng.normal(size=(count, NUM_ACTIONS + 1)).astype(np.float32)).requires_grad_()
    actions = torch.from_numpy(rng.integers(0, NUM_ACTIONS, count))
    illegal = torch.from_numpy(rng.random((count, NUM_ACTIONS)) > 0.1)
    illegal[torch.arange(count), actions] = False
    old = torch.from_numpy(rng.normal(-2, 0.5, count).astype(np.float32))
    advantage, returns = torch.from_numpy(rng.normal(size=(2, count)).astype(np.float32))
    empty = torch.zeros(count, 0)
    batch = Batch(empty, illegal * -1e9, actions, old, advantage, returns, empty, empty)
    gradient, sums = loss_gradient(outputs.detach(), batch, clip_range, entropy_bonus)
    policy: Any = Categorical(logits=outputs[:, :NUM_ACTIONS].masked_fill(illegal, -1e9))
    change = policy.log_prob(actions) - old
    ratio = change.exp()
    surrogate = torch.min(ratio * advantage, ratio.clamp(1 - clip_range, 1 + clip_range) * advantage)
    errors = (outputs[:, NUM_ACTIONS] - returns) ** 2
    expected = (-surrogate - entropy_bonus * policy.entropy() + VALUE_WEIGHT * errors).mean()
    torch.testing.assert_close(gradient, torch.autograd.grad(expected, outputs)[0], atol=1e-7, rtol=1e-4)
    clipped = ((ratio - 1).abs() > clip_range).float()
    means = [each.mean() for each in (-surrogate, errors, -policy.entropy(), clipped, ratio - 1 - change)]
    torch.testing.assert_close(sums / count, torch.stack(means), atol=1e-5, rtol=1e-4)
    assert 0 < float(clipped.mean()) < 1


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


class Learned(NamedTuple):
    """The folder and the last reports of a run."""

    folder: Path
    reports: list[Progress]

    def mean(self, name: str) -> float:
        return float(np.mean([getattr(progress, name) for progress in self.reports]))

    def explained_variance(self) -> float:
        lines = read_curves(self.folder / CURVES)[-5:]
        return float(np.mean([float(line["train/explained_variance"]) for line in lines]))


@pytest.fixture(scope="module")
def plain(one_thread: None, tmp_path_factory: pytest.TempPathFactory) -> Learned:
    """A run without options."""
    folder = tmp_path_factory.mktemp("plain") / "run"
    return Learned(folder, last_reports(folder))


def test_it_learns_as_maskable_ppo_does(plain: Learned, tmp_path: Path) -> None:
    """With the same config, bids met and points at the end differ no more than two seeds do."""
    reference = Learned(tmp_path, last_reports(tmp_path, learner="maskable_ppo"))
    assert plain.mean("bid_accuracy") == pytest.approx(reference.mean("bid_accuracy"), abs=0.03)
    assert plain.mean("points") == pytest.approx(reference.mean("points"), abs=1.5)


def test_a_critic_that_sees_all_hands_explains_more(plain: Learned, tmp_path: Path) -> None:
    """In rounds of one card it knows everything but what the others do. The policy learns just as well."""
    seeing = Learned(tmp_path, last_reports(tmp_path, critic=[64]))
    for run in (plain, seeing):
        assert run.mean("bid_accuracy") > 0.6
    assert seeing.explained_variance() > plain.explained_variance() + 0.05


def test_it_is_rated_as_it_learns(tmp_path: Path) -> None:
    """Against its partners and against other agents, in the curves; ratings do not change what it learns."""
    options: dict[str, Any] = {"sparring": 0.5, "partners": ["random"], "snapshot_decisions": 2 * ITERATION}
    sections = {"ratings": {"agents": ["random", "heuristic"], "games": 4}}
    train(tiny_config(sections=sections, **options), tmp_path / "rated")
    train(tiny_config(**options), tmp_path / "not")
    assert checkpoint(tmp_path / "rated") == checkpoint(tmp_path / "not")
    lines = read_curves(tmp_path / "rated" / CURVES)
    figures = [(line[f"{RATING}{SEEN}/random"], line[f"{RATING}{HELD_OUT}/heuristic/won"]) for line in lines]
    assert [all(pair) for pair in figures] == [False, True, False, True]
    last = evaluate([str(tmp_path / "rated"), *["random"] * 3], tiny_config().game.rules(), 4, seed=SEED)
    assert float(figures[-1][0]) == pytest.approx(last.differences[0].points)


def test_a_run_begins_with_the_critic_of_another(tmp_path: Path) -> None:
    """If the widths are the same. The shipped champion has a critic to begin with."""
    train(tiny_config(ITERATION, critic=[8]), tmp_path / "first")
    start = str(tmp_path / "first")
    states = torch.from_numpy(Games(Rules(), 20, canonical_suits=True).full_state())
    first, second, other = (
        PpoLearner(tiny_config(learning_rate=1e-4, critic=[8], start=start), "cpu", None),
        PpoLearner(tiny_config(critic=[8], start=start), "cpu", None),
        PpoLearner(tiny_config(critic=[8]), "cpu", None),
    )
    assert (first.value_states(states) == second.value_states(states)).all()
    assert (first.value_states(states) != other.value_states(states)).any()
    with pytest.raises(ValueError, match=r"its critic has other layers than \[16\]"):
        PpoLearner(tiny_config(critic=[16], start=start), "cpu", None)
    PpoLearner(tiny_config(layers=[1024, 512], critic=[256, 256], start=str(CHAMPION)), "cpu", None)
    damaged: list[dict[str, torch.Tensor]] = [{}, {"trunk.0.weight": torch.zeros(8)}]
    for values in damaged:
        save_file(values, tmp_path / "first" / CRITIC)
        with pytest.raises(ValueError, match=r"its critic has other layers than \[8\]"):
            PpoLearner(tiny_config(critic=[8], start=start), "cpu", None)


@pytest.mark.slow
def test_it_learns_in_half_precision(tmp_path: Path) -> None:
    accuracy = np.mean([each.bid_accuracy for each in last_reports(tmp_path, precision="bfloat16")])
    assert accuracy > 0.6


# --- resuming


def checkpoint(folder: Path) -> bytes:
    return (folder / CHECKPOINT).read_bytes()


KINDS = [
    {"num_players": 3, "hand_sizes": [1, 4], "share": 2},
    {"num_players": 6, "hand_sizes": [2], "bid_restriction": "no_even", "magic_edition": True},
    {"num_players": 5, "hand_sizes": [2, 3], "bid_reveal": "secret"},
]


class InterruptedTraining(Exception):  # noqa: N818 - no error
    """Represents the user's Ctrl+C."""


@pytest.mark.parametrize(
    "special",
    [
        {"partners": ["heuristic"]},
        {"partners": ["random", "rule_based"], "critic": [8], "reward": "win", "team_spirit": 0.5},
        {"partners": ["past", "random"], "snapshot_decisions": ITERATION, "past_selves": 2},
        {"sections": {"tables": KINDS}},
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


# --- past selves as agents


def test_snapshots_are_numbered_without_a_gap(tmp_path: Path) -> None:
    """From 000001, though no iteration ends just where a snapshot is due; the end of a run has one too."""
    train(tiny_config(5 * ITERATION, snapshot_decisions=2 * ITERATION - 24), tmp_path)
    assert sorted(path.name for path in (tmp_path / "past").iterdir()) == ["000001", "000002", "000003"]


# --- team spirit


def test_team_spirit_shares_rewards_among_the_seats_that_learn() -> None:
    rewards = np.array([[[4, 0, -1, 2], [3, 1, 0, 0]]], np.float32)
    learns = np.array([[True, True, True, False], [True, True, False, False]])
    assert share_rewards(rewards, learns, 0.0) is rewards
    half = share_rewards(rewards, learns, 0.5)[0]
    assert half[0, :3].tolist() == [2.5, 0.5, 0.0]
    assert half[1, :2].tolist() == [2.5, 1.5]
    assert share_rewards(rewards, learns, 1.0)[0, 0, :3].tolist() == [1, 1, 1]


# --- beliefs


BELIEFS: dict[str, Any] = {
    "beliefs": True,
    "sparring": 0.7,
    "alone": True,
    "mixed": 0.3,
    "partners": ["rule_based", "heuristic"],
}


@pytest.mark.parametrize("learner", ["ppo", "distillation"])
def test_a_run_becomes_an_adaptive_agent(learner: str, tmp_path: Path) -> None:
    """It can be rated while it learns, resumed, and started from."""
    options = dict(BELIEFS)
    if learner == "distillation":
        options |= {
            "mixed": 0,
            "teachers": {"champion": [], "partner:name=points_12": options.pop("partners")},
        }
    else:
        options |= {"critic": [8], "snapshot_decisions": ITERATION}
    sections = {"ratings": {"agents": ["random"], "games": 2}} if learner == "ppo" else None
    config = tiny_config(2 * ITERATION, learner=learner, sections=sections, **options)
    train(config, tmp_path / "run")
    agent = load(str(tmp_path / "run"))
    assert isinstance(agent, AdaptiveAgent)
    train(config, tmp_path / "run", resume=True)
    train(tiny_config(ITERATION, **BELIEFS, start=str(tmp_path / "run"), layers=[16]), tmp_path / "next")


def test_it_starts_as_a_network_without_beliefs(tmp_path: Path) -> None:
    """Whatever it believes, policy, value and critic are those of the champion until it learns."""
    learner = PpoLearner(
        tiny_config(**BELIEFS, start="champion", layers=[1024, 512], critic=[256, 256]), "cpu", None
    )
    games = Games(Rules(), 30, canonical_suits=True)
    beliefs = np.random.default_rng(0).integers(0, 256, (30, NUM_INPUTS), np.uint8)
    seen = np.concatenate([games.observation, beliefs], axis=1)
    champion: Any = load("champion")
    with torch.inference_mode():
        outputs = learner.network(torch.from_numpy(seen)).numpy()
    np.testing.assert_allclose(outputs[:, :NUM_ACTIONS], champion.logits(games.observation), atol=1e-4)
    np.testing.assert_allclose(
        outputs[:, NUM_ACTIONS] * 20, champion.values(games.observation), rtol=1e-3, atol=1e-3
    )
    plain = PpoLearner(tiny_config(start=str(CHAMPION), layers=[1024, 512], critic=[256, 256]), "cpu", None)
    full = games.full_state()
    with_beliefs = np.concatenate([full[:, :OBS_SIZE], beliefs, full[:, OBS_SIZE:]], axis=1)
    np.testing.assert_allclose(
        learner.value_states(torch.from_numpy(with_beliefs)),
        plain.value_states(torch.from_numpy(full)),
        atol=1e-5,
    )
    learner.save(tmp_path)
    assert (tmp_path / CRITIC).is_file()


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"partners": ["past"]}, "partner 'past' is no kind that beliefs are about"),
        ({"encoding": "file.py:encode"}, "a custom encoding sees no beliefs"),
    ],
)
def test_what_does_not_go_with_beliefs(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        tiny_config(**BELIEFS | more)
