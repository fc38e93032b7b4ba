"""Learning on a GPU, by the same operations in this processor's memory."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from wizard_env.train.ppo.device import CpuDevice, GpuDevice

from tests.train.tiny import ITERATION, tiny_config
from wizard_env import NUM_ACTIONS
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.networks.devices import with_precision
from wizard_env.train.ppo import METRICS, PpoLearner
from wizard_env.train.run import train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.progress import Progress

pytestmark = pytest.mark.usefixtures("one_thread", "gpu")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make learners learn as on a GPU."""
    monkeypatch.setattr("wizard_env.train.ppo.CpuDevice", partial(GpuDevice, seed=0))


def learner_and_device(**options: Any) -> tuple[PpoLearner, GpuDevice]:
    learner = PpoLearner(tiny_config(**options), "cpu", None)
    assert isinstance(learner.device, GpuDevice)
    return learner, learner.device


@pytest.mark.parametrize("critic", [[], [8]])
def test_the_halves_of_the_games_are_played_by_turns(
    critic: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every decision is noted, legal, and has the probability and the value that the network gives it.

    And the critic sees every full state.
    """
    learner, device = learner_and_device(critic=critic)
    rollout, stored = learner.rollout, device.stored
    store, full_states = device.store_full_states, []

    def store_twice(step: int, given: NDArray[np.uint8]) -> None:
        full_states.append(given)
        store(step, given)

    monkeypatch.setattr(device, "store_full_states", store_twice)
    assert [group.stop - group.start for group in device.groups] == [(rollout.actions.shape[1] + 1) // 2] * 2
    with torch.no_grad():
        learner.collect()
        outputs = learner.network(stored.observations)
    actions = torch.from_numpy(rollout.actions)[..., None]
    assert stored.masks.gather(2, actions).all()
    log_probabilities = outputs[..., :NUM_ACTIONS].masked_fill(~stored.masks, -torch.inf).log_softmax(dim=2)
    torch.testing.assert_close(stored.log_probabilities, log_probabilities.gather(2, actions)[..., 0])
    np.testing.assert_allclose(stored.values, outputs[..., NUM_ACTIONS], atol=1e-6)
    np.testing.assert_array_equal(rollout.values, stored.values)
    if critic:
        states = np.stack(full_states)
        np.testing.assert_array_equal(torch.cat([stored.observations, stored.hidden], dim=2), states)
        found = device.value_states(states.reshape(-1, states.shape[-1])).reshape(rollout.values.shape)
        np.testing.assert_allclose(device.value_rollout(), found, atol=1e-6)


def test_actions_are_drawn_by_their_probabilities() -> None:
    """And an illegal one never, not even where every legal one has the smallest probability."""
    _, device = learner_and_device()
    logits = torch.full((4000, NUM_ACTIONS), -torch.inf)
    logits[:, 3], logits[:, 7], logits[:, 70] = 0.0, 1.0, -200.0
    masks = torch.isfinite(logits)
    drawn = device.sample(logits.log_softmax(dim=1), masks)
    assert masks.gather(1, drawn).all()
    share = float((drawn == 7).double().mean())
    assert share == pytest.approx(np.e / (1 + np.e), abs=0.03)


def test_both_devices_compute_the_same_gradient() -> None:
    """And the same metrics, from the same rollout."""
    learner, device = learner_and_device(critic=[8])
    learner.collect()
    rollout, stored = learner.rollout, device.stored
    rollout.observations[:] = stored.observations.numpy()
    rollout.masks[:] = stored.masks.numpy()
    rollout.full_states[:] = torch.cat([stored.observations, stored.hidden], dim=2).numpy()
    rollout.log_probabilities[:] = stored.log_probabilities.numpy()
    learning = with_precision(tiny_config(critic=[8]), "cpu").learning_as(PpoConfig)
    processor = CpuDevice(learner.network, learner.critic, rollout, learning)
    np.testing.assert_allclose(processor.value_rollout(), device.value_rollout(), rtol=1e-4, atol=1e-6)
    with torch.no_grad():  # so that ratios differ from 1, and some are clipped
        for parameter in learner.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    rows = np.random.default_rng(0).permutation(rollout.actions.size)[:200]
    advantages = np.random.default_rng(1).standard_normal(200).astype(np.float32)
    returns = np.random.default_rng(2).standard_normal(200).astype(np.float32)
    gradients, sums = [], []
    for each in (processor, device):
        for parameter in learner.parameters():
            parameter.grad = None
        each.start_update()
        each.add_gradient(rows, advantages, 0.01)
        each.add_critic_gradient(rows, returns)
        gradients.append(
            [parameter.grad.clone() for parameter in learner.parameters() if parameter.grad is not None]
        )
        sums.append(each.sum_metrics())
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)
    np.testing.assert_allclose(sums[0], sums[1], rtol=1e-4, atol=1e-4)
    assert len(sums[0]) == len(METRICS) + 1
    assert len(gradients[0]) == len(learner.parameters())
    assert sums[0][METRICS.index("clip_fraction")] > 0


class InterruptedTraining(Exception):  # noqa: N818
    """Stops a run between two checkpoints."""


def test_a_resumed_run_continues_bit_for_bit(tmp_path: Path) -> None:
    """The device's generator is in the checkpoint."""
    train(tiny_config(), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.decisions == 3 * ITERATION:
            raise InterruptedTraining

    with pytest.raises(InterruptedTraining):
        train(tiny_config(checkpoint_seconds=1e-9), tmp_path / "parts", report=stop)
    train(tiny_config(), tmp_path / "parts", resume=True)
    whole, parts = ((tmp_path / name / CHECKPOINT).read_bytes() for name in ("whole", "parts"))
    assert parts == whole


def test_it_learns() -> None:
    """To bid and to play hands of two cards."""
    options: dict[str, Any] = {"layers": [64], "num_games": 256, "decisions_per_game": 32, "batch_size": 1024}
    learner, _ = learner_and_device(decisions=25 * 256 * 32, **options)
    points = []
    for _ in range(25):
        learner.iterate()
        points.append(float(learner.rollout.points.sum() / learner.rollout.round_done.sum()))
    assert np.mean(points[-5:]) > np.mean(points[:3]) + 10
