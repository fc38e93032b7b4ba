"""Learning on a device with a memory of its own, by the same operations on this processor's memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.train.ppo.test_learner import ITERATION, checkpoint, config
from wizard_env import NUM_ACTIONS
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.ppo.device import Accelerator, Processor
from wizard_env.train.ppo.learner import Learner
from wizard_env.train.ppo.loss import MEASURES
from wizard_env.train.run import train
from wizard_env.train.selfplay.progress import Progress


def _learner(monkeypatch: pytest.MonkeyPatch, decisions: int = 4 * ITERATION, **options: Any) -> Learner:
    monkeypatch.setattr(Learner, "_new_place", _accelerator)
    return Learner(config(decisions, **options), "cpu", None)


def _accelerator(learner: Learner) -> Accelerator:
    return Accelerator(learner.network, learner._rollout, learner._learning, 0)


def test_the_halves_of_the_games_are_played_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every decision is noted, legal, and has the probability and the value that the network gives it."""
    learner = _learner(monkeypatch)
    place, rollout = learner._place, learner._rollout
    assert isinstance(place, Accelerator)
    assert [part.stop - part.start for part in place.parts] == [(rollout.actions.shape[1] + 1) // 2] * 2
    with torch.no_grad():
        learner._collect()
        outputs = learner.network(place._observations)
    masks = place._masks
    actions = torch.from_numpy(rollout.actions)[..., None]
    assert masks.gather(2, actions).all()
    log_probabilities = outputs[..., :NUM_ACTIONS].masked_fill(~masks, -torch.inf).log_softmax(dim=2)
    torch.testing.assert_close(place._log_probabilities, log_probabilities.gather(2, actions)[..., 0])
    np.testing.assert_allclose(rollout.values, outputs[..., NUM_ACTIONS], atol=1e-6)


def test_both_places_compute_the_same_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the same measures, from the same rollout."""
    learner = _learner(monkeypatch)
    learner._collect()
    place, rollout, network = learner._place, learner._rollout, learner.network
    assert isinstance(place, Accelerator)
    rollout.observations[:] = place._observations.numpy()
    rollout.masks[:] = place._masks.numpy()
    rollout.log_probabilities[:] = place._log_probabilities.numpy()
    assert isinstance(learner._learning, PpoConfig)
    processor = Processor(network, rollout, learner._learning)
    with torch.no_grad():  # so that ratios differ from 1, and some are clipped
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    rows = np.random.default_rng(0).permutation(rollout.actions.size)[:200]
    advantages = np.random.default_rng(1).standard_normal(200).astype(np.float32)
    gradients, measures = [], []
    for each in (processor, place):
        network.zero_grad()
        each.begin_update()
        each.descend(rows, advantages, 0.01)
        gradients.append(
            [parameter.grad.clone() for parameter in network.parameters() if parameter.grad is not None]
        )
        measures.append(each.measures())
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)
    np.testing.assert_allclose(measures[0], measures[1], rtol=1e-4, atol=1e-4)
    assert len(measures[0]) == len(MEASURES)
    assert measures[0][MEASURES.index("clip_fraction")] > 0


pytestmark = pytest.mark.usefixtures("one_thread")


class InterruptedTraining(Exception):  # noqa: N818
    """Stops a run between two checkpoints."""


def test_a_resumed_run_goes_on_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device's generator is in the checkpoint."""
    monkeypatch.setattr(Learner, "_new_place", _accelerator)
    train(config(4 * ITERATION), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.decisions == 3 * ITERATION:
            raise InterruptedTraining

    often = config(4 * ITERATION).model_dump()
    often["learning"]["checkpoint_seconds"] = 1e-9
    with pytest.raises(InterruptedTraining):
        train(Config.model_validate(often), tmp_path / "parts", report=stop)
    train(config(4 * ITERATION), tmp_path / "parts", resume=True)
    assert checkpoint(tmp_path / "parts") == checkpoint(tmp_path / "whole")


def test_it_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    """To bid and to play hands of two cards."""
    options: dict[str, Any] = {"layers": [64], "num_games": 256, "decisions_per_game": 32, "batch_size": 1024}
    learner = _learner(monkeypatch, 25 * 256 * 32, **options)
    points = []
    for _ in range(25):
        learner.iterate()
        points.append(float(learner._rollout.points.sum() / learner._rollout.round_done.sum()))
    assert np.mean(points[-5:]) > np.mean(points[:3]) + 10
